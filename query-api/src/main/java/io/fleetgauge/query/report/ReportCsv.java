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
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;

/**
 * A report as RFC 4180 has it: a line of names, and lines that end with CR LF. Spreadsheets execute
 * what begins like a formula, so such a text gets an apostrophe before it.
 */
final class ReportCsv {
  private static final String LINE_END = "\r\n";

  /** Characters that spreadsheets take for the beginning of a formula. */
  private static final String FORMULA = "=+-@\t\r\n\uFF1D\uFF0B\uFF0D\uFF20";

  private ReportCsv() {}

  static void write(Reply<Report> reply, OutputStream out) throws IOException {
    Writer writer = new BufferedWriter(new OutputStreamWriter(out, StandardCharsets.UTF_8));
    Report report = reply.value();
    List<String> names = new ArrayList<>();
    report.query().by().forEach(key -> names.add(key.name()));
    names.add("from");
    names.add("to");
    for (Figure figure : Figure.values()) {
      names.add(figure.field);
    }
    names.addAll(List.of("currency", "price_rules"));
    names.addAll(List.of("hosts_expected", "hosts_missing", "definitions"));
    line(writer, names);
    Completeness completeness = reply.completeness();
    Rates rates = report.query().rates();
    String definitions = String.join(". ", Definitions.of(report));
    for (Row row : report.rows()) {
      List<String> fields = new ArrayList<>(row.group());
      fields.add(Instant.ofEpochMilli(row.from()).toString());
      fields.add(Instant.ofEpochMilli(row.to()).toString());
      for (Figure figure : Figure.values()) {
        fields.add(figure.text(row, rates).orElse(""));
      }
      List<Row.Charge> charges = row.charges();
      fields.add(charges.isEmpty() ? "" : rates.prices().currency());
      fields.add(
          charges.stream().map(each -> each.rule().name()).collect(Collectors.joining("; ")));
      boolean known = completeness.expected() != Completeness.UNKNOWN;
      fields.add(known ? Integer.toString(completeness.expected()) : "");
      fields.add(known ? Integer.toString(completeness.missing().size()) : "");
      fields.add(definitions);
      line(writer, fields);
    }
    writer.flush();
  }

  private static void line(Writer writer, List<String> fields) throws IOException {
    for (int i = 0; i < fields.size(); i++) {
      if (i > 0) {
        writer.write(',');
      }
      writer.write(field(fields.get(i)));
    }
    writer.write(LINE_END);
  }

  /** One field, quoted where it has to be. */
  static String field(String text) {
    String safe = !text.isEmpty() && FORMULA.indexOf(text.charAt(0)) >= 0 ? "'" + text : text;
    boolean plain =
        safe.chars().noneMatch(c -> c == ',' || c == '"' || c == '\r' || c == '\n')
            && safe.equals(safe.strip());
    return plain ? safe : '"' + safe.replace("\"", "\"\"") + '"';
  }
}
