{{- /* Configurations as far as they follow from the values; probe.config, gateway.config and query.config win. */}}
{{- define "fleetgauge.probeConfig" -}}
{{- $name := include "fleetgauge.name" . -}}
{{- $p := .Values.probe -}}
{{- if $p.gateways }}
gateways:
  {{- toYaml $p.gateways | nindent 2 }}
{{- else if .Values.tls.enabled }}
# By SRV records, which have names: certificates have names too.
discovery: {method: srv, scheme: https, dns: {names: [_http._tcp.{{ $name }}-gateway-headless]}}
{{- else }}
discovery: {method: dns, dns: {names: [{{ $name }}-gateway-headless]}}
{{- end }}
{{- if .Values.secrets.enabled }}
tokenFile: /etc/fleetgauge/secrets/token
{{- end }}
{{- if .Values.tls.enabled }}
trust: {ca: /etc/fleetgauge/secrets/ca.crt}
{{- end }}
tick: 15s
host:
  {{- if $p.host.proc }}
  proc: /host/proc
  {{- end }}
  {{- if $p.host.sys }}
  sys: /host/sys
  {{- end }}
  {{- if $p.host.root }}
  rootfs: /host/root
  {{- end }}
  {{- if not $p.host.network }}
  # These would report the pod's network, not the node's.
  collectors: {"off": [arp, conntrack, netdev, netstat, sockstat, softnet, udp_queues]}
  {{- end }}
{{- if or (not $p.host.podResources) (not $p.host.processes) }}
attribution:
  {{- if not $p.host.podResources }}
  kubelet: {enabled: false}
  {{- end }}
  {{- if not $p.host.processes }}
  processes: {enabled: false}
  {{- end }}
{{- end }}
spool: {folder: /var/lib/fleetgauge/probe}
http: {host: 0.0.0.0, port: {{ $p.port }}}
log: {format: json}
{{- end -}}

{{- define "fleetgauge.tlsConfig" -}}
{{- if .Values.tls.enabled }}
tls: {certificate: /etc/fleetgauge/secrets/tls.crt, key: /etc/fleetgauge/secrets/tls.key}
{{- end }}
{{- end -}}

{{- define "fleetgauge.gatewayConfig" -}}
{{- $name := include "fleetgauge.name" . -}}
{{- $g := .Values.gateway -}}
{{- if $g.zones }}
zone: "${ZONE}"
{{- end }}
http:
  host: 0.0.0.0
  port: 9500
  {{- if .Values.insecure }}
  insecure: true
  {{- end }}
  advertisedHost: "${POD_NAME}.{{ $name }}-gateway-headless.${POD_NAMESPACE}.svc"
  {{- include "fleetgauge.tlsConfig" . | nindent 2 }}
{{- if .Values.tls.enabled }}
trust: {ca: /etc/fleetgauge/secrets/ca.crt}
{{- end }}
{{- if .Values.secrets.enabled }}
tenants: {file: /etc/fleetgauge/secrets/tenants.yaml}
{{- end }}
drainTimeout: {{ if mod $g.drainSeconds 60 }}{{ $g.drainSeconds }}s{{ else }}{{ div $g.drainSeconds 60 }}m{{ end }}
cluster:
  {{- include "fleetgauge.cluster" (list . "gateway") | nindent 2 }}
store: {folder: /var/lib/fleetgauge/gateway, retention: {{ $g.retention }}, maxDisk: {{ $g.maxDisk }}}
journal: {maxDisk: {{ $g.journalMaxDisk }}}
log: {format: json}
{{- end -}}

{{- define "fleetgauge.queryConfig" -}}
http:
  host: 0.0.0.0
  port: 9090
  {{- if .Values.insecure }}
  insecure: true
  {{- end }}
  {{- include "fleetgauge.tlsConfig" . | nindent 2 }}
{{- if .Values.tls.enabled }}
trust: {ca: /etc/fleetgauge/secrets/ca.crt}
{{- end }}
{{- if .Values.secrets.enabled }}
tenants: {file: /etc/fleetgauge/secrets/tenants.yaml}
{{- end }}
cluster:
  {{- include "fleetgauge.cluster" (list . "query") | nindent 2 }}
rules:
  folder: /var/lib/fleetgauge/query/rules
  # Links in alerts begin with it.
  externalUrl: "{{ include "fleetgauge.scheme" . }}://{{ include "fleetgauge.name" . }}-query.${POD_NAMESPACE}.svc:9090"
  {{- if not .Values.rules.bundled }}
  bundled: false
  {{- end }}
  {{- with .Values.rules.runbooks }}
  runbooks: {{ . | quote }}
  {{- end }}
log: {format: json}
{{- end -}}
