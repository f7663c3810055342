package io.fleetgauge.cluster.member;

import com.hazelcast.cluster.Member;
import com.hazelcast.cluster.MembershipEvent;
import com.hazelcast.cluster.MembershipListener;
import com.hazelcast.config.Config;
import com.hazelcast.config.MapConfig;
import com.hazelcast.config.MemberAttributeConfig;
import com.hazelcast.core.HazelcastInstance;
import io.fleetgauge.cluster.table.OwnershipTable;
import io.fleetgauge.cluster.table.ReportForm;
import io.fleetgauge.cluster.table.Situation.Report;
import io.fleetgauge.cluster.table.TableForm;
import io.fleetgauge.cluster.table.TableMachine;
import io.fleetgauge.cluster.table.TableMachine.Shared;
import io.fleetgauge.sample.wire.WireException;
import java.net.URI;
import java.net.URISyntaxException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * What the members share through Hazelcast: who is a member, the table, the known hosts, what
 * owners report, and which gateways may be given hosts. An entry that cannot be understood is
 * ignored, and nothing else with it. Only the cluster's thread uses it; every call may wait.
 */
final class Registry {
  private static final String GATEWAY_ID = "fleetgauge.gateway";
  private static final String GATEWAY_ADDRESS = "fleetgauge.address";
  private static final String GATEWAY_ZONE = "fleetgauge.zone";
  private static final String HOSTS = "fleetgauge.hosts";
  private static final String TABLE = "fleetgauge.table";
  private static final String TABLE_KEY = "table";
  private static final String ACTIVE = "fleetgauge.active";
  private static final String REPORTS = "fleetgauge.reports";
  private static final int BACKUPS = 2;
  private static final byte[] KNOWN = {};

  private final HazelcastInstance hazelcast;
  private final IgnoredEntries ignored;
  private final SharedMap hosts;
  private final SharedMap tables;
  private final SharedMap statuses;
  private final SharedMap reports;

  /** What lay in the place of the table when it was looked at last. */
  private SharedMap.Found seenTable = new SharedMap.Found.Nothing();

  Registry(HazelcastInstance hazelcast, IgnoredEntries ignored) {
    this.hazelcast = hazelcast;
    this.ignored = ignored;
    this.hosts = new SharedMap(hazelcast, HOSTS, ignored);
    this.tables = new SharedMap(hazelcast, TABLE, ignored);
    this.statuses = new SharedMap(hazelcast, ACTIVE, ignored);
    this.reports = new SharedMap(hazelcast, REPORTS, ignored);
  }

  /** How the maps are kept. */
  static void configure(Config config) {
    for (String map : List.of(HOSTS, TABLE, ACTIVE, REPORTS)) {
      config.addMapConfig(new MapConfig(map).setBackupCount(BACKUPS));
    }
  }

  /** What the other members learn of a gateway when it joins. */
  static void describe(ClusterMember.Gateway gateway, MemberAttributeConfig attributes) {
    attributes.setAttribute(GATEWAY_ID, gateway.id());
    attributes.setAttribute(GATEWAY_ADDRESS, gateway.address().toString());
    attributes.setAttribute(GATEWAY_ZONE, gateway.zone());
  }

  /** Calls {@code changed}, on any thread, when there may be something new to look at. */
  void onChange(Runnable changed) {
    hazelcast
        .getCluster()
        .addMembershipListener(
            new MembershipListener() {
              @Override
              public void memberAdded(MembershipEvent event) {
                changed.run();
              }

              @Override
              public void memberRemoved(MembershipEvent event) {
                changed.run();
              }
            });
    List.of(hosts, tables, statuses, reports).forEach(map -> map.onChange(changed));
  }

  /** Whether another member is a gateway of this id. */
  boolean lists(String id) {
    return hazelcast.getCluster().getMembers().stream()
        .anyMatch(member -> !member.localMember() && id.equals(member.getAttribute(GATEWAY_ID)));
  }

  /**
   * Looks at what the table is decided from.
   *
   * @param now ms of any steady clock
   * @param known gateways whose status is wanted too if they are no members
   */
  TableMachine.Event.Looked look(long now, Collection<String> known) {
    String session = hazelcast.getCluster().getLocalMember().getUuid().toString();
    List<TableMachine.Member> gateways = gateways();
    if (gateways.isEmpty()) {
      // Only gateways hold data: without one every read of a map would fail.
      seenTable = new SharedMap.Found.Nothing();
      return new TableMachine.Event.Looked(now, session, List.of(), new Shared.Nothing(), Map.of());
    }
    seenTable = tables.get(TABLE_KEY);
    Shared shared =
        switch (seenTable) {
          case SharedMap.Found.Nothing nothing -> new Shared.Nothing();
          case SharedMap.Found.Bytes(byte[] bytes) -> TableForm.shared(bytes);
          case SharedMap.Found.Other(String reason) -> new Shared.Damaged(reason);
        };
    Set<String> ids = new TreeSet<>(known);
    gateways.forEach(each -> ids.add(each.id()));
    if (shared instanceof Shared.Table(OwnershipTable table)) {
      ids.addAll(table.members());
    }
    Map<String, String> stated = new TreeMap<>();
    statuses
        .get(ids)
        .forEach((id, bytes) -> stated.put(id, new String(bytes, StandardCharsets.UTF_8)));
    return new TableMachine.Event.Looked(now, session, gateways, shared, stated);
  }

  /** Hazelcast lists members in the order in which they joined: the oldest first. */
  private List<TableMachine.Member> gateways() {
    List<TableMachine.Member> gateways = new ArrayList<>();
    for (Member member : hazelcast.getCluster().getMembers()) {
      String id = member.getAttribute(GATEWAY_ID);
      if (id == null) {
        continue;
      }
      String zone = member.getAttribute(GATEWAY_ZONE);
      try {
        gateways.add(
            new TableMachine.Member(
                id,
                member.getUuid().toString(),
                zone == null ? "" : zone,
                address(member.getAttribute(GATEWAY_ADDRESS))));
      } catch (WireException e) {
        ignored.ignore("member " + member.getUuid() + " at " + member.getAddress(), e.getMessage());
      }
    }
    return gateways;
  }

  private static URI address(String text) throws WireException {
    try {
      URI address = new URI(String.valueOf(text));
      boolean isHttp = "http".equals(address.getScheme()) || "https".equals(address.getScheme());
      if (isHttp && address.getHost() != null && address.getPort() > 0) {
        return address;
      }
    } catch (URISyntaxException e) {
      // Said below.
    }
    throw new WireException(
        "its address is " + IgnoredEntries.quoted(text) + ", expected is http://HOST:PORT");
  }

  TableMachine.Event.Gathered gather() {
    Map<String, Report> understood = new TreeMap<>();
    reports
        .all()
        .forEach(
            (host, bytes) -> {
              try {
                understood.put(host, ReportForm.fromBytes(bytes));
              } catch (WireException e) {
                reports.ignore(host, e.getMessage());
              }
            });
    return new TableMachine.Event.Gathered(new TreeSet<>(hosts.all().keySet()), understood);
  }

  /** Replaces the table if it is still what was looked at last. */
  boolean write(OwnershipTable table) {
    return tables.replace(TABLE_KEY, seenTable, TableForm.toBytes(table));
  }

  void setStatus(String gateway, String status) {
    statuses.set(gateway, status.getBytes(StandardCharsets.UTF_8));
  }

  void clearStatus(String gateway) {
    statuses.delete(gateway);
  }

  /**
   * Adds a host to those that are known.
   *
   * @return false if the cluster knows as many as it may
   */
  boolean register(String host, int maxHosts) {
    if (hosts.size() >= maxHosts && !hosts.contains(host)) {
      return false;
    }
    hosts.putIfAbsent(host, KNOWN);
    return true;
  }

  void report(String host, Report report) {
    reports.set(host, ReportForm.toBytes(report));
  }
}
