{{- /* Name of all objects: the release, or the release and the chart. */}}
{{- define "fleetgauge.name" -}}
{{- if .Values.fullnameOverride -}}
{{- .Values.fullnameOverride -}}
{{- else if contains .Chart.Name .Release.Name -}}
{{- .Release.Name | trunc 40 | trimSuffix "-" -}}
{{- else -}}
{{- printf "%s-%s" .Release.Name .Chart.Name | trunc 40 | trimSuffix "-" -}}
{{- end -}}
{{- end -}}

{{- /* Labels of an object. Takes a list: the root, and the component or "". */}}
{{- define "fleetgauge.labels" -}}
{{- $root := index . 0 -}}
{{ include "fleetgauge.selector" . }}
app.kubernetes.io/part-of: fleetgauge
app.kubernetes.io/version: {{ $root.Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ $root.Release.Service }}
helm.sh/chart: {{ printf "%s-%s" $root.Chart.Name $root.Chart.Version | replace "+" "_" }}
{{- with $root.Values.commonLabels }}
{{ toYaml . }}
{{- end }}
{{- end -}}

{{- define "fleetgauge.selector" -}}
{{- $root := index . 0 -}}
app.kubernetes.io/name: fleetgauge
app.kubernetes.io/instance: {{ $root.Release.Name }}
{{- with index . 1 }}
app.kubernetes.io/component: {{ . }}
{{- end }}
{{- end -}}

{{- /* Metadata of an object. Takes a list: the root, the component, and what follows the name. */}}
{{- define "fleetgauge.metadata" -}}
{{- $root := index . 0 -}}
name: {{ include "fleetgauge.name" $root }}{{ index . 2 }}
namespace: {{ $root.Release.Namespace }}
labels:
  {{- include "fleetgauge.labels" (list $root (index . 1)) | nindent 2 }}
{{- end -}}

{{- /* Image of a component. Takes a list: the root, and the component. */}}
{{- define "fleetgauge.image" -}}
{{- $root := index . 0 -}}
{{- $name := index . 1 -}}
{{- $own := (index $root.Values $name).image -}}
{{- $path := $own.repository -}}
{{- with $root.Values.image.registry -}}{{- $path = printf "%s/%s" . $path -}}{{- end -}}
{{- if $own.digest -}}
{{ $path }}@{{ $own.digest }}
{{- else -}}
{{ $path }}:{{ $own.tag | default $root.Values.image.tag | default $root.Chart.AppVersion }}
{{- end -}}
{{- end -}}

{{- /* What every container has, and needs to be allowed by the Pod Security level restricted. */}}
{{- define "fleetgauge.containerSecurity" -}}
allowPrivilegeEscalation: false
readOnlyRootFilesystem: true
capabilities: {drop: [ALL]}
{{- end -}}

{{- define "fleetgauge.podSecurity" -}}
runAsNonRoot: true
runAsUser: 65532
runAsGroup: 65532
fsGroup: 65532
{{- end -}}

{{- /* How gateways and query APIs find each other. Takes a list: the root, and the component. */}}
{{- define "fleetgauge.cluster" -}}
{{- $root := index . 0 -}}
{{- $headless := printf "%s-gateway-headless" (include "fleetgauge.name" $root) -}}
name: {{ $root.Values.clusterName }}
{{- if $root.Values.secrets.enabled }}
secretFile: /etc/fleetgauge/secrets/cluster
{{- end }}
host: "${POD_IP}"
port: 5701
discovery:
  method: {{ $root.Values.discovery }}
  {{- if eq $root.Values.discovery "kubernetes" }}
  kubernetes: {service: {{ $headless }}, port: cluster}
  {{- else }}
  dns: {names: [{{ $headless }}]}
  {{- end }}
  {{- if eq (index . 1) "query" }}
  cache: /var/lib/fleetgauge/query/discovery
  {{- end }}
{{- if ne (int $root.Values.replication) 2 }}
replication: {{ $root.Values.replication }}
{{- end }}
{{- end -}}

{{- define "fleetgauge.scheme" -}}{{ ternary "https" "http" .Values.tls.enabled }}{{- end -}}

{{- /* Sources of the volume with the configuration and secrets. Takes a list: the root, and the component. */}}
{{- define "fleetgauge.configVolume" -}}
{{- $root := index . 0 -}}
{{- $name := index . 1 -}}
{{- $own := index $root.Values $name -}}
name: config
projected:
  defaultMode: 0440
  sources:
    - configMap: {name: {{ include "fleetgauge.name" $root }}-{{ $name }}-config}
    {{- if and $root.Values.secrets.enabled (eq $name "probe") }}
    - secret:
        name: {{ $root.Values.secrets.probeToken }}
        items: [{key: token, path: secrets/token}]
    {{- else if $root.Values.secrets.enabled }}
    - secret:
        name: {{ $root.Values.secrets.cluster }}
        items: [{key: secret, path: secrets/cluster}]
    - secret:
        name: {{ $root.Values.secrets.tenants }}
        items: [{key: tenants.yaml, path: secrets/tenants.yaml}]
    {{- end }}
    {{- if and $root.Values.tls.enabled (eq $name "probe") }}
    - secret:
        name: {{ $root.Values.tls.gatewaySecret }}
        items: [{key: ca.crt, path: secrets/ca.crt}]
    {{- else if $root.Values.tls.enabled }}
    - secret:
        name: {{ index $root.Values.tls (printf "%sSecret" $name) }}
        items:
          - {key: tls.crt, path: secrets/tls.crt}
          - {key: tls.key, path: secrets/tls.key}
          - {key: ca.crt, path: secrets/ca.crt}
    {{- end }}
    {{- with $own.extraSecrets }}
    {{- range . }}
    - secret:
        name: {{ .name }}
        items:
          - {key: {{ .key }}, path: secrets/{{ .path | default .key }}}
    {{- end }}
    {{- end }}
{{- end -}}

{{- /* Health probes. Takes a list: the root, the port's name, and the path of readiness. */}}
{{- define "fleetgauge.liveness" -}}
{{- $root := index . 0 -}}
httpGet:
  path: /-/healthy
  port: {{ index . 1 }}
  {{- if $root.Values.tls.enabled }}
  scheme: HTTPS
  {{- end }}
{{- end -}}

{{- define "fleetgauge.readiness" -}}
{{- $root := index . 0 -}}
httpGet:
  path: {{ index . 2 | quote }}
  port: {{ index . 1 }}
  {{- if $root.Values.tls.enabled }}
  scheme: HTTPS
  {{- end }}
{{- end -}}

{{- /* Refuses what the schema cannot: values that do not go together. */}}
{{- define "fleetgauge.check" -}}
{{- if gt (int .Values.replication) (int .Values.gateway.replicas) }}
{{- fail (printf "replication: %d is not allowed with gateway.replicas: %d; each copy is on a separate gateway" (int .Values.replication) (int .Values.gateway.replicas)) }}
{{- end }}
{{- if le (int .Values.gateway.terminationGracePeriodSeconds) (int .Values.gateway.drainSeconds) }}
{{- fail (printf "gateway.terminationGracePeriodSeconds: %d is not allowed with gateway.drainSeconds: %d; a gateway that is killed while it drains must be taken over, so grant at least 30 s more" (int .Values.gateway.terminationGracePeriodSeconds) (int .Values.gateway.drainSeconds)) }}
{{- end }}
{{- if and .Values.query.autoscaling.enabled (gt (int .Values.query.autoscaling.minReplicas) (int .Values.query.autoscaling.maxReplicas)) }}
{{- fail (printf "query.autoscaling.minReplicas: %d is not allowed with query.autoscaling.maxReplicas: %d; it must be at most that" (int .Values.query.autoscaling.minReplicas) (int .Values.query.autoscaling.maxReplicas)) }}
{{- end }}
{{- if and .Values.tls.certManager.enabled (not .Values.tls.enabled) }}
{{- fail "tls.certManager.enabled: true is not allowed with tls.enabled: false; certificates would be created and not used" }}
{{- end }}
{{- if and (not .Values.secrets.enabled) (not .Values.insecure) }}
{{- fail "secrets.enabled: false is not allowed with insecure: false; without tokens, anyone who can reach the ports can read and write. Set insecure: true if that is intended" }}
{{- end }}
{{- if and .Values.secrets.enabled .Values.insecure }}
{{- fail "insecure: true is not allowed with secrets.enabled: true; it disables authentication" }}
{{- end }}
{{- if and .Values.probe.host.kernelLog (not .Values.probe.privileged) }}
{{- fail "probe.host.kernelLog: true is not allowed with probe.privileged: false; without it the container cannot open /dev/kmsg" }}
{{- end }}
{{- if and .Values.probe.host.podResources (ne (int .Values.probe.runAsUser) 0) }}
{{- fail (printf "probe.host.podResources: true is not allowed with probe.runAsUser: %d; the socket of the kubelet belongs to root" (int .Values.probe.runAsUser)) }}
{{- end }}
{{- if and .Values.probe.spool.hostPath (ne (int .Values.probe.runAsUser) 0) }}
{{- fail (printf "probe.spool.hostPath: %s is not allowed with probe.runAsUser: %d; the folder is created for root. Set it to \"\" for a volume of the pod" .Values.probe.spool.hostPath (int .Values.probe.runAsUser)) }}
{{- end }}
{{- end -}}
