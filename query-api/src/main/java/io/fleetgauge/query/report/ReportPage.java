package io.fleetgauge.query.report;

import io.fleetgauge.query.answer.Completeness;
import io.fleetgauge.query.answer.Reply;
import io.fleetgauge.query.prices.Rates;
import java.io.BufferedWriter;
import java.io.IOException;
import java.io.OutputStream;
import java.io.OutputStreamWriter;
import java.io.Writer;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;

/** A report as a page that can be printed: without scripts, and without anything from elsewhere. */
final class ReportPage {
  private static final String HEAD =
      """
      <!DOCTYPE html>
      <html lang="en">
      <head>
      <meta charset="utf-8">
      <title>GPU usage report</title>
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
      <h1>GPU usage report</h1>
      """;

  private ReportPage() {}

  static void write(Reply<Report> reply, OutputStream out) throws IOException {
    Writer page = new BufferedWriter(new OutputStreamWriter(out, StandardCharsets.UTF_8));
    Report report = reply.value();
    ReportQuery query = report.query();
    Rates rates = query.rates();
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
    List<Figure> shown =
        Arrays.stream(Figure.values())
            .filter(Figure::isOnPage)
            .filter(each -> report.totals().stream().anyMatch(row -> each.has(row, rates)))
            .toList();
    page.write("<table>\n<thead><tr>");
    for (GroupKey key : query.by()) {
      page.write("<th>" + escaped(key.name()) + "</th>");
    }
    boolean manyIntervals = query.period().intervals() > 1;
    if (manyIntervals) {
      page.write("<th>From</th><th>To</th>");
    }
    for (Figure figure : shown) {
      page.write("<th class=\"n\">" + escaped(title(figure, rates)) + "</th>");
    }
    boolean isPriced = !report.rules().isEmpty();
    page.write(isPriced ? "<th>Prices</th></tr></thead>\n<tbody>\n" : "</tr></thead>\n<tbody>\n");
    for (Row row : report.rows()) {
      page.write("<tr>");
      for (String value : row.group()) {
        page.write(
            value.isEmpty() ? "<td class=\"none\">none</td>" : "<td>" + escaped(value) + "</td>");
      }
      figures(page, row, rates, shown, manyIntervals, isPriced);
    }
    page.write("</tbody>\n<tfoot>\n");
    for (Row row : report.totals()) {
      page.write("<tr><td colspan=\"" + query.by().size() + "\">Total</td>");
      figures(page, row, rates, shown, manyIntervals, isPriced);
    }
    page.write("</tfoot>\n</table>\n<ul>\n");
    for (String each : Definitions.of(report)) {
      page.write("<li>" + escaped(each) + ".</li>\n");
    }
    page.write("</ul>\n</body>\n</html>\n");
    page.flush();
  }

  private static void figures(
      Writer page, Row row, Rates rates, List<Figure> shown, boolean withTimes, boolean withPrices)
      throws IOException {
    if (withTimes) {
      page.write("<td>" + time(row.from()) + "</td><td>" + time(row.to()) + "</td>");
    }
    for (Figure figure : shown) {
      page.write(
          "<td class=\"n\">" + figure.of(row, rates).map(figure::pageText).orElse("") + "</td>");
    }
    if (withPrices) {
      page.write(
          row.charges().stream()
              .map(each -> escaped(each.rule().name()))
              .collect(Collectors.joining(", ", "<td>", "</td>")));
    }
    page.write("</tr>\n");
  }

  private static String title(Figure figure, Rates rates) {
    String currency = rates.prices().currency();
    String in = currency.isEmpty() ? "" : ", " + currency;
    return switch (figure) {
      case HOURS_ALLOCATED -> "GPU hours allocated";
      case HOURS_BUSY -> "Busy, GPU h";
      case HOURS_EXECUTION_IDLE -> "Execution-idle, GPU h";
      case HOURS_IDLE -> "Idle, GPU h";
      case HOURS_UNKNOWN -> "Unknown, GPU h";
      case SECONDS_ALLOCATED -> "GPU seconds allocated";
      case SECONDS_BUSY -> "Busy, GPU s";
      case SECONDS_EXECUTION_IDLE -> "Execution-idle, GPU s";
      case SECONDS_IDLE -> "Idle, GPU s";
      case SECONDS_UNKNOWN -> "Unknown, GPU s";
      case ENERGY -> "Energy, kWh";
      case ENERGY_ESTIMATED -> "of it estimated, kWh";
      case JOULES -> "Energy, J";
      case JOULES_ESTIMATED -> "of it estimated, J";
      case MEMORY_USED -> "Memory at the end, GiB";
      case MEMORY_PEAK -> "Peak memory of a GPU, GiB";
      case MEMORY_AVERAGE -> "Average memory of a GPU, GiB";
      case MEMORY_SECONDS -> "GPU time with memory, h";
      case ACTIVITY -> "Average activity, %";
      case SM -> "Average SM activity, %";
      case TENSOR -> "Average tensor activity, %";
      case DRAM -> "Average DRAM activity, %";
      case NVLINK -> "NVLink, GiB";
      case PCIE -> "PCIe, GiB";
      case CPU -> "CPU time, h";
      case HOST_MEMORY_PEAK -> "Peak memory of a host, GiB";
      case HOST_MEMORY_AVERAGE -> "Average memory of a host, GiB";
      case HOST_MEMORY_SECONDS -> "Host time with memory, h";
      case IO -> "I/O, GiB";
      case COST -> "Cost" + in;
      case COST_GPU -> "of it GPU" + in;
      case COST_CPU -> "of it CPU" + in;
      case COST_MEMORY -> "of it memory" + in;
      case HOURS_UNPRICED -> "Without a price, GPU h";
      case CARBON -> "Carbon, kg CO2";
      case ENERGY_WITHOUT_CARBON -> "Energy without a known carbon, kWh";
    };
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
