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
    return new ClusterStatus(settings, gateways, now).json(tableSince);
  }

  private JsonObject json(OptionalLong tableSince) {
    JsonObject hosts = hosts();
    JsonArray list = new JsonArray(List.copyOf(hosts.getMap().values()));
    JsonObject status =
        new JsonObject()
            .put("cluster", cluster(tableSince))
            .put("replicas", replicas())
            .put("gateways", gateways())
            .put("hosts", list);
    JsonArray problems = new JsonArray();
    new ClusterProblems(settings, gateways, status, now)
        .all()
        .forEach(problem -> problems.add(problem.json()));
    return new JsonObject().put("problems", problems).mergeIn(status);
  }

  private JsonObject cluster(OptionalLong tableSince) {
    ClusterView view = gateways.of();
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
            .put("versions", versions());
    tableSince.ifPresent(at -> cluster.put("tableAgeMillis", Math.max(0, now - at)));
    // The oldest gateway writes the table, and the view has the oldest first.
    view.gateways().keySet().stream().findFirst().ifPresent(id -> cluster.put("writer", id));
    return cluster;
  }

  private JsonObject versions() {
    Map<String, JsonArray> versions = new TreeMap<>();
    gateways
        .answers()
        .forEach(
            (id, answer) ->
                versions
                    .computeIfAbsent(
                        answer.getString("version", "unknown"), none -> new JsonArray())
                    .add(id));
    JsonObject json = new JsonObject();
    versions.forEach(json::put);
    return json;
  }

  private JsonObject replicas() {
    int hosts = 0;
    int whole = 0;
    int filling = 0;
    int none = 0;
    int moving = 0;
    int notWhole = 0;
    for (var entry : gateways.of().table().holders().entrySet()) {
      if (PseudoHosts.isOne(entry.getKey())) {
        continue;
      }
      Holders each = entry.getValue();
      hosts++;
      boolean isHeldTwice = each.copies().stream().anyMatch(Holders.Copy::synced);
      whole += isHeldTwice ? 1 : 0;
      filling += !isHeldTwice && !each.copies().isEmpty() ? 1 : 0;
      none += each.copies().isEmpty() ? 1 : 0;
      moving += each.next().isPresent() ? 1 : 0;
      notWhole += each.whole() ? 0 : 1;
    }
    return new JsonObject()
        .put("hosts", hosts)
        .put("whole", whole)
        .put("filling", filling)
        .put("none", none)
        .put("moving", moving)
        .put("notWhole", notWhole);
  }

  private JsonArray gateways() {
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
        JsonObject said = answer.copy();
        said.remove("hosts");
        gateway.mergeIn(said);
        gateway
            .put("owned", owned.getOrDefault(id, 0L))
            .put("copies", gateways.of().table().copiesOn(id));
      }
      all.add(gateway);
    }
    return all;
  }

  private JsonObject hosts() {
    JsonObject hosts = new JsonObject();
    gateways
        .of()
        .table()
        .holders()
        .forEach((name, holders) -> hosts.put(name, host(name, holders)));
    return hosts;
  }

  private JsonObject host(String name, Holders holders) {
    JsonArray replicas = new JsonArray();
    holders
        .copies()
        .forEach(
            copy ->
                replicas.add(
                    new JsonObject().put("gateway", copy.gateway()).put("whole", copy.synced())));
    JsonObject host =
        new JsonObject()
            .put("host", name)
            .put("owner", holders.owner())
            .put("replicas", replicas)
            .put("whole", holders.whole());
    holders.next().ifPresent(next -> host.put("next", next));
    Optional<JsonObject> held = held(name, holders);
    Long newest = held.map(each -> each.getLong("newestAt")).orElse(null);
    if (newest == null) {
      return host.put("state", "unknown");
    }
    long tick = held.get().getLong("tickMillis");
    long age = Math.max(0, now - newest);
    return host.put("state", HostSilence.isUp(newest, tick, now) ? "up" : "silent")
        .put("newestAt", newest)
        .put("ageMillis", age)
        .put("lagMillis", Math.max(0, age - tick))
        .put("tickMillis", tick)
        .put("series", held.get().getInteger("series"));
  }

  /** Status of a host at its owner, or at a replica while the owner does not answer. */
  private Optional<JsonObject> held(String name, Holders holders) {
    Optional<JsonObject> owners = heldBy(holders.owner(), name);
    return owners.isPresent()
        ? owners
        : holders.copies().stream()
            .flatMap(copy -> heldBy(copy.gateway(), name).stream())
            .findFirst();
  }

  private Optional<JsonObject> heldBy(String gateway, String host) {
    return Optional.ofNullable(gateways.answers().get(gateway))
        .map(answer -> answer.getJsonObject("hosts"))
        .map(all -> all.getJsonObject(host));
  }
}
