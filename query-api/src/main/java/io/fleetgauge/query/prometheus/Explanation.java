package io.fleetgauge.query.prometheus;

import com.fasterxml.jackson.core.JsonGenerator;
import io.fleetgauge.query.answer.Answered;
import io.fleetgauge.query.answer.Running;
import io.fleetgauge.query.answer.Trace;
import io.fleetgauge.query.fanout.ShardTime;
import io.fleetgauge.query.http.Json;
import io.vertx.core.buffer.Buffer;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** How answers came about, as JSON and as text; and which are on their way. */
final class Explanation {
  private Explanation() {}

  static Buffer json(Answered answered) {
    Trace trace = answered.trace();
    return Json.data(
        json -> {
          json.writeStartObject();
          json.writeArrayFieldStart("plan");
          for (String line : trace.plan().lines().toList()) {
            json.writeString(line);
          }
          json.writeEndArray();
          json.writeObjectFieldStart("reasons");
          for (Map.Entry<String, String> reason : new TreeMap<>(trace.reasons()).entrySet()) {
            json.writeStringField(reason.getKey(), reason.getValue());
          }
          json.writeEndObject();
          json.writeObjectFieldStart("estimated");
          json.writeNumberField("series", trace.estimated().series());
          json.writeNumberField("samples", trace.estimated().samples());
          json.writeNumberField("work", trace.estimated().work());
          json.writeEndObject();
          json.writeObjectFieldStart("true");
          json.writeNumberField("samples", trace.samples());
          json.writeNumberField("rollupCells", trace.rollupCells());
          json.writeEndObject();
          json.writeObjectFieldStart("cache");
          json.writeNumberField("steps", trace.steps());
          json.writeNumberField("knownSteps", trace.cachedSteps());
          json.writeEndObject();
          json.writeObjectFieldStart("timings");
          json.writeNumberField("queuedMillis", answered.timings().queued() / 1e6);
          json.writeNumberField("fetchedMillis", answered.timings().fetched() / 1e6);
          json.writeNumberField("evaluatedMillis", answered.timings().evaluated() / 1e6);
          json.writeEndObject();
          json.writeArrayFieldStart("shards");
          for (ShardTime shard : trace.shards()) {
            json.writeStartObject();
            json.writeStringField("gateway", shard.gateway().toString());
            json.writeNumberField("hosts", shard.hosts());
            json.writeNumberField("millis", shard.nanos() / 1e6);
            json.writeEndObject();
          }
          json.writeEndArray();
          json.writeEndObject();
        });
  }

  static Buffer text(Answered answered) {
    Trace trace = answered.trace();
    StringBuilder out = new StringBuilder("plan\n");
    trace.plan().lines().forEach(line -> out.append("  ").append(line).append('\n'));
    out.append("why\n");
    new TreeMap<>(trace.reasons())
        .forEach(
            (part, reason) ->
                out.append("  ").append(part).append("\n    ").append(reason).append('\n'));
    out.append("cost\n  estimated: ").append(trace.estimated());
    out.append("\n  true: ").append(trace.samples()).append(" samples, ");
    out.append(trace.rollupCells()).append(" rollup cells\ncache\n  ");
    out.append(trace.cachedSteps()).append(" of ").append(trace.steps());
    out.append(" steps known from before\ntime\n");
    out.append(String.format("  queued %.2f ms%n", answered.timings().queued() / 1e6));
    out.append(String.format("  fetched %.2f ms%n", answered.timings().fetched() / 1e6));
    out.append(String.format("  evaluated %.2f ms%n", answered.timings().evaluated() / 1e6));
    out.append("shards\n");
    for (ShardTime shard : trace.shards()) {
      out.append(
          String.format(
              "  %s: %d hosts, %.2f ms%n", shard.gateway(), shard.hosts(), shard.nanos() / 1e6));
    }
    return Buffer.buffer(out.toString());
  }

  static Buffer running(List<Running.Entry> entries) {
    long now = System.nanoTime();
    return Json.data(
        json -> {
          json.writeStartArray();
          for (Running.Entry entry : entries) {
            write(json, entry, now);
          }
          json.writeEndArray();
        });
  }

  private static void write(JsonGenerator json, Running.Entry entry, long now) throws IOException {
    json.writeStartObject();
    json.writeNumberField("id", entry.id());
    json.writeStringField("tenant", entry.ask().tenant());
    json.writeStringField("query", entry.ask().query().text());
    json.writeStringField("state", entry.state());
    json.writeNumberField("millis", (now - entry.begun()) / 1_000_000);
    json.writeNumberField("series", entry.cost().series());
    json.writeNumberField("samples", entry.cost().samples());
    json.writeEndObject();
  }
}
