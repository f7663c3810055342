package io.fleetgauge.query.report;

import io.fleetgauge.query.answer.Completeness;
import io.fleetgauge.query.answer.Reply;
import java.io.BufferedWriter;
import java.io.IOException;
import java.io.OutputStream;
import java.io.OutputStreamWriter;
import java.io.Writer;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.List;
import java.util.Locale;
import java.util.OptionalDouble;

/** A report as a page that can be printed: without scripts, and without anything from elsewhere. */
final class ReportPage {
  private static final double GIB = 1 << 30;
  private static final String HEAD =
      """
      <!DOCTYPE html>
      <html lang="en">
      <head>
      <meta charset="utf-8">
      <title>GPU memory report</title>
      <style>
      body {font: 14px/1.4 system-ui, sans-serif; margin: 2em; color: #222}
      h1 {font-size: 1.4em}
      table {border-collapse: collapse; width: 100%; font-variant-numeric: tabular-nums}
      th, td {padding: .25em .6em; border-bottom: 1px solid #ccc; text-align: left}
      th {vertical-align: bottom}
      .n {text-align: right; white-space: nowrap}
      .none {color: #777}
      .warning {border: 1px solid #b50; background: #fff4e8; padding: .5em 1em}
      tfoot td {font-weight: bold; border-top: 2px solid #222}
      tr {break-inside: avoid}
      thead {display: table-header-group}
      tfoot {display: table-row-group}
      @media print {body {margin: 0; font-size: 9pt} .warning {background: none}}
      @page {size: A4 landscape; margin: 15mm}
      </style>
      </head>
      <body>
      <h1>GPU memory report</h1>
      """;

  private ReportPage() {}

  static void write(Reply<Report> reply, OutputStream out) throws IOException {
    Writer page = new BufferedWriter(new OutputStreamWriter(out, StandardCharsets.UTF_8));
    Report report = reply.value();
    ReportQuery query = report.query();
    page.write(HEAD);
    page.write(
        "<p>From "
            + time(query.period().from())
            + " to "
            + time(query.period().to())
            + ", "
            + hosts(reply.completeness())
            + ".</p>\n");
    for (String warning : reply.warnings()) {
      page.write("<p class=\"warning\">" + escaped(warning) + "</p>\n");
    }
    page.write("<table>\n<thead><tr>");
    for (GroupKey key : query.by()) {
      page.write("<th>" + escaped(key.name()) + "</th>");
    }
    boolean manyIntervals = query.period().intervals() > 1;
    if (manyIntervals) {
      page.write("<th>From</th><th>To</th>");
    }
    for (Row.Figure figure : Row.Figure.values()) {
      page.write("<th class=\"n\">" + title(figure) + "</th>");
    }
    page.write("</tr></thead>\n<tbody>\n");
    for (Row row : report.rows()) {
      page.write("<tr>");
      for (String value : row.group()) {
        page.write(
            value.isEmpty() ? "<td class=\"none\">none</td>" : "<td>" + escaped(value) + "</td>");
      }
      figures(page, row, manyIntervals);
    }
    page.write("</tbody>\n<tfoot>\n");
    for (Row row : report.totals()) {
      page.write("<tr><td colspan=\"" + query.by().size() + "\">Total</td>");
      figures(page, row, manyIntervals);
    }
    page.write("</tfoot>\n</table>\n</body>\n</html>\n");
    page.flush();
  }

  private static void figures(Writer page, Row row, boolean withTimes) throws IOException {
    if (withTimes) {
      page.write("<td>" + time(row.from()) + "</td><td>" + time(row.to()) + "</td>");
    }
    for (Row.Figure figure : Row.Figure.values()) {
      OptionalDouble value = figure.of(row);
      page.write(
          "<td class=\"n\">"
              + (value.isPresent() ? text(figure, value.getAsDouble()) : "")
              + "</td>");
    }
    page.write("</tr>\n");
  }

  private static String title(Row.Figure figure) {
    return switch (figure) {
      case MEMORY_USED -> "Memory at the end, GiB";
      case MEMORY_PEAK -> "Peak memory, GiB";
      case MEMORY_AVERAGE -> "Average memory, GiB";
      case MEMORY_SECONDS -> "Time with memory, h";
      case UTILIZATION_AVERAGE -> "Average utilization, %";
      case UTILIZATION_PEAK -> "Peak utilization, %";
      case HOURS_ALLOCATED -> "GPU hours allocated";
      case HOURS_BUSY -> "GPU hours busy";
    };
  }

  private static String text(Row.Figure figure, double value) {
    double shown =
        switch (figure) {
          case MEMORY_USED, MEMORY_PEAK, MEMORY_AVERAGE -> value / GIB;
          case MEMORY_SECONDS -> value / 3_600;
          case UTILIZATION_AVERAGE, UTILIZATION_PEAK -> value * 100;
          case HOURS_ALLOCATED, HOURS_BUSY -> value;
        };
    return String.format(Locale.ROOT, "%.2f", shown);
  }

  private static String time(long millis) {
    return Instant.ofEpochMilli(millis).toString();
  }

  private static String hosts(Completeness of) {
    if (of.expected() == Completeness.UNKNOWN) {
      return "of an unknown number of hosts";
    }
    List<String> missing = of.missing();
    return missing.isEmpty()
        ? "of all " + of.expected() + " hosts"
        : "of " + of.answered() + " of " + of.expected() + " hosts";
  }

  /** Text that is only text in HTML. */
  static String escaped(String text) {
    StringBuilder safe = new StringBuilder(text.length() + 16);
    for (int i = 0; i < text.length(); i++) {
      char c = text.charAt(i);
      switch (c) {
        case '<' -> safe.append("&lt;");
        case '>' -> safe.append("&gt;");
        case '&' -> safe.append("&amp;");
        case '"' -> safe.append("&quot;");
        case '\'' -> safe.append("&#39;");
        default -> safe.append(Character.isISOControl(c) ? '\uFFFD' : c);
      }
    }
    return safe.toString();
  }
}
