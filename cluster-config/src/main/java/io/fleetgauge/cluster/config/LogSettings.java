package io.fleetgauge.cluster.config;

import io.fleetgauge.cluster.config.key.ConfigReader;

/**
 * How a process logs to its standard output.
 *
 * @param format {@code log.format}: text or json
 * @param level {@code log.level}: the least that is written
 */
public record LogSettings(Format format, Level level) {
  /** The shape of a line. */
  public enum Format {
    TEXT,
    JSON
  }

  /** How grave a line is. */
  public enum Level {
    DEBUG,
    INFO,
    WARN,
    ERROR
  }

  static LogSettings read(ConfigReader in) {
    return new LogSettings(
        in.choice("log.format", Format.class, Format.TEXT),
        in.choice("log.level", Level.class, Level.INFO));
  }
}
