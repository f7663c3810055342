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
              JsonObject gateway = new JsonObject().put("id", id);
              for (String field : List.of("disk", "headBytes", "rollupBytes", "bytesPerSample")) {
                if (said.containsKey(field)) {
                  gateway.put(field, said.getValue(field));
                }
              }
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
    add(total, "journalBytes", disk.getLong("journalBytes"));
    add(total, "headBytes", said.getLong("headBytes"));
    add(total, "rollupBytes", said.getLong("rollupBytes"));
    add(total, "bytesPerDay", disk.getLong("bytesPerDay"));
    add(total, "bytesAtRetention", disk.getLong("bytesAtRetention"));
    Double perSample = said.getDouble("bytesPerSample");
    if (perSample != null) {
      weighted += perSample * disk.getLong("blockBytes");
      weights += disk.getLong("blockBytes");
    }
    for (String name : said.getJsonObject("hosts").fieldNames()) {
      JsonObject taken = said.getJsonObject("hosts").getJsonObject(name);
      JsonObject host = hosts.computeIfAbsent(name, none -> new JsonObject().put("host", name));
      add(host, "copies", 1L);
      for (String field : List.of("series", "diskBytes", "rollupBytes", "memoryBytes", "blocks")) {
        add(host, field, taken.getLong(field));
      }
      add(total, "series", taken.getLong("series"));
      Long oldest = taken.getLong("oldestAt");
      if (oldest != null) {
        host.put("oldestAt", Math.min(oldest, host.getLong("oldestAt", oldest)));
      }
    }
    for (String name : said.getJsonObject("groups").fieldNames()) {
      addUse(groups, "group", name, said.getJsonObject("groups").getJsonObject(name));
    }
    for (Object each : said.getJsonArray("metrics")) {
      JsonObject metric = (JsonObject) each;
      addUse(metrics, "metric", metric.getString("metric"), metric);
    }
  }

  private static void addUse(
      Map<String, JsonObject> all, String field, String name, JsonObject taken) {
    JsonObject sum = all.computeIfAbsent(name, none -> new JsonObject().put(field, name));
    add(sum, "series", taken.getLong("series"));
    add(sum, "diskBytes", taken.getLong("diskBytes"));
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
