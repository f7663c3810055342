package io.fleetgauge.cluster.status;

import io.fleetgauge.cluster.config.ClusterSettings;
import io.fleetgauge.cluster.status.AllGateways.Answers;
import io.fleetgauge.cluster.table.ClusterView;
import io.fleetgauge.runtime.doctor.Finding;
import io.fleetgauge.runtime.doctor.Finding.Outcome;
import io.fleetgauge.runtime.doctor.Findings;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Predicate;

/** Finds what is wrong with a cluster, the worst first. */
final class ClusterProblems {
  private static final int MAX_NAMES = 10;
  private static final double WARN_MEMORY = 0.9;
  private static final double WARN_FREE = 0.1;
  private static final double CRITICAL_FREE = 0.03;
  private static final double WARN_DAYS = 7;
  private static final double CRITICAL_DAYS = 1;
  private static final long WARN_CLOCK_MILLIS = 5_000;
  private static final long CRITICAL_CLOCK_MILLIS = 30_000;

  private final ClusterSettings settings;
  private final Answers gateways;
  private final JsonObject status;
  private final long now;
  private final Findings findings = new Findings();

  /**
   * @param status everything else that is known
   * @param now ms since the epoch
   */
  ClusterProblems(ClusterSettings settings, Answers gateways, JsonObject status, long now) {
    this.settings = settings;
    this.gateways = gateways;
    this.status = status;
    this.now = now;
  }

  JsonArray all() {
    ofTheCluster(findings.about("cluster " + settings.name()));
    gateways.answers().forEach((id, answer) -> ofAGateway(findings.about("gateway " + id), answer));
    ofHosts();
    JsonArray problems = new JsonArray();
    for (Finding each : findings.worstFirst()) {
      problems.add(
          new JsonObject()
              .put("severity", each.outcome() == Outcome.FAILURE ? "critical" : "warning")
              .put("subject", each.subject())
              .put("text", each.text())
              .put("advice", each.advice()));
    }
    return problems;
  }

  private static Outcome severity(boolean isCritical) {
    return isCritical ? Outcome.FAILURE : Outcome.WARNING;
  }

  private void ofTheCluster(Findings cluster) {
    ClusterView view = gateways.of();
    if (view.gateways().isEmpty()) {
      cluster.failure(
          "no gateway can be reached",
          "start gateways, and compare cluster.name, cluster.members and cluster.secretFile of all"
              + " processes");
    }
    if (view.isMinority()) {
      cluster.failure(
          "this side sees "
              + view.gateways().size()
              + " of "
              + view.table().members().size()
              + " gateways, and the other side may have continued without it",
          "repair the network between the gateways, or start those that are down");
    }
    TreeSet<String> away = new TreeSet<>(view.table().members());
    away.removeAll(view.gateways().keySet());
    for (String id : away) {
      findings
          .about("gateway " + id)
          .failure(
              "it is not in the cluster",
              "start it, or check its log; until then its hosts are read from replicas");
    }
    gateways
        .silent()
        .forEach(
            (id, why) ->
                findings
                    .about("gateway " + id)
                    .failure(
                        "it does not respond: " + why,
                        "check its log and its machine; run fleetgauge doctor gateway there"));
    Set<String> versions = status.getJsonObject("cluster").getJsonObject("versions").fieldNames();
    if (versions.size() > 1) {
      cluster.warning(
          "gateways of "
              + versions.size()
              + " versions run together: "
              + String.join(", ", versions),
          "finish the update: restart the gateways of the older version one by one");
    }
    if (view.gateways().size() == 1 && settings.replication() > 1) {
      cluster.warning(
          "there is one gateway, so no host has a replica",
          "start two more gateways, or set cluster.replication to 1");
    }
  }

  private void ofAGateway(Findings gateway, JsonObject said) {
    JsonObject disk = said.getJsonObject("disk", new JsonObject());
    String trouble = disk.getString("trouble", "");
    if (!trouble.isEmpty()) {
      gateway.failure(
          "its disk fails: " + trouble, "free or repair the disk; the gateway recovers by itself");
    }
    ofADisk(gateway, disk);
    if (Boolean.FALSE.equals(said.getBoolean("recovered"))) {
      gateway.warning(
          "samples from before its start are still being loaded",
          "wait; responses name these hosts");
    }
    double memory = said.getDouble("memoryRatio", 0.0);
    if (memory > WARN_MEMORY) {
      gateway.warning(
          "its heap is %.0f %% full after a collection".formatted(100 * memory),
          "raise FLEETGAUGE_HEAP, or add gateways; see fleetgauge cardinality");
    }
    long offset = said.getLong("now", now) - now;
    if (Math.abs(offset) > WARN_CLOCK_MILLIS) {
      gateway.add(
          severity(Math.abs(offset) > CRITICAL_CLOCK_MILLIS),
          "its clock differs by %+.1f s".formatted(offset / 1_000.0),
          "synchronize the clocks of all machines, such as with chrony");
    }
  }

  private static void ofADisk(Findings gateway, JsonObject disk) {
    Long free = disk.getLong("freeBytes");
    Long total = disk.getLong("totalBytes");
    if (free != null && total != null && total > 0 && free < WARN_FREE * total) {
      gateway.add(
          severity(free < CRITICAL_FREE * total),
          String.format(
              Locale.ROOT,
              "%.1f %% of the file system of %s are free",
              100.0 * free / total,
              disk.getString("folder")),
          "free space, or lower store.maxDisk or store.retention");
    }
    Double days = disk.getDouble("daysLeft");
    if (days != null && days < WARN_DAYS) {
      gateway.add(
          severity(days < CRITICAL_DAYS),
          String.format(
              Locale.ROOT,
              "its disk is full in %.1f days at the rate of the last day, before the retention of"
                  + " %.1f days is reached",
              days,
              disk.getLong("retentionMillis") / 86_400_000.0),
          "add disk and raise store.maxDisk, lower store.retention, or add gateways; see"
              + " fleetgauge storage");
    }
  }

  private void ofHosts() {
    warn(
        host -> !host.getBoolean("whole"),
        "may lack acknowledged samples that only a gateway that is down has",
        "start the gateways that are down");
    if (settings.replication() > 1 && gateways.of().gateways().size() > 1) {
      warn(
          host ->
              host.getJsonArray("replicas").stream()
                  .noneMatch(copy -> ((JsonObject) copy).getBoolean("whole")),
          "have no complete replica",
          "wait until the replicas are complete before you stop a gateway");
    }
    warn(
        host -> host.getString("state").equals("silent"),
        "are silent",
        "run fleetgauge doctor probe there, and check the log of the probe");
    warn(
        host -> host.getString("state").equals("unknown"),
        "have no sample on any reachable gateway",
        "check the gateways above, and the logs of the probes");
  }

  private void warn(Predicate<JsonObject> which, String text, String advice) {
    List<String> names =
        status.getJsonArray("hosts").stream()
            .map(JsonObject.class::cast)
            .filter(which)
            .map(host -> host.getString("host"))
            .toList();
    if (!names.isEmpty()) {
      String list = String.join(", ", names.subList(0, Math.min(MAX_NAMES, names.size())));
      String more = names.size() > MAX_NAMES ? " and " + (names.size() - MAX_NAMES) + " more" : "";
      findings
          .about(names.size() + (names.size() == 1 ? " host" : " hosts"))
          .warning(text + ": " + list + more, advice);
    }
  }
}
