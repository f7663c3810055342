package io.fleetgauge.probe.attribution.process;

import java.util.HashMap;
import java.util.Map;
import java.util.Optional;

/**
 * Variables that Slurm puts into the environment of a job's processes. Whoever starts a process may
 * put in anything: it tells more about a job, and the job of a container that a job has started,
 * and nothing that decides who may see a series.
 *
 * @param job id of the job
 * @param partition the queue it came from
 * @param arrayJob id of the array that it is of
 * @param arrayTask its number in this array
 */
record SlurmVariables(String job, String partition, String arrayJob, String arrayTask) {
  static final SlurmVariables NONE = new SlurmVariables("", "", "", "");

  private static final int LONGEST = 128;

  /**
   * @param environment {@code NAME=VALUE}, each ended by a zero byte; a value may contain =
   */
  static SlurmVariables of(String environment) {
    Map<String, String> found = new HashMap<>();
    int from = 0;
    while (from < environment.length()) {
      int end = environment.indexOf('\0', from);
      if (end < 0) {
        break; // cut off
      }
      if (environment.startsWith("SLURM_", from)) {
        int equals = environment.indexOf('=', from);
        if (equals > 0 && equals < end) {
          found.putIfAbsent(
              environment.substring(from, equals), environment.substring(equals + 1, end));
        }
      }
      from = end + 1;
    }
    return found.isEmpty()
        ? NONE
        : new SlurmVariables(
            number(found, "SLURM_JOB_ID").or(() -> number(found, "SLURM_JOBID")).orElse(""),
            name(found, "SLURM_JOB_PARTITION"),
            number(found, "SLURM_ARRAY_JOB_ID").orElse(""),
            number(found, "SLURM_ARRAY_TASK_ID").orElse(""));
  }

  private static Optional<String> number(Map<String, String> found, String name) {
    String value = found.getOrDefault(name, "");
    boolean isNumber =
        !value.isEmpty()
            && value.length() <= 10
            && value.chars().allMatch(c -> c >= '0' && c <= '9');
    return isNumber ? Optional.of(value) : Optional.empty();
  }

  private static String name(Map<String, String> found, String name) {
    String value = found.getOrDefault(name, "");
    boolean isName =
        value.length() <= LONGEST && value.chars().allMatch(c -> c > ' ' && c < 0x7f && c != '"');
    return isName ? value : "";
  }
}
