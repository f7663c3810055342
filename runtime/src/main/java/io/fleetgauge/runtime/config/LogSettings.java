package io.fleetgauge.runtime.config;

import io.fleetgauge.runtime.key.ConfigReader;
import io.fleetgauge.runtime.key.Key;
import io.fleetgauge.runtime.key.KeyType;

/**
 * Settings of the log of a process on its standard output.
 *
 * @param format {@code log.format}
 * @param level {@code log.level}: the least severe level that is written
 * @param linesPerMinute {@code log.linesPerMinute}
 */
public record LogSettings(Format format, Level level, int linesPerMinute) {
  /** The shape of a line. */
  public enum Format {
    TEXT,
    JSON
  }

  /** The severity of a line. */
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
          "Format of log lines on standard output.");
  private static final Key<Level> LEVEL =
      Key.of("log.level", KeyType.choice(Level.class), Level.INFO, "Minimum level that is logged.");
  private static final Key<Integer> LINES_PER_MINUTE =
      Key.of(
          "log.linesPerMinute",
          KeyType.integer(1, 1_000_000),
          30,
          "Maximum number of lines of one kind in a minute. Lines are of one kind when they come"
              + " from one place and differ in names and numbers only. Further lines are counted,"
              + " and a line says how many there were.");

  /** As many lines as by default. */
  public LogSettings(Format format, Level level) {
    this(format, level, LINES_PER_MINUTE.fallback().orElseThrow());
  }

  public static LogSettings read(ConfigReader in) {
    return new LogSettings(in.get(FORMAT), in.get(LEVEL), in.get(LINES_PER_MINUTE));
  }
}
