package io.fleetgauge.operator.report;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import picocli.CommandLine.Option;

/** Parameters that all reports have. */
final class ReportOptions {
  @Option(
      names = "--from",
      paramLabel = "TIME",
      description =
          "Start: seconds since the epoch, or RFC 3339 such as 2026-11-01T00:00:00Z. Default: 24"
              + " hours before --to.")
  private String from = "";

  @Option(
      names = "--to",
      paramLabel = "TIME",
      description = "End, in the same forms. Default: now.")
  private String to = "";

  @Option(
      names = "--match",
      paramLabel = "SELECTOR",
      description = "Series to count, such as '{rack=\"r1\"}'. Default: all.")
  private String match = "";

  @Option(
      names = "--busy",
      paramLabel = "RATIO",
      description = "Least activity of a busy GPU, 0 to 1. Default: 0.05.")
  private String busy = "";

  @Option(
      names = "--high-power",
      paramLabel = "RATIO",
      description =
          "Least power of an execution-idle GPU, as a share of its power limit. Default: 0.16.")
  private String highPower = "";

  @Option(
      names = "--bridge",
      paramLabel = "DURATION",
      description =
          "Longest gap between samples of one owner that counts as allocated. Default: 1h.")
  private String bridge = "";

  @Option(
      names = "--timeout",
      paramLabel = "DURATION",
      description = "Timeout of the report. Default and maximum: query.timeout.")
  private String timeout = "";

  @Option(names = "--strict", description = "Treats a report that lacks hosts as an error.")
  private boolean strict;

  String from() {
    return from;
  }

  String to() {
    return to;
  }

  String match() {
    return match;
  }

  /** Everything but the times and the selector. */
  List<Map.Entry<String, String>> terms() {
    return List.of(
        Map.entry("busy", busy),
        Map.entry("high_power", highPower),
        Map.entry("bridge", bridge),
        Map.entry("timeout", timeout),
        Map.entry("strict", strict ? "1" : ""));
  }

  List<Map.Entry<String, String>> parameters() {
    List<Map.Entry<String, String>> all = new ArrayList<>(terms());
    all.add(Map.entry("from", from));
    all.add(Map.entry("to", to));
    all.add(Map.entry("match[]", match));
    return all;
  }
}
