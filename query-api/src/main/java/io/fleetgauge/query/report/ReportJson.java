package io.fleetgauge.query.report;

import com.fasterxml.jackson.core.JsonGenerator;
import io.fleetgauge.promql.usage.UsageTerms;
import io.fleetgauge.query.answer.Completeness;
import io.fleetgauge.query.answer.Reply;
import io.fleetgauge.query.http.Json;
import io.fleetgauge.query.prices.PriceRule;
import io.fleetgauge.query.prices.Prices;
import io.fleetgauge.query.prices.Rates;
import io.fleetgauge.sample.prometheus.Numbers;
import java.io.IOException;
import java.io.OutputStream;
import java.math.BigDecimal;
import java.util.List;

/** A report in Prometheus's envelope. */
final class ReportJson {
  private ReportJson() {}

  static void write(Reply<Report> reply, OutputStream out) throws IOException {
    Json.write(
        out,
        Json.successful(
            (json, bytes) -> data(json, reply.value(), reply.completeness()),
            reply.warnings(),
            List.of()));
  }

  private static void data(JsonGenerator json, Report report, Completeness completeness)
      throws IOException {
    ReportQuery query = report.query();
    json.writeStartObject();
    time(json, "from", query.period().from());
    time(json, "to", query.period().to());
    time(json, "step_seconds", query.period().step());
    json.writeArrayFieldStart("by");
    for (GroupKey key : query.by()) {
      json.writeString(key.name());
    }
    json.writeEndArray();
    definitions(json, report);
    completeness(json, completeness);
    rows(json, "rows", query, report.rows());
    rows(json, "totals", query, report.totals());
    json.writeEndObject();
  }

  private static void completeness(JsonGenerator json, Completeness of) throws IOException {
    json.writeObjectFieldStart("completeness");
    count(json, "hosts", of.expected());
    count(json, "answered", of.answered());
    json.writeArrayFieldStart("missing");
    for (String host : of.missing()) {
      json.writeString(host);
    }
    json.writeEndArray();
    json.writeEndObject();
  }

  private static void count(JsonGenerator json, String name, int count) throws IOException {
    if (count == Completeness.UNKNOWN) {
      json.writeNullField(name);
    } else {
      json.writeNumberField(name, count);
    }
  }

  private static void time(JsonGenerator json, String name, long millis) throws IOException {
    json.writeFieldName(name);
    json.writeRawValue(Numbers.seconds(millis));
  }

  private static void rows(JsonGenerator json, String name, ReportQuery query, List<Row> rows)
      throws IOException {
    json.writeArrayFieldStart(name);
    for (Row row : rows) {
      json.writeStartObject();
      if (!row.group().isEmpty()) {
        json.writeObjectFieldStart("group");
        for (int i = 0; i < query.by().size(); i++) {
          json.writeStringField(query.by().get(i).name(), row.group().get(i));
        }
        json.writeEndObject();
      }
      time(json, "from", row.from());
      time(json, "to", row.to());
      for (Figure figure : Figure.values()) {
        json.writeFieldName(figure.field);
        json.writeRawValue(figure.text(row, query.rates()).orElse("null"));
      }
      json.writeArrayFieldStart("price_rules");
      for (Row.Charge charge : row.charges()) {
        json.writeStartObject();
        json.writeStringField("name", charge.rule().name());
        number(json, "price", charge.rule().price());
        number(json, "gpu_hours", charge.hours());
        number(json, "cost", charge.cost());
        json.writeEndObject();
      }
      json.writeEndArray();
      json.writeEndObject();
    }
    json.writeEndArray();
  }

  /** Says by which terms, prices and carbon the figures are made; of rules those that apply. */
  private static void definitions(JsonGenerator json, Report report) throws IOException {
    UsageTerms terms = report.query().terms();
    Rates rates = report.query().rates();
    json.writeObjectFieldStart("definitions");
    number(json, "busy_activity_ratio", Definitions.ratio(terms.busy()));
    number(json, "high_power_ratio", Definitions.ratio(terms.highPower()));
    time(json, "lookback_seconds", terms.lookback());
    time(json, "bridge_seconds", terms.bridge());
    prices(json, report, rates.prices());
    if (rates.carbon().isEmpty()) {
      json.writeNullField("carbon");
    } else {
      json.writeObjectFieldStart("carbon");
      json.writeStringField("unit", "gCO2/kWh");
      number(json, "pue", rates.pue());
      json.writeEndObject();
    }
    json.writeNumberField("entries_left_out", rates.leftOut());
    json.writeArrayFieldStart("text");
    for (String each : Definitions.of(report)) {
      json.writeString(each);
    }
    json.writeEndArray();
    json.writeEndObject();
  }

  private static void prices(JsonGenerator json, Report report, Prices prices) throws IOException {
    if (prices.rules().isEmpty()) {
      json.writeNullField("prices");
      return;
    }
    json.writeObjectFieldStart("prices");
    json.writeStringField("currency", prices.currency());
    json.writeStringField("zone", prices.zone().getId());
    if (prices.cpu().isPresent()) {
      number(json, "cpu", prices.cpu().get());
    }
    if (prices.memory().isPresent()) {
      number(json, "memory", prices.memory().get());
    }
    json.writeArrayFieldStart("rules");
    for (PriceRule rule : report.rules()) {
      json.writeStartObject();
      json.writeStringField("name", rule.name());
      number(json, "price", rule.price());
      json.writeEndObject();
    }
    json.writeEndArray();
    json.writeEndObject();
  }

  private static void number(JsonGenerator json, String name, BigDecimal value) throws IOException {
    json.writeFieldName(name);
    json.writeRawValue(Figure.plain(value));
  }
}
