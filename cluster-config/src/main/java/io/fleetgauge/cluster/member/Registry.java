package io.fleetgauge.cluster.member;

import com.hazelcast.cluster.MembershipEvent;
import com.hazelcast.cluster.MembershipListener;
import com.hazelcast.config.Config;
import com.hazelcast.config.MapConfig;
import com.hazelcast.core.HazelcastInstance;
import io.fleetgauge.cluster.member.Entry.Found;
import io.fleetgauge.cluster.table.Holders.Admission;
import io.fleetgauge.cluster.table.HostForm;
import io.fleetgauge.cluster.table.Membership;
import io.fleetgauge.cluster.table.Membership.Stated;
import io.fleetgauge.cluster.table.Membership.Status;
import io.fleetgauge.cluster.table.OwnershipTable;
import io.fleetgauge.cluster.table.ReportForm;
import io.fleetgauge.cluster.table.Situation.Registered;
import io.fleetgauge.cluster.table.Situation.Report;
import io.fleetgauge.cluster.table.StatusForm;
import io.fleetgauge.cluster.table.TableForm;
import io.fleetgauge.cluster.table.TableForm.Shared;
import io.fleetgauge.cluster.table.TableMachine;
import io.fleetgauge.runtime.trust.ClusterKey;
import io.fleetgauge.runtime.trust.ClusterKey.Purpose;
import io.fleetgauge.runtime.trust.Seal;
import io.fleetgauge.sample.wire.WireException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Collectors;

/**
 * Entries that the members share through Hazelcast: who is a gateway, the table, the known hosts,
 * what owners report, and which gateways may be given hosts. An entry that is not proven, or cannot
 * be understood, is ignored, and nothing else with it. Only the cluster's thread uses it; every
 * call may wait.
 */
final class Registry {
  private static final String MEMBERS = "fleetgauge.members";
  private static final String HOSTS = "fleetgauge.hosts";
  private static final String TABLE = "fleetgauge.table";
  private static final String TABLE_KEY = "table";
  private static final String ACTIVE = "fleetgauge.active";
  private static final String REPORTS = "fleetgauge.reports";
  private static final String QUERY_APIS = "fleetgauge.apis";
  private static final int BACKUPS = 2;
  private static final byte[] EMPTY = {};
  private static final long FORGET_AFTER_NANOS = TimeUnit.MINUTES.toNanos(1);

  private final HazelcastInstance hazelcast;
  private final Seal seal;
  private final Optional<MemberForm> self;
  private final SharedMap members;
  private final SharedMap hosts;
  private final SharedMap tables;
  private final SharedMap statuses;
  private final SharedMap reports;

  /** Only query APIs read it, so gateways do not ask Hazelcast for it. */
  private final Optional<SharedMap> queryApis;

  /** Content of the table's place at the last poll. */
  private Found seenTable = new Found.Nothing();

  /** The newest report of each host that was believed; an older one is a repetition. */
  private final Map<String, Entry> newestReports = new HashMap<>();

  /** Since when members that have published themselves are not present, by session. */
  private final Map<String, Long> goneSince = new HashMap<>();

  private final Map<String, Long> apiGoneSince = new HashMap<>();

  /** A signature of nothing, by the secret with which all entries were signed last. */
  private String signedWith = "";

  /** By host, the sequence of this member's last report. */
  private final Map<String, Long> ownReports = new HashMap<>();

  /**
   * @param cluster the cluster's name
   * @param self empty for a process that only reads
   */
  Registry(
      HazelcastInstance hazelcast,
      ClusterKey key,
      String cluster,
      Optional<MemberForm> self,
      IgnoredEntries ignored) {
    this.hazelcast = hazelcast;
    this.self = self;
    this.seal = new Seal(key, Purpose.ENTRY);
    AtomicLong sequence = new AtomicLong();
    this.members = new SharedMap(hazelcast, MEMBERS, seal, cluster, sequence, ignored);
    this.hosts = new SharedMap(hazelcast, HOSTS, seal, cluster, sequence, ignored);
    this.tables = new SharedMap(hazelcast, TABLE, seal, cluster, sequence, ignored);
    this.statuses = new SharedMap(hazelcast, ACTIVE, seal, cluster, sequence, ignored);
    this.reports = new SharedMap(hazelcast, REPORTS, seal, cluster, sequence, ignored);
    this.queryApis =
        self.isPresent()
            ? Optional.empty()
            : Optional.of(new SharedMap(hazelcast, QUERY_APIS, seal, cluster, sequence, ignored));
  }

  /** Sets how the maps are kept. */
  static void configure(Config config) {
    for (String map : List.of(MEMBERS, HOSTS, TABLE, ACTIVE, REPORTS, QUERY_APIS)) {
      config.addMapConfig(new MapConfig(map).setBackupCount(BACKUPS));
    }
  }

  /** Calls {@code changed}, on any thread, when there may be something new to poll. */
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
    List.of(members, hosts, tables, statuses, reports).forEach(map -> map.onChange(changed));
  }

  /** Returns true if another member is a gateway of this id. */
  boolean lists(String id) {
    String session = session();
    return gateways().stream()
        .anyMatch(each -> !each.session().equals(session) && each.id().equals(id));
  }

  private String session() {
    return hazelcast.getCluster().getLocalMember().getUuid().toString();
  }

  /**
   * Reads what the table is decided from.
   *
   * @param now ms of any steady clock
   * @param known gateways whose status is wanted too if they are no members
   */
  TableMachine.Event.Polled poll(long now, Collection<String> known) {
    String session = session();
    List<Membership> gateways = gateways();
    if (self.isPresent() && gateways.stream().noneMatch(each -> isSelf(each, session))) {
      // This membership is a new one, or the maps were lost.
      members.set(session, self.get().toBytes());
      gateways = gateways();
    }
    if (gateways.isEmpty()) {
      seenTable = new Found.Nothing();
      return new TableMachine.Event.Polled(now, session, List.of(), new Shared.Nothing(), Map.of());
    }
    seenTable = tables.get(TABLE_KEY);
    Shared shared =
        switch (seenTable) {
          case Found.Nothing nothing -> new Shared.Nothing();
          case Found.Proven proven -> TableForm.shared(proven.entry().body());
          case Found.Newer(int version) -> new Shared.Newer(version);
          case Found.Other(String reason) -> new Shared.Damaged(reason);
        };
    Set<String> ids = new TreeSet<>(known);
    gateways.forEach(each -> ids.add(each.id()));
    if (shared instanceof Shared.Table(OwnershipTable table)) {
      ids.addAll(table.members());
    }
    Map<String, Status> stated =
        statuses.get(
            ids,
            (id, entry) -> {
              Stated of = StatusForm.fromBytes(entry.body());
              return new Status(entry.session(), of);
            });
    return new TableMachine.Event.Polled(now, session, gateways, shared, stated);
  }

  /** When the secret has changed: what is signed with the one before would not be proven soon. */
  void signAgainIfDue() {
    String now = HexFormat.of().formatHex(seal.sign(EMPTY));
    if (!now.equals(signedWith)) {
      List.of(members, hosts, tables, statuses, reports).forEach(SharedMap::signAgain);
      signedWith = now;
    }
  }

  /**
   * Publishes where this query API is reached, and finds the others.
   *
   * @param isPatient true if one that has not published itself yet is waited for
   * @return empty if they cannot be known yet
   */
  Optional<List<MemberForm>> queryApis(MemberForm own, boolean isPatient) {
    if (sessions(false).isEmpty()) {
      return Optional.empty();
    }
    Set<String> sessions = sessions(true);
    SharedMap apis = queryApis.orElseThrow();
    Map<String, MemberForm> announced = apis.get(sessions, Registry::gateway);
    String session = session();
    if (!own.equals(announced.get(session))) {
      apis.set(session, own.toBytes());
    }
    forgetMembersThatLeft(apis, apiGoneSince);
    announced.remove(session);
    sessions.remove(session);
    return isPatient && !announced.keySet().containsAll(sessions)
        ? Optional.empty()
        : Optional.of(List.copyOf(announced.values()));
  }

  private boolean isSelf(Membership member, String session) {
    return member.session().equals(session) && member.id().equals(self.orElseThrow().id());
  }

  private static MemberForm gateway(String session, Entry entry) throws WireException {
    return MemberForm.fromBytes(entry.body());
  }

  /** Hazelcast lists members in the order in which they joined: the oldest first. */
  private Set<String> sessions(boolean areLite) {
    return hazelcast.getCluster().getMembers().stream()
        .filter(member -> member.isLiteMember() == areLite)
        .map(member -> member.getUuid().toString())
        .collect(Collectors.toCollection(LinkedHashSet::new));
  }

  private List<Membership> gateways() {
    Set<String> present = sessions(false);
    List<Membership> gateways = new ArrayList<>();
    // Only gateways hold data: without one every read of a map would fail.
    if (!present.isEmpty()) {
      Map<String, MemberForm> announced = members.get(present, Registry::gateway);
      for (String session : present) {
        MemberForm form = announced.get(session);
        if (form != null) {
          gateways.add(new Membership(form.id(), session, form.zone(), form.address()));
        }
      }
    }
    return gateways;
  }

  TableMachine.Event.Gathered gather() {
    forgetMembersThatLeft(members, goneSince);
    Map<String, String> sessions = new HashMap<>();
    gateways().forEach(each -> sessions.put(each.id(), each.session()));
    Map<String, Report> understood = new TreeMap<>();
    reports
        .all((host, entry) -> new Said(entry, ReportForm.fromBytes(entry.body())))
        .forEach(
            (host, said) -> {
              String owner = sessions.get(said.report().owner());
              if (said.entry().session().equals(owner) && isNewest(host, said.entry())) {
                understood.put(host, said.report());
              }
            });
    return new TableMachine.Event.Gathered(
        hosts.all((host, entry) -> HostForm.fromBytes(entry.body())), understood);
  }

  private record Said(Entry entry, Report report) {}

  /**
   * Returns true if no later report of the same member on this host was seen. An older one may be
   * put there again by somebody else, and replicas may have fallen behind since.
   */
  private boolean isNewest(String host, Entry entry) {
    Entry before = newestReports.get(host);
    if (before != null
        && before.session().equals(entry.session())
        && before.sequence() > entry.sequence()) {
      return false;
    }
    newestReports.put(host, entry);
    return true;
  }

  private void forgetMembersThatLeft(SharedMap published, Map<String, Long> since) {
    long now = System.nanoTime();
    Set<String> gone = new TreeSet<>(published.all((session, entry) -> session).keySet());
    hazelcast.getCluster().getMembers().forEach(each -> gone.remove(each.getUuid().toString()));
    since.keySet().retainAll(gone);
    for (String session : gone) {
      // One that joins may publish itself before this member has heard of it.
      if (now - since.computeIfAbsent(session, none -> now) > FORGET_AFTER_NANOS) {
        published.delete(session);
      }
    }
  }

  /** Replaces the table if it is still what the last poll found. */
  boolean write(OwnershipTable table) {
    return tables.replace(TABLE_KEY, seenTable, TableForm.toBytes(table));
  }

  void setStatus(String gateway, Stated stated) {
    statuses.set(gateway, StatusForm.toBytes(stated));
  }

  /**
   * Adds a host to those that are known.
   *
   * @return false if the cluster knows as many as it may
   */
  boolean register(String host, Admission admission, int maxHosts) {
    if (hosts.get(host) instanceof Found.Proven) {
      return true;
    }
    // What others put there does not count.
    if (hosts.size() >= maxHosts && hosts.all((name, entry) -> name).size() >= maxHosts) {
      return false;
    }
    hosts.set(host, HostForm.toBytes(new Registered(admission, false)));
    return true;
  }

  /**
   * An operator wants a host removed.
   *
   * @param at ms since the epoch
   */
  void remove(String host, long at) {
    hosts.set(host, HostForm.toBytes(new Registered(new Admission("", at), true)));
  }

  /** Removes all that is said of hosts. */
  void forget(Set<String> gone) {
    for (String host : gone) {
      hosts.delete(host);
      reports.delete(host);
      newestReports.remove(host);
    }
  }

  void report(String host, Report report) {
    ownReports.put(host, reports.set(host, ReportForm.toBytes(report)));
  }

  /** Those hosts of which the others do not see the report that this member made last. */
  Set<String> lostReports(Set<String> of) {
    ownReports.keySet().retainAll(of);
    String session = session();
    Map<String, Long> there =
        reports.get(of, (host, entry) -> entry.session().equals(session) ? entry.sequence() : 0);
    Set<String> lost = new TreeSet<>(of);
    lost.removeIf(host -> there.getOrDefault(host, 0L).equals(ownReports.get(host)));
    return lost;
  }
}
