package io.fleetgauge.query.operate;

import io.fleetgauge.cluster.status.AllGateways;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;

/**
 * The use of the disks and the memory of all gateways together.
 *
 * <pre>
 * {"total": {"diskBytes", "journalBytes", "headBytes", "rollupBytes", "series", "bytesPerDay",
 *            "bytesAtRetention", "bytesPerSample"},
 *  "gateways": [{"id", "error"} or {"id", "disk": as a gateway's GET /v1/status has it, "headBytes",
 *                "rollupBytes", "bytesPerSample"}...],
 *  "hosts": [{"host", "copies", "series", "diskBytes", "rollupBytes", "memoryBytes", "blocks",
 *             "oldestAt"}...],
 *  "groups": [{"group", "series", "diskBytes"}...], "metrics": [{"metric", "series", "diskBytes"}...]}
 * </pre>
 *
 * Bytes and series count every copy: a host on two gateways counts twice. Lists have the largest
 * first. Figures that no gateway knows yet are absent.
 */
final class ClusterStorage {
  private static final int MOST_METRICS = 1_000;

  private final Map<String, JsonObject> hosts = new TreeMap<>();
  private final Map<String, JsonObject> groups = new TreeMap<>();
  private final Map<String, JsonObject> metrics = new TreeMap<>();
  private final JsonObject total = new JsonObject();
  private double weighted;
  private double weights;

  private ClusterStorage() {}

  static JsonObject of(AllGateways.Answers answers) {
    return new ClusterStorage().json(answers);
  }

  private JsonObject json(AllGateways.Answers answers) {
    JsonArray gateways = new JsonArray();
    answers
        .answers()
        .forEach(
            (id, said) -> {
              JsonObject gateway = new JsonObject().put("id", id).mergeIn(said);
              List.of("hosts", "groups", "metrics").forEach(gateway::remove);
              gateways.add(gateway);
              count(said);
            });
    answers
        .silent()
        .forEach((id, why) -> gateways.add(new JsonObject().put("id", id).put("error", why)));
    if (weights > 0) {
      total.put("bytesPerSample", weighted / weights);
    }
    return new JsonObject()
        .put("total", total)
        .put("gateways", gateways)
        .put("hosts", largest(hosts, Integer.MAX_VALUE))
        .put("groups", largest(groups, Integer.MAX_VALUE))
        .put("metrics", largest(metrics, MOST_METRICS));
  }

  private void count(JsonObject said) {
    JsonObject disk = said.getJsonObject("disk");
    add(total, "diskBytes", disk.getLong("blockBytes"));
    add(total, disk, "journalBytes", "bytesPerDay", "bytesAtRetention");
    add(total, said, "headBytes", "rollupBytes");
    Double perSample = said.getDouble("bytesPerSample");
    if (perSample != null) {
      weighted += perSample * disk.getLong("blockBytes");
      weights += disk.getLong("blockBytes");
    }
    for (Map.Entry<String, Object> each : said.getJsonObject("hosts")) {
      JsonObject taken = (JsonObject) each.getValue();
      JsonObject host = row(hosts, "host", each.getKey());
      add(host, "copies", 1L);
      add(host, taken, "series", "diskBytes", "rollupBytes", "memoryBytes", "blocks");
      add(total, taken, "series");
      Long oldest = taken.getLong("oldestAt");
      if (oldest != null) {
        host.put("oldestAt", Math.min(oldest, host.getLong("oldestAt", oldest)));
      }
    }
    for (Map.Entry<String, Object> each : said.getJsonObject("groups")) {
      JsonObject group = row(groups, "group", each.getKey());
      add(group, (JsonObject) each.getValue(), "series", "diskBytes");
    }
    for (Object each : said.getJsonArray("metrics")) {
      JsonObject metric = (JsonObject) each;
      add(row(metrics, "metric", metric.getString("metric")), metric, "series", "diskBytes");
    }
  }

  private static JsonObject row(Map<String, JsonObject> all, String field, String name) {
    return all.computeIfAbsent(name, none -> new JsonObject().put(field, name));
  }

  private static void add(JsonObject to, JsonObject from, String... fields) {
    for (String field : fields) {
      add(to, field, from.getLong(field));
    }
  }

  private static void add(JsonObject to, String field, Long value) {
    if (value != null) {
      to.put(field, to.getLong(field, 0L) + value);
    }
  }

  private static JsonArray largest(Map<String, JsonObject> all, int most) {
    return all.entrySet().stream()
        .sorted(
            Comparator.comparingLong(
                    (Map.Entry<String, JsonObject> each) -> -each.getValue().getLong("diskBytes"))
                .thenComparing(Map.Entry::getKey))
        .limit(most)
        .map(Map.Entry::getValue)
        .collect(Collectors.collectingAndThen(Collectors.toList(), JsonArray::new));
  }
}
