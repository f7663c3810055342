package io.fleetgauge.query.faults.record;

import io.fleetgauge.query.faults.episode.Episode;
import io.fleetgauge.sample.Labels;
import io.fleetgauge.sample.Series;
import io.fleetgauge.sample.Staleness;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * An episode as it was stored last.
 *
 * @param episode over if its newest sample says so
 * @param labels of its newest series, without {@code details}
 * @param told the time of the first sample of this version, ms since the epoch
 * @param last the time of the last one
 */
public record StoredEpisode(Episode episode, Labels labels, long told, long last) {
  /** The host with whose samples it is kept. */
  public String home() {
    return labels.value("Hostname");
  }

  /**
   * The newest versions of the episodes that series tell.
   *
   * @param series of {@link FaultSeries#EPISODE}
   */
  public static List<StoredEpisode> of(List<Series> series) {
    Map<String, Version> newest = new HashMap<>();
    for (Series each : series) {
      Version version = Version.of(each);
      if (version != null) {
        newest.merge(version.labels.value(FaultSeries.ID), version, (a, b) -> b.isAfter(a) ? b : a);
      }
    }
    List<StoredEpisode> all = new ArrayList<>();
    for (Version each : newest.values()) {
      Optional<Episode> read = EpisodeForm.read(each.labels.value(FaultSeries.DETAILS));
      read.ifPresent(
          episode ->
              all.add(
                  new StoredEpisode(
                      episode, each.labels.without(FaultSeries.DETAILS), each.first, each.last)));
    }
    return all;
  }

  private record Version(Labels labels, long first, long last, boolean isOver) {
    /** Null for a series without a number. */
    static Version of(Series series) {
      long first = Long.MIN_VALUE;
      long last = Long.MIN_VALUE;
      double value = 1;
      for (int i = 0; i < series.size(); i++) {
        if (!Staleness.isMarker(series.values()[i])) {
          first = first == Long.MIN_VALUE ? series.times()[i] : first;
          last = series.times()[i];
          value = series.values()[i];
        }
      }
      return last == Long.MIN_VALUE ? null : new Version(series.labels(), first, last, value == 0);
    }

    /** Two versions of one time: what is over stays so. */
    boolean isAfter(Version other) {
      return last != other.last ? last > other.last : isOver && !other.isOver;
    }
  }
}
