package io.fleetgauge.cluster.member;

import com.hazelcast.cluster.Member;
import com.hazelcast.cluster.MembershipEvent;
import com.hazelcast.cluster.MembershipListener;
import com.hazelcast.config.Config;
import com.hazelcast.config.MapConfig;
import com.hazelcast.config.MemberAttributeConfig;
import com.hazelcast.core.EntryAdapter;
import com.hazelcast.core.EntryEvent;
import com.hazelcast.core.HazelcastInstance;
import com.hazelcast.map.IMap;
import io.fleetgauge.cluster.table.OwnershipTable;
import io.fleetgauge.cluster.table.ReportForm;
import io.fleetgauge.cluster.table.Situation.Report;
import io.fleetgauge.cluster.table.TableForm;
import io.fleetgauge.cluster.table.TableMachine;
import io.fleetgauge.cluster.table.TableMachine.Shared;
import io.fleetgauge.sample.wire.WireException;
import java.net.URI;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What the members share through Hazelcast: who is a member, the table, the known hosts, what
 * owners report, and which gateways may be given hosts. An entry that cannot be understood is
 * logged once and left out. Only the cluster's thread uses it; every call may wait.
 */
final class Registry {
  private static final Logger LOG = LoggerFactory.getLogger(Registry.class);

  private static final String GATEWAY_ID = "fleetgauge.gateway";
  private static final String GATEWAY_ADDRESS = "fleetgauge.address";
  private static final String GATEWAY_ZONE = "fleetgauge.zone";
  private static final String HOSTS = "fleetgauge.hosts";
  private static final String TABLE = "fleetgauge.table";
  private static final String TABLE_KEY = "table";
  private static final String ACTIVE = "fleetgauge.active";
  private static final String REPORTS = "fleetgauge.reports";
  private static final int BACKUPS = 2;

  /** Entries that could not be understood and have been logged; more are left out silently. */
  private static final int MAX_LOGGED = 1_000;

  private final HazelcastInstance hazelcast;
  private final IMap<String, String> hosts;
  private final IMap<String, byte[]> tables;
  private final IMap<String, String> statuses;
  private final IMap<String, byte[]> reports;
  private final Set<String> logged = new HashSet<>();

  /** The table's bytes as they were looked at last; null when there were none. */
  private byte[] seenTable;

  Registry(HazelcastInstance hazelcast) {
    this.hazelcast = hazelcast;
    this.hosts = hazelcast.getMap(HOSTS);
    this.tables = hazelcast.getMap(TABLE);
    this.statuses = hazelcast.getMap(ACTIVE);
    this.reports = hazelcast.getMap(REPORTS);
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
    List.of(hosts, tables, statuses, reports).forEach(map -> listen(map, changed));
  }

  private static <T> void listen(IMap<String, T> map, Runnable changed) {
    map.addEntryListener(
        new EntryAdapter<String, T>() {
          @Override
          public void onEntryEvent(EntryEvent<String, T> event) {
            changed.run();
          }
        },
        false);
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
      seenTable = null;
      return new TableMachine.Event.Looked(now, session, List.of(), new Shared.Nothing(), Map.of());
    }
    seenTable = tables.get(TABLE_KEY);
    Shared shared = TableForm.shared(seenTable);
    Set<String> ids = new TreeSet<>(known);
    gateways.forEach(each -> ids.add(each.id()));
    if (shared instanceof Shared.Table(OwnershipTable table)) {
      ids.addAll(table.members());
    }
    return new TableMachine.Event.Looked(now, session, gateways, shared, statuses.getAll(ids));
  }

  /** Hazelcast lists members in the order in which they joined: the oldest first. */
  private List<TableMachine.Member> gateways() {
    List<TableMachine.Member> gateways = new ArrayList<>();
    for (Member member : hazelcast.getCluster().getMembers()) {
      String id = member.getAttribute(GATEWAY_ID);
      if (id == null) {
        continue;
      }
      String address = String.valueOf(member.getAttribute(GATEWAY_ADDRESS));
      String zone = member.getAttribute(GATEWAY_ZONE);
      try {
        gateways.add(
            new TableMachine.Member(
                id, member.getUuid().toString(), zone == null ? "" : zone, new URI(address)));
      } catch (java.net.URISyntaxException e) {
        leaveOut("gateway " + id, "its address is " + e.getMessage());
      }
    }
    return gateways;
  }

  TableMachine.Event.Gathered gather() {
    Map<String, Report> understood = new TreeMap<>();
    for (Map.Entry<String, byte[]> each : reports.entrySet()) {
      try {
        understood.put(each.getKey(), ReportForm.fromBytes(each.getValue()));
      } catch (WireException e) {
        leaveOut("the report of host " + each.getKey(), e.getMessage());
      }
    }
    return new TableMachine.Event.Gathered(new TreeSet<>(hosts.keySet()), understood);
  }

  private void leaveOut(String key, String reason) {
    if (logged.size() < MAX_LOGGED && logged.add(key)) {
      LOG.warn("{} cannot be understood and is left out: {}", key, reason);
    }
  }

  /** Replaces the table if it is still what was looked at last. */
  boolean write(OwnershipTable table) {
    byte[] bytes = TableForm.toBytes(table);
    return seenTable == null
        ? tables.putIfAbsent(TABLE_KEY, bytes) == null
        : tables.replace(TABLE_KEY, seenTable, bytes);
  }

  void setStatus(String gateway, String status) {
    statuses.set(gateway, status);
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
    if (hosts.size() >= maxHosts && !hosts.containsKey(host)) {
      return false;
    }
    hosts.putIfAbsent(host, "");
    return true;
  }

  void report(String host, Report report) {
    reports.set(host, ReportForm.toBytes(report));
  }
}
