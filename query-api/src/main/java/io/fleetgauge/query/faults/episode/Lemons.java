package io.fleetgauge.query.faults.episode;

import io.fleetgauge.query.faults.detect.Subject;
import io.fleetgauge.query.faults.detect.Suspect;
import io.fleetgauge.sample.Labels;
import io.fleetgauge.sample.gpu.FaultKind;
import io.fleetgauge.sample.gpu.Severity;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * Hosts and GPUs that have faults again and again. Each episode adds to the score of its GPU and of
 * its host by its severity and kind, and half of a score is gone after {@link #HALF_LIFE}: a score
 * is told by the last one and what has begun since, and an episode of 30 days ago still counts for
 * a twentieth. Not for several threads.
 *
 * <p>What an application may do to any GPU, and what is told of a job as a whole, counts little: a
 * lemon has faults under the jobs of whoever comes.
 */
public final class Lemons {
  /** The series that scores are stored as, of a host or GPU. */
  public static final String SERIES = "gpu_lemon_score";

  /** Half of a score is gone after this time, ms: 7 days. */
  public static final double HALF_LIFE = 7 * 86_400_000.0;

  private static final double CRITICAL = 10;
  private static final double WARNING = 3;
  private static final double SUSPECT = 2;

  /** Episodes of one kind add less and less: a link that flaps is one fault. */
  private static final double AGAIN = 0.5;

  /** More than one critical fault of one kind, or several others, within some days. */
  private static final double REPEATED = 12;

  /** A score below this is none. */
  private static final double LEAST = 0.01;

  private final Map<Place, Score> scores = new HashMap<>();

  /** A host, or a GPU of it. */
  private record Place(String host, String uuid) {}

  private static final class Score {
    Labels labels = Labels.EMPTY;
    double value;
    long at;
    int episodes;
    final Map<FaultKind, Double> ofKind = new HashMap<>();
    final Map<FaultKind, Integer> kinds = new TreeMap<>();

    /** Goes on to a time. */
    void age(long time) {
      if (time > at) {
        double left = at == 0 ? 1 : Math.pow(0.5, (time - at) / HALF_LIFE);
        value *= left;
        ofKind.replaceAll((kind, weight) -> weight * left);
        at = time;
      }
    }
  }

  /**
   * A host or GPU with its score.
   *
   * @param uuid empty for the host as a whole
   * @param labels such as {@code rack} and {@code gpu}
   * @param episodes that were counted since the scores were begun or restored
   * @param kinds how many of each kind
   */
  public record Lemon(
      String host,
      String uuid,
      Labels labels,
      double score,
      int episodes,
      Map<FaultKind, Integer> kinds) {}

  /**
   * Goes on from a stored score.
   *
   * @param uuid empty for the host as a whole
   * @param labels of the host or GPU
   * @param time of the stored score, ms since the epoch
   */
  public void restore(String host, String uuid, Labels labels, double value, long time) {
    Score score = scores.computeIfAbsent(new Place(host, uuid), none -> new Score());
    score.labels = labels;
    score.value = value;
    score.at = time;
  }

  /** Counts an episode, once, when it has begun. */
  public void add(Episode episode) {
    if (episode.shadow()) {
      return;
    }
    Subject subject = episode.subject();
    if (!subject.host().isEmpty()) {
      double weight = weight(episode);
      add(
          subject.host(),
          "",
          subject.labels().without(List.of("gpu", "modelName")),
          episode,
          weight);
      if (!subject.uuid().isEmpty()) {
        add(subject.host(), subject.uuid(), subject.labels(), episode, weight);
      }
    } else if (!episode.suspects().isEmpty()) {
      Suspect first = episode.suspects().getFirst();
      add(first.host(), "", Labels.EMPTY, episode, SUSPECT);
      if (!first.uuid().isEmpty()) {
        add(first.host(), first.uuid(), Labels.EMPTY, episode, SUSPECT);
      }
    }
  }

  private void add(String host, String uuid, Labels labels, Episode episode, double weight) {
    if (weight == 0) {
      return;
    }
    Score score = scores.computeIfAbsent(new Place(host, uuid), none -> new Score());
    score.age(episode.since());
    double late = Math.pow(0.5, Math.max(0, score.at - episode.since()) / HALF_LIFE);
    double before = score.ofKind.getOrDefault(episode.kind(), 0.0);
    double adds = late * Math.max(weight * AGAIN * AGAIN, weight - before * AGAIN);
    score.value += adds;
    score.ofKind.merge(episode.kind(), adds, Double::sum);
    score.episodes++;
    score.kinds.merge(episode.kind(), 1, Integer::sum);
    score.labels = labels.isEmpty() ? score.labels : labels;
  }

  /** How much an episode says about its GPU or host. */
  private static double weight(Episode episode) {
    return switch (episode.kind()) {
      // An application or its owner does this to any GPU.
      case XID_APPLICATION, IDLE_ALLOCATION, MEMORY_LEAK, UTILISATION_DROP -> 0;
      // Another episode counts for the same, or it comes from outside of the node.
      case RECOVERY_ACTION, GPU_MISSING, HOST_SILENT, MEMORY_UNOWNED -> WARNING;
      default ->
          episode.severity() == Severity.CRITICAL
              ? CRITICAL
              : episode.severity() == Severity.WARNING ? WARNING : 1;
    };
  }

  /** All that have a score at a time, the worst first. */
  public List<Lemon> at(long time) {
    List<Lemon> all = new ArrayList<>();
    scores.values().forEach(each -> each.age(time));
    scores.values().removeIf(each -> each.value < LEAST);
    scores.forEach(
        (place, score) ->
            all.add(
                new Lemon(
                    place.host,
                    place.uuid,
                    score.labels,
                    score.value,
                    score.episodes,
                    new TreeMap<>(score.kinds))));
    all.sort(
        Comparator.comparingDouble(Lemon::score)
            .reversed()
            .thenComparing(Lemon::host)
            .thenComparing(Lemon::uuid));
    return all;
  }

  /** Those with several faults that are bad enough together to look at the board or node. */
  public List<Lemon> repeated(long time) {
    return at(time).stream().filter(each -> each.score > REPEATED).toList();
  }
}
