package io.fleetgauge.probe.config;

import io.fleetgauge.runtime.key.ConfigReader;
import io.fleetgauge.runtime.key.Key;
import io.fleetgauge.runtime.key.KeyType;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;

/**
 * Sources from which a probe learns about Slurm's jobs.
 *
 * @param every {@code attribution.slurm.every}
 * @param watchesCgroups {@code attribution.slurm.cgroups}
 * @param mapping {@code attribution.slurm.mappingFolder}
 * @param numbers {@code attribution.slurm.mappingNumbers}
 * @param jobs what is asked for the whole cluster; empty when {@code
 *     attribution.slurm.jobs.enabled} is false
 */
public record SlurmSettings(
    Duration every,
    boolean watchesCgroups,
    Optional<Path> mapping,
    Numbers numbers,
    Optional<Jobs> jobs) {
  private static final String SECTION = "attribution.slurm.";
  private static final int MOST_JOBS = 100_000;

  /** Meaning of the number in the name of a mapping file. */
  public enum Numbers {
    /** As NVML and dcgm-exporter count. */
    INDEX,
    /** The number of the device file, as Slurm counts. */
    MINOR
  }

  /**
   * Settings of asking for jobs.
   *
   * @param command {@code attribution.slurm.jobs.command}
   * @param every {@code attribution.slurm.jobs.every}
   * @param timeout {@code attribution.slurm.jobs.timeout}
   * @param onlyGpus {@code attribution.slurm.jobs.onlyGpus}
   * @param limit {@code attribution.slurm.jobs.limit}
   */
  public record Jobs(Path command, Duration every, Duration timeout, boolean onlyGpus, int limit) {}

  private static final Key<Duration> EVERY =
      Key.of(
          SECTION + "every",
          KeyType.duration(Duration.ofSeconds(1), Duration.ofMinutes(10)),
          Duration.ofSeconds(5),
          "Interval between checks of the mapping folder and of the cgroups of jobs.");
  private static final Key<Boolean> CGROUPS =
      Key.of(
          SECTION + "cgroups",
          KeyType.flag(),
          true,
          "Whether an allocation ends when the cgroup of its Slurm job is gone, so that a failed"
              + " epilog leaves no owner. Set it to false where `salloc` keeps GPUs between steps"
              + " and Slurm's `PrologFlags` lacks `Contain`.");
  private static final Key<Path> MAPPING =
      Key.optional(
          SECTION + "mappingFolder",
          KeyType.path(),
          "Folder with a file for each GPU that lists its jobs, as `--hpc-job-mapping-dir` of"
              + " dcgm-exporter.");
  private static final Key<Numbers> NUMBERS =
      Key.of(
          SECTION + "mappingNumbers",
          KeyType.choice(Numbers.class),
          Numbers.INDEX,
          "Meaning of a number as the name of a mapping file: `index` as dcgm-exporter and NVML"
              + " count, `minor` for N of `/dev/nvidiaN`, as Slurm counts.");
  private static final Key<Boolean> JOBS =
      Key.of(
          SECTION + "jobs.enabled",
          KeyType.flag(),
          false,
          "Whether this probe queries Slurm's controller for all jobs, for the series"
              + " `slurm_job_info`. One probe of a cluster is enough.");
  private static final Key<Path> COMMAND =
      Key.of(
          SECTION + "jobs.command",
          KeyType.path(),
          Path.of("squeue"),
          "The program that lists jobs; it is called with `--json`.");
  private static final Key<Duration> JOBS_EVERY =
      Key.of(
          SECTION + "jobs.every",
          KeyType.duration(Duration.ofSeconds(10), Duration.ofHours(1)),
          Duration.ofMinutes(1),
          "Interval between queries for jobs.");
  private static final Key<Duration> TIMEOUT =
      Key.of(
          SECTION + "jobs.timeout",
          KeyType.duration(Duration.ofMillis(100), Duration.ofMinutes(5)),
          Duration.ofSeconds(30),
          "Timeout of the program; then it is killed.");
  private static final Key<Boolean> ONLY_GPUS =
      Key.of(
          SECTION + "jobs.onlyGpus",
          KeyType.flag(),
          true,
          "Whether jobs without GPUs are left out.");
  private static final Key<Integer> LIMIT =
      Key.of(
          SECTION + "jobs.limit",
          KeyType.integer(1, MOST_JOBS),
          5_000,
          "Maximum number of jobs with series; further jobs are counted in"
              + " `slurm_jobs_left_out`.");

  public static SlurmSettings read(ConfigReader in) {
    boolean asksForJobs = in.get(JOBS);
    Jobs jobs =
        new Jobs(
            in.get(COMMAND), in.get(JOBS_EVERY), in.get(TIMEOUT), in.get(ONLY_GPUS), in.get(LIMIT));
    return new SlurmSettings(
        in.get(EVERY),
        in.get(CGROUPS),
        in.find(MAPPING),
        in.get(NUMBERS),
        asksForJobs ? Optional.of(jobs) : Optional.empty());
  }
}
