package io.fleetgauge.probe.attribution.slurm;

import io.fleetgauge.probe.config.SlurmSettings;
import io.fleetgauge.probe.sampling.Reader;
import io.fleetgauge.probe.sampling.Readings;
import io.fleetgauge.probe.sampling.TickClass;
import io.fleetgauge.sample.Labels;
import io.fleetgauge.sample.gpu.GpuMetrics;
import java.io.IOException;
import java.util.List;
import java.util.Set;
import java.util.function.LongSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The jobs of the cluster as series. {@link #look} is for one thread, {@link #read} only takes what
 * it found.
 */
public final class JobSampling implements Reader, AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(JobSampling.class);
  private static final String INFO = GpuMetrics.of("slurm_job_info").name();
  private static final double MILLIS = 1000;

  /** The number of requests that may fail before what is known is too old. */
  private static final int KEEP = 3;

  private final SlurmSettings.Jobs settings;
  private final Squeue squeue;
  private final TickClass core;
  private final LongSupplier millis;
  private volatile State state = new State(List.of(), 0, 0, Long.MIN_VALUE, 0);
  private String trouble = ""; // logged last

  /** All that is known; times of the monotonic clock. */
  private record State(List<Labels> series, int leftOut, int damaged, long readAt, long failures) {
    boolean wasRead() {
      return readAt != Long.MIN_VALUE;
    }
  }

  /**
   * @param millis a monotonic clock
   */
  public JobSampling(SlurmSettings.Jobs settings, TickClass core, LongSupplier millis) {
    this.settings = settings;
    this.squeue = new Squeue(settings);
    this.core = core;
    this.millis = millis;
  }

  @Override
  public String name() {
    return "slurm_jobs";
  }

  @Override
  public Set<TickClass> classes() {
    return Set.of(core);
  }

  /** Asks Slurm; waits for it. */
  public void look() {
    State before = state;
    try {
      SqueueForm.Jobs found = squeue.ask();
      state =
          new State(
              found.jobs().stream().map(job -> job.with(Labels.NAME, INFO)).toList(),
              found.leftOut(),
              found.damaged(),
              millis.getAsLong(),
              before.failures());
      report(found.damage());
    } catch (IOException e) {
      report(String.valueOf(e.getMessage()));
      state =
          new State(
              before.series(),
              before.leftOut(),
              before.damaged(),
              before.readAt(),
              before.failures() + 1);
    }
  }

  private void report(String why) {
    if (!why.isEmpty() && !why.equals(trouble)) {
      LOG.warn("{} --json: {}; see attribution.slurm.jobs", settings.command(), why);
    }
    trouble = why;
  }

  @Override
  public void read(Set<TickClass> due, Readings out) {
    State now = state;
    long age = now.wasRead() ? millis.getAsLong() - now.readAt() : 0;
    boolean isKnown =
        now.wasRead() && age <= KEEP * settings.every().toMillis() + settings.timeout().toMillis();
    out.add(core, "slurm_jobs_up", Labels.EMPTY, isKnown ? 1 : 0);
    out.add(core, "slurm_jobs_failures_total", Labels.EMPTY, now.failures());
    if (now.wasRead()) {
      out.add(core, "slurm_jobs_age_seconds", Labels.EMPTY, age / MILLIS);
    }
    if (isKnown) {
      out.add(core, "slurm_jobs_left_out", Labels.EMPTY, now.leftOut());
      out.add(core, "slurm_jobs_damaged", Labels.EMPTY, now.damaged());
      now.series().forEach(job -> out.add(core, job, 1));
    }
  }

  @Override
  public void close() {
    squeue.close();
  }
}
