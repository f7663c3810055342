package io.fleetgauge.distribution.kubernetes;

/** Values of the chart that use all of its templates. */
final class EveryValue {
  static final String YAML =
      """
      commonLabels: {team: gpu}
      image: {registry: registry.example/gpu, tag: "1.2", pullPolicy: Always, pullSecrets: [{name: password}]}
      replication: 3
      discovery: kubernetes
      clusterDomain: corp.example
      rules: {bundled: false, runbooks: "https://pages.example/runbooks/"}
      tls: {enabled: true, certManager: {enabled: true, issuer: corp, issuerKind: ClusterIssuer}}
      probe:
        image: {digest: "sha256:aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"}
        privileged: true
        host: {kernelLog: true, runtimeSocket: /run/containerd/containerd.sock}
        maxUnavailable: 3
        config: {labels: {rack: r12}, tick: 5s}
        affinity:
          nodeAffinity:
            requiredDuringSchedulingIgnoredDuringExecution:
              nodeSelectorTerms: [{matchExpressions: [{key: gpu, operator: In, values: [h100]}]}]
        podLabels: {a: b}
        podAnnotations: {a.example/b: c}
        extraEnv: [{name: RACK, value: r12}, {name: ZONE, valueFrom: {fieldRef: {fieldPath: metadata.name}}}]
        extraSecrets: [{name: bmc, key: user}]
        extraVolumes: [{name: textfile, hostPath: {path: /var/lib/textfile, type: Directory}}]
        extraVolumeMounts: [{name: textfile, mountPath: /textfile, readOnly: true}]
        serviceAccount: {annotations: {a: b}}
      gateway:
        replicas: 6
        zones: true
        onePerHost: false
        storage: {size: 200Gi, className: fast}
        drainSeconds: 90
        config: {store: {maxSeries: 50000000}}
        tolerations: [{key: dedicated, operator: Equal, value: metrics, effect: NoSchedule}]
        nodeSelector: {pool: metrics}
        priorityClassName: high
        service: {type: LoadBalancer, annotations: {a: b}}
        extraEnv: [{name: TOKEN, valueFrom: {secretKeyRef: {name: a, key: b}}}]
        extraSecrets: [{name: more, key: ca.crt, path: other.crt}]
        extraVolumes: [{name: scratch, emptyDir: {sizeLimit: 1Gi}}]
        extraVolumeMounts: [{name: scratch, mountPath: /scratch}]
      query:
        autoscaling: {ownLoad: 8}
        tolerations: [{operator: Exists}]
        nodeSelector: {pool: metrics}
        priorityClassName: high
        affinity:
          podAntiAffinity:
            preferredDuringSchedulingIgnoredDuringExecution:
              - {weight: 10, podAffinityTerm: {topologyKey: kubernetes.io/hostname, labelSelector: {matchLabels: {a: b}}}}
      networkPolicy:
        wholeNamespace: false
        queryFrom: [{namespaceSelector: {matchLabels: {kubernetes.io/metadata.name: grafana}}}]
        gatewayFrom: [{ipBlock: {cidr: 10.0.0.0/16, except: [10.0.9.0/24]}}]
        probeEgress: [{to: [{ipBlock: {cidr: 10.1.0.0/16}}], ports: [{port: 9290, protocol: TCP}]}]
        gatewayEgress: [{to: [{namespaceSelector: {}}], ports: [{port: 4318, protocol: TCP}]}]
        queryEgress: [{to: [{namespaceSelector: {}}], ports: [{port: 9093, protocol: TCP}]}]
      monitoring:
        monitors: {enabled: true, labels: {release: kps}, gpuMetrics: true}
        rules: {enabled: true, labels: {release: kps}}
        dashboards: {enabled: true}
        datasource: {enabled: true}
      """;

  private EveryValue() {}
}
