package io.fleetgauge.query.config;

import io.fleetgauge.runtime.key.ConfigReader;
import io.fleetgauge.runtime.key.Key;
import io.fleetgauge.runtime.key.KeyType;
import io.fleetgauge.sample.relabel.Relabelling;
import java.time.Duration;
import java.util.List;

/**
 * Where alerts are sent.
 *
 * @param queue {@code rules.notifications.queue}
 * @param batch {@code rules.notifications.batch}
 * @param drain {@code rules.notifications.drain}
 * @param relabelling {@code rules.notifications.relabel}
 * @param alertmanagers {@code rules.alertmanagers}
 */
public record NotificationSettings(
    int queue,
    int batch,
    Duration drain,
    Relabelling relabelling,
    List<AlertmanagerSettings> alertmanagers) {
  private static final Key<Integer> QUEUE =
      Key.of(
          "rules.notifications.queue",
          KeyType.integer(1, 1_000_000),
          10_000,
          "Maximum number of alerts in the queue of each Alertmanager; above it the oldest are"
              + " dropped and counted. Of each alert only the newest state is queued.");
  private static final Key<Integer> BATCH =
      Key.of(
          "rules.notifications.batch",
          KeyType.integer(1, 10_000),
          256,
          "Maximum number of alerts of a request to an Alertmanager.");
  private static final Key<Duration> DRAIN =
      Key.of(
          "rules.notifications.drain",
          KeyType.duration(Duration.ZERO, Duration.ofMinutes(1)),
          Duration.ofSeconds(5),
          "Maximum time that this process, when it stops, spends on sending queued alerts.");
  private static final Key<Relabelling> RELABEL =
      Key.of(
          "rules.notifications.relabel",
          KeyType.relabelling(),
          Relabelling.NONE,
          "Rules that change the labels of alerts, or drop alerts, before they are sent, as"
              + " `alert_relabel_configs` of Prometheus does.");

  public NotificationSettings {
    alertmanagers = List.copyOf(alertmanagers);
  }

  /** Every default, with these Alertmanagers. */
  public static NotificationSettings to(List<AlertmanagerSettings> alertmanagers) {
    return new NotificationSettings(
        QUEUE.fallback().orElseThrow(),
        BATCH.fallback().orElseThrow(),
        DRAIN.fallback().orElseThrow(),
        Relabelling.NONE,
        alertmanagers);
  }

  public static NotificationSettings read(ConfigReader in) {
    return new NotificationSettings(
        in.get(QUEUE),
        in.get(BATCH),
        in.get(DRAIN),
        in.get(RELABEL),
        AlertmanagerSettings.read(in));
  }
}
