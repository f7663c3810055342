package io.fleetgauge.query.report;

import io.fleetgauge.promql.query.QueryFailure;
import io.fleetgauge.query.answer.Reply;
import io.fleetgauge.query.http.Parameters;
import io.vertx.core.buffer.Buffer;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.Map;

/** The forms in which a report is sent. */
enum ReportFormat {
  JSON("application/json") {
    @Override
    void write(Reply<Report> reply, OutputStream out) throws IOException {
      ReportJson.write(reply, out);
    }
  },
  CSV("text/csv; charset=utf-8; header=present") {
    @Override
    void write(Reply<Report> reply, OutputStream out) throws IOException {
      ReportCsv.write(reply, out);
    }

    @Override
    Map<String, String> headers(ReportQuery query) {
      return Map.of(
          "Content-Type",
          contentType,
          "Content-Disposition",
          "attachment; filename=\"usage_"
              + NAME.format(Instant.ofEpochMilli(query.period().from()))
              + "_"
              + NAME.format(Instant.ofEpochMilli(query.period().to()))
              + ".csv\"");
    }
  },
  HTML("text/html; charset=utf-8") {
    @Override
    void write(Reply<Report> reply, OutputStream out) throws IOException {
      ReportPage.write(reply, out);
    }

    @Override
    Map<String, String> headers(ReportQuery query) {
      return Map.of(
          "Content-Type",
          contentType,
          "Content-Security-Policy",
          "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'",
          "X-Content-Type-Options",
          "nosniff");
    }
  };

  private static final DateTimeFormatter NAME =
      DateTimeFormatter.ofPattern("yyyyMMdd'T'HHmmss'Z'").withZone(ZoneOffset.UTC);

  final String contentType;

  ReportFormat(String contentType) {
    this.contentType = contentType;
  }

  /**
   * @throws QueryFailure if there is no such form
   */
  static ReportFormat of(String name) throws QueryFailure {
    return switch (name) {
      case "", "json" -> JSON;
      case "csv" -> CSV;
      case "html" -> HTML;
      default ->
          throw Parameters.invalid("format", "\"" + name + "\" is none of json, csv and html");
    };
  }

  Map<String, String> headers(ReportQuery query) {
    return Map.of("Content-Type", contentType);
  }

  abstract void write(Reply<Report> reply, OutputStream out) throws IOException;

  Buffer body(Reply<Report> reply) {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    try {
      write(reply, out);
    } catch (IOException e) {
      throw new UncheckedIOException(e); // writing to memory cannot fail
    }
    return Buffer.buffer(out.toByteArray());
  }
}
