package io.fleetgauge.operator.faults;

import io.fleetgauge.runtime.terminal.Figures;
import io.fleetgauge.runtime.terminal.Paragraph;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.Locale;
import java.util.stream.Collectors;

/** Faults for people. */
public final class FaultText {
  private static final DateTimeFormatter TIME =
      DateTimeFormatter.ofPattern("yyyy-MM-dd HH:mm:ss", Locale.ROOT).withZone(ZoneOffset.UTC);

  private FaultText() {}

  static String time(JsonObject fault, String field) {
    Instant time = fault.getInstant(field);
    return time == null ? Figures.UNKNOWN : TIME.format(time);
  }

  /** Since when it lasts, ms since the epoch. */
  static long since(JsonObject fault) {
    return fault.getInstant("since").toEpochMilli();
  }

  /** When it was over, ms since the epoch; another value while it is open. */
  static long over(JsonObject fault, long otherwise) {
    Instant over = fault.getInstant("overAt");
    return over == null ? otherwise : over.toEpochMilli();
  }

  /** What it is of: host, GPU and part. */
  static String place(JsonObject fault) {
    String host = fault.getString("host", "");
    String gpu = fault.getString("gpu", "");
    String part = fault.getString("part", "");
    return (host.isEmpty() ? "all hosts" : host)
        + (gpu.isEmpty() ? "" : " GPU " + gpu)
        + (part.isEmpty() ? "" : " " + part);
  }

  static String job(JsonObject fault) {
    return fault.getString("job", "");
  }

  /** How long it has lasted, ms. */
  static long lasted(JsonObject fault, long now) {
    return over(fault, now) - since(fault);
  }

  static boolean isOpen(JsonObject fault) {
    return fault.getString("state", "").equals("open");
  }

  /** One line for each time that an episode begins, tells more or is over. */
  public static String line(JsonObject fault) {
    String state = isOpen(fault) ? fault.getString("severity") : "over";
    String cause = fault.getString("cause", "");
    return Paragraph.plain(
            "%s  %-8s  %s%s  %s%s  %s"
                .formatted(
                    time(fault, isOpen(fault) ? "since" : "overAt"),
                    state,
                    fault.getString("kind"),
                    cause.isEmpty() ? "" : " (" + cause + ")",
                    place(fault),
                    job(fault).isEmpty() ? "" : "  job " + job(fault),
                    isOpen(fault)
                        ? fault.getString("text", "")
                        : fault.getString("overReason", "")))
        + "\n";
  }

  /** A verdict of the detector of a kind of fault on a job. */
  static String verdict(JsonObject of) {
    StringBuilder out = new StringBuilder();
    String state = of.getString("verdict", "").replace('_', ' ');
    add(out, of.getString("kind"), state + ": " + of.getString("reason"));
    return out.toString();
  }

  /** All that is known of a fault. */
  static String paragraphs(JsonObject fault, long now) {
    StringBuilder out = new StringBuilder();
    out.append(
        "\n%s: %s%s\n"
            .formatted(
                fault.getString("severity", "").toUpperCase(Locale.ROOT),
                fault.getString("title", fault.getString("kind")),
                fault.getBoolean("shadow", false) ? " (shadow mode: not alerted)" : ""));
    add(out, "where", place(fault) + (job(fault).isEmpty() ? "" : ", job " + job(fault)));
    add(
        out,
        "since",
        time(fault, "since")
            + " UTC, "
            + (isOpen(fault) ? "for " : "over after ")
            + Figures.durationOf(lasted(fault, now))
            + (isOpen(fault) ? "" : " (" + fault.getString("overReason", "") + ")"));
    add(out, "seen", fault.getString("text", ""));
    add(out, "cause", fault.getString("cause", ""));
    add(out, "likely because of", fault.getString("suspectedCause", ""));
    for (JsonObject each : objects(fault, "evidence")) {
      add(out, "evidence", evidence(each));
    }
    int place = 1;
    for (JsonObject each : objects(fault, "suspects")) {
      add(out, "suspect " + place++, suspect(each));
    }
    for (JsonObject each : objects(fault, "kernelLines")) {
      long count = each.getLong("count", 1L);
      add(out, "kernel", each.getString("line", "") + (count > 1 ? " (" + count + " times)" : ""));
    }
    add(out, "means", fault.getString("meaning", ""));
    add(out, "do", fault.getString("action", ""));
    for (JsonObject each : objects(fault, "windows")) {
      add(out, "readings", "one a second around it: " + each.getString("query", ""));
    }
    add(
        out,
        "related",
        fault.getJsonArray("related", new JsonArray()).stream()
            .map(String::valueOf)
            .collect(Collectors.joining(", ")));
    return out.toString();
  }

  private static Iterable<JsonObject> objects(JsonObject fault, String field) {
    return fault.getJsonArray(field, new JsonArray()).stream().map(JsonObject.class::cast)
        ::iterator;
  }

  private static String evidence(JsonObject each) {
    String what = each.getString("what", "");
    Number before = each.getNumber("before");
    Number now = each.getNumber("now");
    return what
        + ": "
        + (before == null ? "" : "%.4g before, ".formatted(before.doubleValue()))
        + (now == null ? "none now" : "%.4g now".formatted(now.doubleValue()));
  }

  private static String suspect(JsonObject each) {
    Integer rank = each.getInteger("rank");
    String uuid = each.getString("UUID", "");
    return each.getString("host", "")
        + (uuid.isEmpty() ? "" : " " + uuid)
        + (rank == null ? "" : ", rank " + rank)
        + ": "
        + each.getString("why", "");
  }

  private static void add(StringBuilder out, String name, String text) {
    if (!text.isEmpty()) {
      out.append(Paragraph.wrapped(2, "%-11s %s".formatted(name, Paragraph.plain(text)), 14));
    }
  }
}
