package io.fleetgauge.cluster.status;

import io.fleetgauge.cluster.config.ClusterSettings;
import io.fleetgauge.cluster.status.AllGateways.Answers;
import io.fleetgauge.cluster.table.ClusterView;
import io.fleetgauge.cluster.table.Holders;
import io.fleetgauge.sample.frame.PseudoHosts;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Predicate;
import java.util.stream.Stream;

/**
 * The cluster as one JSON object. Times are ms since the epoch and end in {@code At}; lengths of
 * time are in ms and end in {@code Millis}.
 *
 * <pre>
 * {"problems": [{"severity": "critical"|"warning", "subject", "text", "advice"}...],
 *  "cluster": {"name", "generation": HEX, "epoch", "tableNumber", "tableAgeMillis", "writer",
 *              "minority", "replication", "members": [ID...], "present": [ID...],
 *              "versions": {VERSION: [ID...]}},
 *  "replicas": {"hosts", "whole", "filling", "none", "moving", "notWhole"},
 *  "gateways": [{"id", "address", "error"} or {"id", "address", what GET /v1/status has}...],
 *  "hosts": [{"host", "owner", "replicas": [{"gateway", "whole"}...], "next", "whole",
 *             "state": "up"|"silent"|"unknown", "newestAt", "ageMillis", "lagMillis",
 *             "tickMillis", "series"}...]}
 * </pre>
 *
 * {@code writer} writes the table. {@code whole} of a host says that its owner has all that was
 * acknowledged; of a replica, that it has all that the owner has. {@code lagMillis} is how much
 * older the newest sample is than the one that was due by the host's own ticks. {@code replicas}
 * counts hosts of the fleet; {@code hosts} and problems have those of series without a host too.
 */
public final class ClusterStatus {
  private final ClusterSettings settings;
  private final Answers gateways;
  private final long now;

  private ClusterStatus(ClusterSettings settings, Answers gateways, long now) {
    this.settings = settings;
    this.gateways = gateways;
    this.now = now;
  }

  /**
   * @param gateways their answers on their status
   * @param tableSince when the process that asked learnt of the table, ms since the epoch
   * @param now ms since the epoch
   */
  public static JsonObject of(
      ClusterSettings settings, Answers gateways, OptionalLong tableSince, long now) {
    ClusterStatus parts = new ClusterStatus(settings, gateways, now);
    JsonObject status =
        new JsonObject()
            .put("cluster", parts.cluster(tableSince))
            .put("replicas", parts.replicas())
            .put("gateways", parts.ofGateways())
            .put("hosts", parts.hosts());
    JsonArray problems = new ClusterProblems(settings, gateways, status, now).all();
    return new JsonObject().put("problems", problems).mergeIn(status);
  }

  private JsonObject cluster(OptionalLong tableSince) {
    ClusterView view = gateways.of();
    JsonObject versions = new JsonObject(new TreeMap<>());
    gateways
        .answers()
        .forEach(
            (id, answer) -> {
              String version = answer.getString("version", "unknown");
              versions.put(version, versions.getJsonArray(version, new JsonArray()).add(id));
            });
    JsonObject cluster =
        new JsonObject()
            .put("name", settings.name())
            .put("generation", Long.toHexString(view.table().generation()))
            .put("epoch", view.table().epoch())
            .put("tableNumber", view.table().number())
            .put("minority", view.isMinority())
            .put("replication", settings.replication())
            .put("members", new JsonArray(view.table().members()))
            .put("present", new JsonArray(List.copyOf(view.gateways().keySet())))
            .put("versions", versions);
    tableSince.ifPresent(at -> cluster.put("tableAgeMillis", Math.max(0, now - at)));
    // The oldest gateway writes the table, and the view has the oldest first.
    view.gateways().keySet().stream().findFirst().ifPresent(id -> cluster.put("writer", id));
    return cluster;
  }

  private JsonObject replicas() {
    List<Holders> hosts =
        gateways.of().table().holders().entrySet().stream()
            .filter(entry -> !PseudoHosts.isOne(entry.getKey()))
            .map(Map.Entry::getValue)
            .toList();
    return new JsonObject()
        .put("hosts", hosts.size())
        .put("whole", count(hosts, ClusterStatus::isHeldTwice))
        .put("filling", count(hosts, each -> !isHeldTwice(each) && !each.copies().isEmpty()))
        .put("none", count(hosts, each -> each.copies().isEmpty()))
        .put("moving", count(hosts, each -> each.next().isPresent()))
        .put("notWhole", count(hosts, each -> !each.whole()));
  }

  private static boolean isHeldTwice(Holders host) {
    return host.copies().stream().anyMatch(Holders.Copy::synced);
  }

  private static int count(List<Holders> hosts, Predicate<Holders> which) {
    return (int) hosts.stream().filter(which).count();
  }

  private JsonArray ofGateways() {
    JsonArray all = new JsonArray();
    Map<String, Long> owned = gateways.of().table().load();
    TreeSet<String> ids = new TreeSet<>(gateways.of().table().members());
    ids.addAll(gateways.of().gateways().keySet());
    for (String id : ids) {
      JsonObject gateway = new JsonObject().put("id", id);
      Optional.ofNullable(gateways.of().gateways().get(id))
          .ifPresent(address -> gateway.put("address", address.toString()));
      JsonObject answer = gateways.answers().get(id);
      if (answer == null) {
        gateway.put("error", gateways.silent().getOrDefault(id, "not in the cluster now"));
      } else {
        gateway.mergeIn(answer).remove("hosts");
        gateway
            .put("owned", owned.getOrDefault(id, 0L))
            .put("copies", gateways.of().table().copiesOn(id));
      }
      all.add(gateway);
    }
    return all;
  }

  private JsonArray hosts() {
    JsonArray hosts = new JsonArray();
    gateways.of().table().holders().forEach((name, holders) -> hosts.add(host(name, holders)));
    return hosts;
  }

  private JsonObject host(String name, Holders holders) {
    JsonArray replicas = new JsonArray();
    for (Holders.Copy copy : holders.copies()) {
      replicas.add(new JsonObject().put("gateway", copy.gateway()).put("whole", copy.synced()));
    }
    JsonObject host =
        new JsonObject()
            .put("host", name)
            .put("owner", holders.owner())
            .put("replicas", replicas)
            .put("whole", holders.whole());
    holders.next().ifPresent(next -> host.put("next", next));
    JsonObject held = held(name, holders);
    Long newest = held.getLong("newestAt");
    if (newest == null) {
      return host.put("state", "unknown");
    }
    long tick = held.getLong("tickMillis");
    long age = Math.max(0, now - newest);
    return host.put("state", HostSilence.isUp(newest, tick, now) ? "up" : "silent")
        .put("newestAt", newest)
        .put("ageMillis", age)
        .put("lagMillis", Math.max(0, age - tick))
        .put("tickMillis", tick)
        .put("series", held.getInteger("series"));
  }

  /**
   * Returns the state of a host from its owner, or from a replica if the owner does not respond.
   */
  private JsonObject held(String name, Holders holders) {
    return Stream.concat(
            Stream.of(holders.owner()), holders.copies().stream().map(Holders.Copy::gateway))
        .flatMap(gateway -> Stream.ofNullable(gateways.answers().get(gateway)))
        .flatMap(answer -> Stream.ofNullable(answer.getJsonObject("hosts")))
        .flatMap(all -> Stream.ofNullable(all.getJsonObject(name)))
        .findFirst()
        .orElseGet(JsonObject::new);
  }
}
