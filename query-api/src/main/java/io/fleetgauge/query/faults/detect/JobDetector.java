package io.fleetgauge.query.faults.detect;

import io.fleetgauge.query.faults.reading.JobStep;
import io.fleetgauge.sample.gpu.FaultKind;
import java.util.Optional;
import java.util.function.Consumer;

/** Finds faults of one job. Not for several threads. */
public interface JobDetector {
  /**
   * Looks at the next step of the job.
   *
   * @param out takes what is wrong at this step
   */
  void on(JobStep step, Consumer<Finding> out);

  /**
   * Takes over what is known of its job when it begins in the middle: a fault that had been found.
   * Before the first step.
   *
   * @param since when the fault began, ms
   */
  default void restore(FaultKind kind, Subject subject, String cause, long since) {}

  /** What it thinks of the job since the last step; empty if it looks at single GPUs only. */
  default Optional<Verdict> verdict() {
    return Optional.empty();
  }

  /** A detector that goes on from here on its own: late samples are looked at again with it. */
  JobDetector copy();
}
