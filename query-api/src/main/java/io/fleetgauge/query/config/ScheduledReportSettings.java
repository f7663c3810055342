package io.fleetgauge.query.config;

import io.fleetgauge.promql.expr.Matcher;
import io.fleetgauge.promql.syntax.ParseException;
import io.fleetgauge.promql.syntax.Parser;
import io.fleetgauge.runtime.config.AccessSettings;
import io.fleetgauge.runtime.key.ConfigReader;
import io.fleetgauge.runtime.key.Key;
import io.fleetgauge.runtime.key.KeyType;
import java.net.URI;
import java.nio.file.Path;
import java.time.DateTimeException;
import java.time.Duration;
import java.time.ZoneId;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;

/**
 * A report that is made again and again, and where it goes.
 *
 * @param name of the section below {@code report.scheduled}
 * @param every {@code every}
 * @param zone {@code zone}
 * @param by {@code by}
 * @param matchers {@code match}; empty for everything
 * @param format {@code format}
 * @param folder {@code folder}
 * @param url {@code url}
 * @param timeout {@code timeout}
 * @param secret {@code secretFile}
 * @param access credentials that are shown to the receiver
 */
public record ScheduledReportSettings(
    String name,
    Every every,
    ZoneId zone,
    List<String> by,
    List<Matcher> matchers,
    Format format,
    Optional<Path> folder,
    Optional<URI> url,
    Duration timeout,
    Optional<Path> secret,
    AccessSettings access) {
  /** The period of a report. */
  public enum Every {
    DAY,
    /** From Monday to Sunday. */
    WEEK,
    MONTH
  }

  /** The form of a report. */
  public enum Format {
    CSV,
    JSON,
    HTML
  }

  private static final String SECTION = "report.scheduled";
  private static final ZoneId UTC = ZoneId.of("UTC");
  private static final int MOST = 100;

  private static final Key<Every> EVERY =
      Key.of("every", KeyType.choice(Every.class), Every.MONTH, "Period of the report.");
  private static final Key<ZoneId> ZONE =
      Key.of(
          "zone",
          KeyType.form(
              "time zone",
              "the name of a time zone such as Europe/Berlin",
              ZoneId::getId,
              ScheduledReportSettings::zone),
          UTC,
          "Time zone in which periods begin at midnight.");
  private static final Key<List<String>> BY =
      Key.of(
          "by",
          KeyType.listOf(KeyType.text(), 0),
          List.of(),
          "Labels to group by, by the names of `docs/report.md`; without any, `namespace`, `pod`"
              + " and `container`.");
  private static final Key<List<Matcher>> MATCH =
      Key.of(
          "match",
          KeyType.form(
              "selector",
              "a selector such as {tenant=\"physics\"}",
              ScheduledReportSettings::text,
              ScheduledReportSettings::matchers),
          List.of(),
          "Selector of labels of owners and GPUs that the report is of; everything without it.");
  private static final Key<Format> FORMAT =
      Key.of("format", KeyType.choice(Format.class), Format.CSV, "Form of the report.");
  private static final Key<Path> FOLDER =
      Key.optional(
          "folder",
          KeyType.path(),
          "Folder in which the report is written as `NAME-PERIOD.FORMAT`. All query APIs need to"
              + " see the same one: a report whose file is there is not made again.");
  private static final Key<URI> URL =
      FaultReceiverSettings.url("Address to which the report is sent by POST.");

  public ScheduledReportSettings {
    by = List.copyOf(by);
    matchers = List.copyOf(matchers);
  }

  /** A report with every default, which goes to a folder. */
  public static ScheduledReportSettings toFolder(String name, Every every, Path folder) {
    return new ScheduledReportSettings(
        name,
        every,
        UTC,
        List.of(),
        List.of(),
        Format.CSV,
        Optional.of(folder),
        Optional.empty(),
        FaultReceiverSettings.TIMEOUT.fallback().orElseThrow(),
        Optional.empty(),
        AccessSettings.NONE);
  }

  static List<ScheduledReportSettings> read(ConfigReader in) {
    List<ScheduledReportSettings> all = new ArrayList<>();
    for (String name : in.plainNames(SECTION, MOST)) {
      all.add(read(in, name));
    }
    return List.copyOf(all);
  }

  private static ScheduledReportSettings read(ConfigReader in, String name) {
    String section = SECTION + "." + name;
    ScheduledReportSettings settings =
        new ScheduledReportSettings(
            name,
            in.get(EVERY.in(section)),
            in.get(ZONE.in(section)),
            in.get(BY.in(section)),
            in.get(MATCH.in(section)),
            in.get(FORMAT.in(section)),
            in.find(FOLDER.in(section)),
            in.find(URL.in(section)),
            in.get(FaultReceiverSettings.TIMEOUT.in(section)),
            in.find(FaultReceiverSettings.SECRET.in(section)),
            AccessSettings.read(in, section, "the receiver"));
    if (!in.has(FOLDER.in(section)) && !in.has(URL.in(section))) {
      in.problem(section + ": folder or url is needed");
    }
    return settings;
  }

  private static Optional<ZoneId> zone(String text) {
    try {
      return Optional.of(ZoneId.of(text));
    } catch (DateTimeException e) {
      return Optional.empty();
    }
  }

  private static String text(List<Matcher> matchers) {
    return matchers.stream().map(Matcher::toString).collect(Collectors.joining(",", "{", "}"));
  }

  private static Optional<List<Matcher>> matchers(String text) {
    try {
      return Optional.of(List.copyOf(Parser.parseSelector(text)));
    } catch (ParseException e) {
      return Optional.empty();
    }
  }
}
