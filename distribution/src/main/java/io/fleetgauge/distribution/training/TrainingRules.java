package io.fleetgauge.distribution.training;

/** Rules that a query API evaluates while it is trained: of the kinds that people have. */
final class TrainingRules {
  /** An alert that fires as soon as there are samples. */
  static final String FIRING = "ALERTS{alertname=\"Busy\",alertstate=\"firing\"}";

  private static final int GROUPS = 6;

  private TrainingRules() {}

  /** A rule file. */
  static String file() {
    StringBuilder groups = new StringBuilder("groups:\n");
    for (int i = 0; i < GROUPS; i++) {
      groups.append(
          """
            - name: group-%1$d
              interval: 1s
              rules:
                - record: rack:gpu_util:avg%1$d
                  expr: avg by (rack) (DCGM_FI_DEV_GPU_UTIL)
                - record: tenant:power:sum%1$d
                  expr: sum by (tenant) (DCGM_FI_DEV_POWER_USAGE{Hostname="gpu-node-0001"})
                - record: job:ecc:rate%1$d
                  expr: sum by (job) (rate(DCGM_FI_DEV_ECC_SBE_VOL_TOTAL[5m]))
                - record: rack:gpu_util:double%1$d
                  expr: 2 * rack:gpu_util:avg%1$d
                - alert: Busy
                  expr: DCGM_FI_DEV_GPU_UTIL{Hostname="gpu-node-000%1$d"} >= 0
                  labels: {severity: warning, node: '{{ $labels.Hostname | toUpper }}'}
                  annotations:
                    summary: '{{ $labels.Hostname }}: {{ $value | humanizePercentage }} since {{ with query "count(up)" }}{{ . | first | value }}{{ end }}'
                - alert: Full
                  expr: DCGM_FI_DEV_FB_USED / DCGM_FI_DEV_FB_TOTAL > 0.1
                  for: 2s
                  annotations: {summary: 'GPU {{ $labels.gpu }} of {{ $labels.Hostname }}'}
                - alert: Errors
                  expr: increase(DCGM_FI_DEV_ECC_SBE_VOL_TOTAL[5m]) > 1
                  keep_firing_for: 5s
                - alert: Gone
                  expr: absent(node_load1{Hostname="gpu-node-000%1$d"})
          """
              .formatted(i));
    }
    return groups.toString();
  }
}
