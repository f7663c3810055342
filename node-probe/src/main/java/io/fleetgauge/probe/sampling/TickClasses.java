package io.fleetgauge.probe.sampling;

import io.fleetgauge.probe.config.TickSettings;
import java.time.Duration;
import java.util.Map;
import java.util.stream.Collectors;

/**
 * Which series are read how often.
 *
 * @param core read at every tick
 * @param other read less often: what changes slowly or costs more
 * @param constant what does not change while a driver is loaded, such as its version
 * @param chosen classes of single metrics, or of all metrics of single readers, by name
 */
public record TickClasses(
    TickClass core, TickClass other, TickClass constant, Map<String, TickClass> chosen) {

  public static TickClasses of(TickSettings settings) {
    return new TickClasses(
        new TickClass(settings.tick()),
        new TickClass(longer(settings.other(), settings.tick())),
        new TickClass(longer(settings.constant(), settings.tick())),
        settings.chosen().entrySet().stream()
            .collect(
                Collectors.toUnmodifiableMap(
                    Map.Entry::getKey,
                    entry -> new TickClass(longer(entry.getValue(), settings.tick())))));
  }

  private static Duration longer(Duration period, Duration tick) {
    return period.compareTo(tick) > 0 ? period : tick;
  }

  /**
   * The class of a metric: that which was chosen for the metric, else for the reader, else the
   * usual one.
   */
  public TickClass of(String reader, String metric, TickClass usual) {
    TickClass ofMetric = chosen.get(metric);
    return ofMetric != null ? ofMetric : chosen.getOrDefault(reader, usual);
  }
}
