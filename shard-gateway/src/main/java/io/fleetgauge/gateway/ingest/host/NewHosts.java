package io.fleetgauge.gateway.ingest.host;

import io.fleetgauge.cluster.table.ClusterView;
import io.fleetgauge.cluster.table.Holders.Admission;
import io.fleetgauge.cluster.table.OwnershipTable;
import io.fleetgauge.sample.frame.IntakeAnswer;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;

/**
 * Decides whether a sender may make a host known to the cluster. Safe for all threads; never waits.
 *
 * <p>The table says whose samples made each host known, and when. So the limits of a tenant hold
 * for all gateways together, and after a restart of all of them. Between two tables a gateway makes
 * at most its equal share of the places known that the table leaves, and one if there are fewer
 * places than gateways: all of them together exceed a limit by less than one host each.
 */
final class NewHosts {
  static final long HOUR_MILLIS = TimeUnit.HOURS.toMillis(1);

  /** A host that is in no table so long after it was made known counts no more, ms. */
  static final long PENDING_MILLIS = 10_000;

  /** No sender is told to wait for longer: the samples of other hosts wait with it, ms. */
  static final long MOST_RETRY_MILLIS = 60_000;

  private static final class OfTenant {
    int hosts;
    int pending;

    /** When those of the last hour were admitted, ms since the epoch. */
    final List<Long> lately = new ArrayList<>();
  }

  /** Hosts that were made known here and are in no table yet. */
  private final Map<String, Admission> pending = new HashMap<>();

  private final Map<String, OfTenant> tenants = new HashMap<>();
  private OwnershipTable counted = OwnershipTable.EMPTY;
  private long countedAt;

  /**
   * @param now ms since the epoch
   * @return the answer to the sender, if the host is not to be made known now
   */
  synchronized Optional<IntakeAnswer> refusal(
      String host, Sender sender, ClusterView view, long now) {
    if (sender.equals(Sender.UNLIMITED)) {
      return Optional.empty();
    }
    count(view.table(), now);
    if (pending.containsKey(host)) {
      return Optional.empty();
    }
    OfTenant tenant = tenants.computeIfAbsent(sender.tenant(), none -> new OfTenant());
    if (tenant.hosts >= sender.hosts()) {
      return Optional.of(
          new IntakeAnswer.OverLimit(
              0,
              over(sender, tenant.hosts + " hosts", "hosts", sender.hosts(), host)
                  + "; send samples of fewer hosts (ingest.hostLabels lists the labels that name"
                  + " them), remove some with fleetgauge gateway --remove-host, or raise the"
                  + " limit"));
    }
    if (tenant.lately.size() >= sender.newHosts()) {
      long oldest = tenant.lately.stream().mapToLong(Long::longValue).min().orElse(now);
      return Optional.of(
          new IntakeAnswer.OverLimit(
              Math.clamp(oldest + HOUR_MILLIS - now, 1_000, MOST_RETRY_MILLIS),
              over(
                      sender,
                      tenant.lately.size() + " new hosts within an hour",
                      "newHosts",
                      sender.newHosts(),
                      host)
                  + "; send it again later, send labels that name hosts (ingest.hostLabels) with"
                  + " fewer values, or raise the limit"));
    }
    int places = Math.min(sender.hosts() - tenant.hosts, sender.newHosts() - tenant.lately.size());
    if (tenant.pending >= Math.max(1, places / Math.max(1, view.gateways().size()))) {
      return Optional.of(new IntakeAnswer.SlowDown(AdmissionControl.UNKNOWN_RETRY_MILLIS));
    }
    tenant.pending++;
    pending.put(host, new Admission(sender.tenant(), now));
    return Optional.empty();
  }

  /** The answer to a sender whose host has no place in the cluster, whoever sends. */
  static IntakeAnswer overCluster(String host) {
    return new IntakeAnswer.OverLimit(
        0,
        "the cluster has "
            + OwnershipTable.MAX_HOSTS
            + " hosts, the maximum: host "
            + shown(host)
            + " is not accepted; send samples of fewer hosts (ingest.hostLabels lists the labels"
            + " that name them), remove some with fleetgauge gateway --remove-host, or send them to"
            + " another cluster");
  }

  private static String over(Sender sender, String has, String limit, int value, String host) {
    return "tenant "
        + sender.tenant()
        + " has "
        + has
        + ", and tenants."
        + sender.tenant()
        + ".limits."
        + limit
        + " is "
        + value
        + ": host "
        + shown(host)
        + " is not accepted";
  }

  private static String shown(String host) {
    String plain = host.replaceAll("\\p{Cntrl}", "?");
    return plain.length() > 100 ? plain.substring(0, 100) + "..." : plain;
  }

  /** Counts what the table has of each tenant, when it is another one, and once a second. */
  private void count(OwnershipTable table, long now) {
    if (table == counted && Math.abs(now - countedAt) < 1_000) {
      return;
    }
    counted = table;
    countedAt = now;
    tenants.clear();
    table
        .holders()
        .values()
        .forEach(
            holders -> {
              OfTenant tenant =
                  tenants.computeIfAbsent(holders.admission().tenant(), none -> new OfTenant());
              tenant.hosts++;
              if (holders.admission().at() > now - HOUR_MILLIS) {
                tenant.lately.add(holders.admission().at());
              }
            });
    Iterator<Map.Entry<String, Admission>> each = pending.entrySet().iterator();
    while (each.hasNext()) {
      Map.Entry<String, Admission> entry = each.next();
      if (table.hosts().contains(entry.getKey())
          || Math.abs(now - entry.getValue().at()) >= PENDING_MILLIS) {
        each.remove();
      } else {
        tenants.computeIfAbsent(entry.getValue().tenant(), none -> new OfTenant()).pending++;
      }
    }
  }
}
