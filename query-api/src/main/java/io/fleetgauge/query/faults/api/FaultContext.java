package io.fleetgauge.query.faults.api;

import io.fleetgauge.promql.expr.Matcher;
import io.fleetgauge.promql.query.Selection;
import io.fleetgauge.query.faults.episode.Episode;
import io.fleetgauge.query.faults.record.StoredEpisode;
import io.fleetgauge.sample.Labels;
import io.fleetgauge.sample.Series;
import io.fleetgauge.sample.Staleness;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * What the probe has recorded around the beginning of an episode.
 *
 * @param lines of the kernel log, the oldest first
 * @param windows recordings of one reading a second
 */
public record FaultContext(List<Line> lines, List<Window> windows) {
  public static final FaultContext NONE = new FaultContext(List.of(), List.of());

  private static final String LINES = "gpu_kernel_line_info";
  private static final String WINDOWS = "gpu_fault_window_timestamp_seconds";
  private static final long BEFORE_MILLIS = 120_000;
  private static final long AFTER_MILLIS = 600_000;
  private static final int MOST_LINES = 20;

  /**
   * A line of the kernel log.
   *
   * @param time when it was seen first in this time, ms since the epoch
   * @param count how often it was seen since the probe started
   */
  public record Line(long time, long count, String kind, String text) {
    private Line and(Line other) {
      return new Line(Math.min(time, other.time), Math.max(count, other.count), kind, text);
    }
  }

  /**
   * A recording.
   *
   * @param fault by which its series are known
   * @param time of the fault, ms since the epoch
   */
  public record Window(String fault, String kind, long time) {}

  /** The two selections that {@link #of} needs. */
  public static List<Selection> selections(StoredEpisode of) {
    long from = of.episode().since() - BEFORE_MILLIS;
    long to = of.episode().foundAt() + AFTER_MILLIS;
    return List.of(selection(LINES, of.home(), from, to), selection(WINDOWS, of.home(), from, to));
  }

  private static Selection selection(String metric, String host, long from, long to) {
    return new Selection(
        List.of(Matcher.equal(Labels.NAME, metric), Matcher.equal("Hostname", host)), from, to);
  }

  /**
   * @param read what the two selections gave
   */
  public static FaultContext of(Episode episode, List<List<Series>> read) {
    List<Series> lines = read.get(0);
    List<Series> windows = read.get(1);
    // A line has several series while its GPU changes hands.
    Map<String, Line> byText = new HashMap<>();
    for (Series each : lines) {
      int newest = last(each);
      if (newest >= 0 && isOf(episode, each.labels())) {
        Line line =
            new Line(
                first(each),
                (long) each.values()[newest],
                each.labels().value("kind"),
                each.labels().value("line"));
        byText.merge(line.kind + " " + line.text, line, Line::and);
      }
    }
    List<Line> inOrder = new ArrayList<>(byText.values());
    inOrder.sort(Comparator.comparingLong(Line::time).thenComparing(Line::text));
    List<Window> recorded = new ArrayList<>();
    for (Series each : windows) {
      int newest = last(each);
      if (newest >= 0) {
        long time = Math.round(each.values()[newest] * 1e3);
        boolean isAround =
            time >= episode.since() - BEFORE_MILLIS && time <= episode.foundAt() + AFTER_MILLIS;
        if (isAround && isOf(episode, each.labels())) {
          recorded.add(new Window(each.labels().value("fault"), each.labels().value("kind"), time));
        }
      }
    }
    recorded.sort(Comparator.comparingLong(Window::time).thenComparing(Window::fault));
    return new FaultContext(
        inOrder.subList(0, Math.min(MOST_LINES, inOrder.size())), List.copyOf(recorded));
  }

  /** A series of another GPU says nothing of an episode of one. */
  private static boolean isOf(Episode episode, Labels labels) {
    String uuid = labels.value("UUID");
    return uuid.isEmpty()
        || episode.subject().uuid().isEmpty()
        || uuid.equals(episode.subject().uuid());
  }

  /** The lines themselves. */
  public List<String> texts() {
    return lines.stream().map(Line::text).toList();
  }

  /** The time of the first number of a series that has one. */
  private static long first(Series of) {
    int i = 0;
    while (Staleness.isMarker(of.values()[i])) {
      i++;
    }
    return of.times()[i];
  }

  private static int last(Series of) {
    for (int i = of.size() - 1; i >= 0; i--) {
      if (!Staleness.isMarker(of.values()[i])) {
        return i;
      }
    }
    return -1;
  }
}
