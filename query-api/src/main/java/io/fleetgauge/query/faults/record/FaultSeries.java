package io.fleetgauge.query.faults.record;

import io.fleetgauge.query.faults.detect.Verdict;
import io.fleetgauge.query.faults.episode.Episode;
import io.fleetgauge.query.faults.episode.Lemons;
import io.fleetgauge.sample.Labels;
import io.fleetgauge.sample.gpu.OwnerLabels;
import java.util.Set;

/** The series in which episodes are stored. */
public final class FaultSeries {
  public static final String ACTIVE = "gpu_fault_active";
  public static final String EPISODE = "gpu_fault_episode";
  public static final String TOTAL = "gpu_fault_episodes_total";
  public static final String DELIVERED = "gpu_fault_delivered";
  public static final String EVALUATED = "gpu_fault_evaluated_timestamp_seconds";
  public static final String LEMON = Lemons.SERIES;
  public static final String VERDICT = "gpu_job_verdict";

  public static final String ID = "episode";
  static final String DETAILS = "details";
  public static final String RECEIVER = "receiver";

  private static final String HOST = "Hostname";
  private static final String UUID = "UUID";

  /** Labels that change while the same job has a GPU, and say nothing of the fault. */
  private static final Set<String> CHANGING = Set.of("pid", "process_name");

  private static final int MAX_REASON = 300;

  private FaultSeries() {}

  /** Labels of the series that says that an episode is open. */
  public static Labels active(Episode of, String home) {
    Labels labels = common(of, home).with(Labels.NAME, ACTIVE);
    labels = labels.with("cause", of.cause()).with("part", of.subject().part());
    return of.shadow() ? labels.with("shadow", "true") : labels;
  }

  /** Labels of a series that tells an episode. */
  public static Labels episode(Episode of, String home) {
    return common(of, home)
        .with(Labels.NAME, EPISODE)
        .with(ID, of.id())
        .with(DETAILS, EpisodeForm.write(of));
  }

  /** Labels of the counter of the episodes like this one. */
  public static Labels total(Episode of, String home) {
    return Labels.of(
        Labels.NAME,
        TOTAL,
        HOST,
        home,
        UUID,
        of.subject().uuid(),
        "kind",
        of.kind().text(),
        "severity",
        of.severity().text());
  }

  /**
   * Labels of the series that says what a receiver has taken of an episode.
   *
   * @param state of the episode, as it was told
   */
  public static Labels delivered(Episode of, String home, String receiver, String state) {
    return Labels.of(
        Labels.NAME, DELIVERED, HOST, home, ID, of.id(), RECEIVER, receiver, "state", state);
  }

  /**
   * Labels of a verdict on a job.
   *
   * @param owner labels that all its GPUs share
   * @param home the first of its hosts
   */
  public static Labels verdict(String job, Labels owner, String home, Verdict of) {
    Labels labels = owner.without(CHANGING);
    return (labels.value("job").isEmpty() ? labels.with("job", job) : labels)
        .with(Labels.NAME, VERDICT)
        .with(HOST, home)
        .with("kind", of.kind().text())
        .with("verdict", of.state().text())
        .with("reason", of.reason().substring(0, Math.min(MAX_REASON, of.reason().length())));
  }

  /** Labels of the score of a host or GPU, whoever has it. */
  public static Labels lemon(Lemons.Lemon of) {
    return of.labels()
        .without(OwnerLabels.KNOWN)
        .with(Labels.NAME, LEMON)
        .with(HOST, of.host())
        .with(UUID, of.uuid());
  }

  /**
   * The host with whose samples those of an episode are kept: its own; for a job's, that of the
   * first suspect.
   *
   * @param first the first host of its job; empty if it is not known
   */
  public static String home(Episode of, String first) {
    if (!of.subject().host().isEmpty()) {
      return of.subject().host();
    }
    return of.suspects().isEmpty() || of.suspects().getFirst().host().isEmpty()
        ? first
        : of.suspects().getFirst().host();
  }

  private static Labels common(Episode of, String home) {
    Labels labels = of.subject().labels().without(CHANGING);
    if (!of.subject().job().isEmpty() && labels.value("job").isEmpty()) {
      labels = labels.with("job", of.subject().job());
    }
    return labels
        .with(HOST, home)
        .with(UUID, of.subject().uuid())
        .with("kind", of.kind().text())
        .with("severity", of.severity().text());
  }
}
