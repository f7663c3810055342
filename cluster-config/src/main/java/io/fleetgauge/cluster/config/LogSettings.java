package io.fleetgauge.cluster.config;

import io.fleetgauge.cluster.config.key.ConfigReader;
import io.fleetgauge.cluster.config.key.Key;
import io.fleetgauge.cluster.config.key.KeyType;

/**
 * How a process logs to its standard output.
 *
 * @param format {@code log.format}
 * @param level {@code log.level}: the least severe level that is written
 */
public record LogSettings(Format format, Level level) {
  /** The shape of a line. */
  public enum Format {
    TEXT,
    JSON
  }

  /** How severe a line is. */
  public enum Level {
    DEBUG,
    INFO,
    WARN,
    ERROR
  }

  private static final Key<Format> FORMAT =
      Key.of(
          "log.format",
          KeyType.choice(Format.class),
          Format.TEXT,
          "Shape of a log line on standard output.");
  private static final Key<Level> LEVEL =
      Key.of(
          "log.level",
          KeyType.choice(Level.class),
          Level.INFO,
          "Least severe level that is logged.");

  static LogSettings read(ConfigReader in) {
    return new LogSettings(in.get(FORMAT), in.get(LEVEL));
  }
}
