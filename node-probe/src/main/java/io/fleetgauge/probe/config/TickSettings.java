package io.fleetgauge.probe.config;

import io.fleetgauge.runtime.key.ConfigReader;
import io.fleetgauge.runtime.key.Key;
import io.fleetgauge.runtime.key.KeyType;
import java.time.Duration;
import java.util.Map;
import java.util.TreeMap;

/**
 * Intervals at which a probe reads.
 *
 * @param tick {@code tick}: time between two ticks
 * @param other {@code ticks.other}
 * @param constant {@code ticks.static}
 * @param chosen {@code ticks.of}, by the name of a metric or of a reader
 */
public record TickSettings(
    Duration tick, Duration other, Duration constant, Map<String, Duration> chosen) {
  private static final Duration SHORTEST = Duration.ofSeconds(1);
  private static final Duration LONGEST = Duration.ofDays(1);

  private static final Key<Duration> TICK =
      Key.of(
          "tick",
          KeyType.duration(SHORTEST, Duration.ofMinutes(5)),
          Duration.ofSeconds(15),
          "Interval between readings of the most important metrics.");
  private static final Key<Duration> OTHER =
      Key.of(
          "ticks.other",
          KeyType.duration(SHORTEST, LONGEST),
          Duration.ofSeconds(30),
          "Interval between readings of other metrics, which change slowly or cost more to"
              + " read; at least `tick`.");
  private static final Key<Duration> STATIC =
      Key.of(
          "ticks.static",
          KeyType.duration(SHORTEST, LONGEST),
          Duration.ofHours(1),
          "Interval between readings of metrics that hardly ever change, such as versions; the last"
              + " reading is sent again every 4 minutes.");

  /** The defaults, with another tick. */
  public static TickSettings every(Duration tick) {
    return new TickSettings(
        tick, OTHER.fallback().orElseThrow(), STATIC.fallback().orElseThrow(), Map.of());
  }

  static TickSettings read(ConfigReader in) {
    Map<String, Duration> chosen = new TreeMap<>();
    for (String name : in.names("ticks.of", "NAME")) {
      Key<Duration> key =
          Key.optional(
              "ticks.of." + name,
              KeyType.duration(SHORTEST, LONGEST),
              "Interval between readings of the metric of that name, or of all metrics of the"
                  + " reader of that name.");
      in.find(key).ifPresent(period -> chosen.put(name, period));
    }
    return new TickSettings(in.get(TICK), in.get(OTHER), in.get(STATIC), Map.copyOf(chosen));
  }
}
