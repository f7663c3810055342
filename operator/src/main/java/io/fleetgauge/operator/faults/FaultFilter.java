package io.fleetgauge.operator.faults;

import java.util.List;
import java.util.Map;
import picocli.CommandLine.Option;

/** Options that select faults. */
final class FaultFilter {
  /** The largest answer that a query API gives. */
  static final String MOST = "1000";

  @Option(names = "--host", paramLabel = "HOST", description = "Faults of this host.")
  private String host = "";

  @Option(
      names = "--gpu",
      paramLabel = "UUID",
      description = "Faults of this GPU: its UUID, or its index together with --host.")
  private String gpu = "";

  @Option(names = "--job", paramLabel = "JOB", description = "Faults of this job and of its GPUs.")
  private String job = "";

  /** True if nothing is selected. */
  boolean isEmpty() {
    return host.isEmpty() && gpu.isEmpty() && job.isEmpty();
  }

  /** The words that name what is selected, such as {@code job train-7}. */
  String subject() {
    if (!job.isEmpty()) {
      return "job " + job;
    }
    return (gpu.isEmpty() ? "" : "GPU " + gpu + (host.isEmpty() ? "" : " of "))
        + (host.isEmpty() ? "" : "host " + host);
  }

  String job() {
    return job;
  }

  List<Map.Entry<String, String>> parameters() {
    return List.of(Map.entry("host", host), Map.entry("gpu", gpu), Map.entry("job", job));
  }
}
