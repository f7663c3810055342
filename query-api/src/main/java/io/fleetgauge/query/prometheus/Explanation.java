package io.fleetgauge.query.prometheus;

import io.fleetgauge.query.admission.Cost;
import io.fleetgauge.query.answer.Evaluated;
import io.fleetgauge.query.answer.QueryTrace;
import io.fleetgauge.query.http.Json;
import io.vertx.core.buffer.Buffer;
import java.util.Map;
import java.util.TreeMap;

/** The plan, cost, cache use and timings of an answer, as JSON and as text. */
final class Explanation {
  private Explanation() {}

  static Buffer json(Evaluated evaluated) {
    QueryTrace trace = evaluated.trace();
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
          json.writeBooleanField("known", trace.estimated().known());
          if (trace.estimated().known()) {
            json.writeNumberField("series", trace.estimated().series());
            json.writeNumberField("samples", trace.estimated().samples());
            json.writeNumberField("work", trace.estimated().work());
          }
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
          json.writeNumberField("queuedMillis", evaluated.timings().queued() / 1e6);
          json.writeNumberField("fetchedMillis", evaluated.timings().fetched() / 1e6);
          json.writeNumberField("evaluatedMillis", evaluated.timings().evaluated() / 1e6);
          json.writeEndObject();
          json.writeArrayFieldStart("shards");
          for (QueryTrace.Shard shard : trace.shards()) {
            json.writeStartObject();
            json.writeStringField("gateway", shard.name());
            json.writeNumberField("hosts", shard.hosts());
            json.writeNumberField("millis", shard.nanos() / 1e6);
            json.writeEndObject();
          }
          json.writeEndArray();
          json.writeEndObject();
        });
  }

  /** A bound follows from the number of all hosts, which not everyone may know. */
  private static String estimate(Cost cost) {
    return cost.known() ? cost.toString() : "not known in time";
  }

  static Buffer text(Evaluated evaluated) {
    QueryTrace trace = evaluated.trace();
    StringBuilder out = new StringBuilder("plan\n");
    trace.plan().lines().forEach(line -> out.append("  ").append(line).append('\n'));
    out.append("why\n");
    new TreeMap<>(trace.reasons())
        .forEach(
            (part, reason) ->
                out.append("  ").append(part).append("\n    ").append(reason).append('\n'));
    out.append("cost\n  estimated: ").append(estimate(trace.estimated()));
    out.append("\n  true: ").append(trace.samples()).append(" samples, ");
    out.append(trace.rollupCells()).append(" rollup cells\ncache\n  ");
    out.append(trace.cachedSteps()).append(" of ").append(trace.steps());
    out.append(" steps from the cache\ntime\n");
    out.append(String.format("  queued %.2f ms%n", evaluated.timings().queued() / 1e6));
    out.append(String.format("  fetched %.2f ms%n", evaluated.timings().fetched() / 1e6));
    out.append(String.format("  evaluated %.2f ms%n", evaluated.timings().evaluated() / 1e6));
    out.append("shards\n");
    for (QueryTrace.Shard shard : trace.shards()) {
      out.append(
          String.format(
              "  %s: %d hosts, %.2f ms%n", shard.name(), shard.hosts(), shard.nanos() / 1e6));
    }
    return Buffer.buffer(out.toString());
  }
}
