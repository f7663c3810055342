package io.fleetgauge.cluster.member;

import com.hazelcast.cluster.Member;
import com.hazelcast.cluster.MembershipEvent;
import com.hazelcast.cluster.MembershipListener;
import com.hazelcast.config.Config;
import com.hazelcast.config.JoinConfig;
import com.hazelcast.config.MapConfig;
import com.hazelcast.core.EntryAdapter;
import com.hazelcast.core.EntryEvent;
import com.hazelcast.core.Hazelcast;
import com.hazelcast.core.HazelcastInstance;
import com.hazelcast.map.IMap;
import io.fleetgauge.cluster.config.ClusterSettings;
import io.fleetgauge.cluster.table.Assignment;
import io.fleetgauge.cluster.table.ClusterView;
import io.fleetgauge.cluster.table.OwnershipTable;
import io.fleetgauge.cluster.table.Situation;
import io.fleetgauge.cluster.table.Situation.Report;
import io.fleetgauge.sample.wire.WireException;
import java.net.BindException;
import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executors;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** This process's seat in the cluster. Safe for all threads. */
public final class ClusterMember implements AutoCloseable {
  /** Most hosts that a cluster knows; more are refused. */
  public static final int MAX_HOSTS = 20_000;

  private static final Logger LOG = LoggerFactory.getLogger(ClusterMember.class);

  private static final String GATEWAY_ID = "fleetgauge.gateway";
  private static final String GATEWAY_ADDRESS = "fleetgauge.address";
  private static final String HOSTS = "fleetgauge.hosts";
  private static final String TABLE = "fleetgauge.table";
  private static final String TABLE_KEY = "table";
  private static final String ACTIVE = "fleetgauge.active";

  /** In place of a life: it has left of its own will, so nobody takes its silence for a split. */
  private static final String GONE = "gone";

  private static final String REPORTS = "fleetgauge.reports";
  private static final String GATEWAY_ZONE = "fleetgauge.zone";
  private static final long RECONCILE_MILLIS = 1_000;

  private static final Duration GOODBYE = Duration.ofSeconds(2);

  /** So long a member that is gone may still be listed after it was killed. */
  private static final Duration GHOSTS_LEAVE = Duration.ofSeconds(8);

  /** When all start at once, so long the first wait for the last before they share its hosts. */
  private static final long COLD_START_NANOS = TimeUnit.SECONDS.toNanos(10);

  private final HazelcastInstance hazelcast;
  private final IMap<String, String> hosts;
  private final IMap<String, byte[]> tables;
  private final IMap<String, String> actives;
  private final IMap<String, byte[]> reports;
  private final Optional<Gateway> self;
  private final Optional<TableFile> file;
  private final int replication;
  private final ScheduledExecutorService thread;
  private final AtomicBoolean reconcileQueued = new AtomicBoolean();
  private final Set<String> registered = ConcurrentHashMap.newKeySet();
  private final List<Consumer<ClusterView>> listeners = new CopyOnWriteArrayList<>();
  private volatile ClusterView view = ClusterView.EMPTY;
  private final Map<String, Report> toReport = new ConcurrentHashMap<>();
  private final AtomicBoolean reportQueued = new AtomicBoolean();
  private final long joinedNanos = System.nanoTime();
  private boolean coldStart;
  private volatile boolean active;
  private volatile boolean closing;

  /**
   * A gateway's identity.
   *
   * @param id its name in the table
   * @param address where it is reached by HTTP
   * @param zone what it shares with gateways that may fail with it; empty when not known
   * @param tableFile where the newest table it knows is kept over restarts
   */
  public record Gateway(String id, URI address, String zone, Path tableFile) {}

  /**
   * Joins; returns when the member has joined, which takes seconds.
   *
   * @param gateway who this is; empty for a process that only reads, which holds no data
   * @throws IllegalStateException if it cannot join
   */
  public static ClusterMember join(ClusterSettings settings, Optional<Gateway> gateway) {
    HazelcastInstance hazelcast;
    try {
      hazelcast = Hazelcast.newHazelcastInstance(config(settings, gateway));
    } catch (RuntimeException e) {
      String where = settings.host() + ":" + settings.port();
      throw new IllegalStateException(
          isBindFailure(e)
              ? "port "
                  + settings.port()
                  + " on "
                  + settings.host()
                  + " is in use; choose another with cluster.port"
              : "cannot join the cluster " + settings.name() + " from " + where + ": " + e,
          e);
    }
    ClusterMember member = new ClusterMember(hazelcast, settings, gateway);
    gateway.ifPresent(
        self -> {
          if (member.isTaken(self.id())) {
            member.close();
            throw new IllegalStateException(
                "another gateway of this cluster has the id "
                    + self.id()
                    + "; choose another with id");
          }
        });
    member.start();
    return member;
  }

  private static boolean isBindFailure(Throwable failure) {
    for (Throwable cause = failure; cause != null; cause = cause.getCause()) {
      if (cause instanceof BindException
          || String.valueOf(cause.getMessage()).contains("Address already in use")
          || String.valueOf(cause.getMessage()).contains("is already in use")) {
        return true;
      }
    }
    return false;
  }

  private boolean isTaken(String id) {
    long deadline = System.nanoTime() + GHOSTS_LEAVE.toNanos();
    while (isListed(id)) {
      if (System.nanoTime() > deadline) {
        return true;
      }
      LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(100));
    }
    return false;
  }

  private boolean isListed(String id) {
    return hazelcast.getCluster().getMembers().stream()
        .anyMatch(member -> !member.localMember() && id.equals(member.getAttribute(GATEWAY_ID)));
  }

  private ClusterMember(
      HazelcastInstance hazelcast, ClusterSettings settings, Optional<Gateway> self) {
    this.hazelcast = hazelcast;
    this.self = self;
    this.replication = settings.replication();
    this.file = self.map(gateway -> new TableFile(gateway.tableFile()));
    this.hosts = hazelcast.getMap(HOSTS);
    this.tables = hazelcast.getMap(TABLE);
    this.actives = hazelcast.getMap(ACTIVE);
    this.reports = hazelcast.getMap(REPORTS);
    this.thread =
        Executors.newSingleThreadScheduledExecutor(
            Thread.ofPlatform().daemon().name("cluster-" + hazelcast.getName()).factory());
  }

  private void start() {
    file.flatMap(TableFile::read).ifPresent(kept -> view = new ClusterView(kept, Map.of(), true));
    coldStart = view.table().epoch() > 0 && tables.get(TABLE_KEY) == null;
    hazelcast
        .getCluster()
        .addMembershipListener(
            new MembershipListener() {
              @Override
              public void memberAdded(MembershipEvent event) {
                reconcileSoon();
              }

              @Override
              public void memberRemoved(MembershipEvent event) {
                reconcileSoon();
              }
            });
    List.of(hosts, tables, actives, reports).forEach(this::listen);
    reconcile();
    thread.scheduleWithFixedDelay(
        this::reconcile, RECONCILE_MILLIS, RECONCILE_MILLIS, TimeUnit.MILLISECONDS);
  }

  private <T> void listen(IMap<String, T> map) {
    map.addEntryListener(
        new EntryAdapter<String, T>() {
          @Override
          public void onEntryEvent(EntryEvent<String, T> event) {
            reconcileSoon();
          }
        },
        false);
  }

  private static Config config(ClusterSettings settings, Optional<Gateway> gateway) {
    Config config = new Config();
    config.setClusterName(settings.name());
    config.setLiteMember(gateway.isEmpty());
    config.setProperty("hazelcast.shutdownhook.enabled", "false");
    config.setProperty("hazelcast.phone.home.enabled", "false");
    config.setProperty("hazelcast.heartbeat.interval.seconds", "1");
    config.setProperty("hazelcast.max.no.heartbeat.seconds", "5");
    // A port that refuses belongs to nobody any more; silence takes the heartbeats' time.
    config.setProperty("hazelcast.connection.monitor.interval", "50");
    config.setProperty("hazelcast.connection.monitor.max.faults", "2");
    config.setProperty("hazelcast.wait.seconds.before.join", "0");
    config.setProperty("hazelcast.merge.first.run.delay.seconds", "2");
    config.setProperty("hazelcast.merge.next.run.delay.seconds", "2");
    config.setProperty("hazelcast.socket.bind.any", "false");
    config.getJetConfig().setEnabled(false);
    config
        .getNetworkConfig()
        .setPort(settings.port())
        .setPortAutoIncrement(false)
        .setPublicAddress(settings.host() + ":" + settings.port());
    config.getNetworkConfig().getInterfaces().setEnabled(true).addInterface(settings.host());
    JoinConfig join = config.getNetworkConfig().getJoin();
    join.getMulticastConfig().setEnabled(false);
    join.getAutoDetectionConfig().setEnabled(false);
    join.getTcpIpConfig().setEnabled(true);
    settings.members().forEach(join.getTcpIpConfig()::addMember);
    config.addMapConfig(new MapConfig(HOSTS).setBackupCount(2));
    config.addMapConfig(new MapConfig(TABLE).setBackupCount(2));
    config.addMapConfig(new MapConfig(ACTIVE).setBackupCount(2));
    config.addMapConfig(new MapConfig(REPORTS).setBackupCount(2));
    gateway.ifPresent(
        self -> {
          config.getMemberAttributeConfig().setAttribute(GATEWAY_ID, self.id());
          config
              .getMemberAttributeConfig()
              .setAttribute(GATEWAY_ADDRESS, self.address().toString());
          config.getMemberAttributeConfig().setAttribute(GATEWAY_ZONE, self.zone());
        });
    return config;
  }

  /** The newest snapshot; never waits. */
  public ClusterView view() {
    return view;
  }

  /** Calls {@code listener} with every new snapshot, on this room's thread; it must be quick. */
  public void onChange(Consumer<ClusterView> listener) {
    listeners.add(listener);
    listener.accept(view);
  }

  /** Makes a host known to the cluster, soon; never waits. The same host again is nothing. */
  public void register(String host) {
    if (registered.size() >= MAX_HOSTS || !registered.add(host)) {
      return;
    }
    run(
        () -> {
          try {
            if (hosts.size() >= MAX_HOSTS) {
              LOG.error("host {} is refused: the cluster knows {} hosts already", host, MAX_HOSTS);
            } else {
              hosts.putIfAbsent(host, "");
            }
          } finally {
            // Asked for again, it is put again: the registry may have been lost with its members.
            registered.remove(host);
          }
        });
  }

  /** From now on this gateway may be given hosts; never waits. */
  public void activate() {
    active = true;
    reconcileSoon();
  }

  /** From now on this gateway is given no hosts, and those it has move away; never waits. */
  public void retire() {
    active = false;
    reconcileSoon();
  }

  /** Tells the cluster what is so of a host that this gateway owns, soon; never waits. */
  public void report(String host, Report report) {
    toReport.put(host, report);
    if (reportQueued.compareAndSet(false, true)) {
      run(
          () -> {
            reportQueued.set(false);
            for (String each : List.copyOf(toReport.keySet())) {
              Report newest = toReport.get(each);
              reports.set(each, ReportForm.toBytes(newest));
              toReport.remove(each, newest);
            }
          });
    }
  }

  private void reconcileSoon() {
    if (reconcileQueued.compareAndSet(false, true)) {
      run(
          () -> {
            reconcileQueued.set(false);
            reconcile();
          });
    }
  }

  private void run(Runnable task) {
    try {
      thread.execute(
          () -> {
            try {
              task.run();
            } catch (RuntimeException e) {
              LOG.warn("the cluster did not answer: {}", e.toString());
            }
          });
    } catch (RejectedExecutionException e) {
      LOG.debug("closing, so not done", e);
    }
  }

  private void reconcile() {
    try {
      standUp();
      Map<String, Member> members = gateways();
      OwnershipTable table = read();
      if (table.epoch() < view.table().epoch() && self.isPresent()) {
        // What was shared has been lost with its members, or stems from the other side of a split.
        table = write(table, view.table()) ? view.table() : read();
      }
      if (isOldestGateway()) {
        final OwnershipTable next = next(members, table);
        if (next != table) {
          // Before anybody knows of it: the next life must not write another table of this epoch.
          file.ifPresent(each -> each.write(next));
          // Whoever loses the race sees the winner's table at the next turn.
          table = write(table, next) ? next : read();
          LOG.info("table {}: {} hosts on {}", table.epoch(), table.hosts().size(), table.load());
          reconcileSoon();
        }
      }
      Map<String, URI> addresses = new LinkedHashMap<>();
      members.forEach(
          (id, member) -> addresses.put(id, URI.create(member.getAttribute(GATEWAY_ADDRESS))));
      publish(
          new ClusterView(
              table,
              Collections.unmodifiableMap(addresses),
              !table.isMajority(presentOrGone(table, members.keySet()))));
    } catch (RuntimeException e) {
      if (!closing) {
        LOG.warn(
            "the view of the cluster stays at epoch {}: {}", view.table().epoch(), e.toString());
      }
    }
  }

  /** Says whether this gateway may be given hosts, again after the other side of a split forgot. */
  private void standUp() {
    if (self.isPresent() && !closing) {
      String id = self.get().id();
      String life = hazelcast.getCluster().getLocalMember().getUuid().toString();
      boolean said = life.equals(actives.get(id));
      if (active && !said) {
        actives.set(id, life);
      } else if (!active && said) {
        actives.delete(id);
      }
    }
  }

  private Set<String> presentOrGone(OwnershipTable table, Set<String> present) {
    Set<String> all = new TreeSet<>(present);
    for (String id : table.members()) {
      if (!all.contains(id) && GONE.equals(actives.get(id))) {
        all.add(id);
      }
    }
    return all;
  }

  private OwnershipTable next(Map<String, Member> members, OwnershipTable table) {
    if (!table.isMajority(presentOrGone(table, members.keySet()))) {
      return table;
    }
    if (coldStart && !members.keySet().containsAll(table.members())) {
      if (System.nanoTime() - joinedNanos < COLD_START_NANOS) {
        return table;
      }
      coldStart = false;
    }
    Map<String, String> lives = actives.getAll(members.keySet());
    List<Situation.Gateway> gateways = new ArrayList<>();
    members.forEach(
        (id, member) ->
            gateways.add(
                new Situation.Gateway(
                    id,
                    member.getAttribute(GATEWAY_ZONE),
                    member.getUuid().toString().equals(lives.get(id)))));
    if (table.epoch() == 0 && gateways.stream().noneMatch(Situation.Gateway::active)) {
      return table; // the first is still reading what it kept
    }
    Set<String> known = new TreeSet<>(table.hosts());
    known.addAll(hosts.keySet());
    Map<String, Report> said = new TreeMap<>();
    reports.forEach((host, bytes) -> said.put(host, ReportForm.fromBytes(bytes)));
    return Assignment.next(
        new Situation(self.orElseThrow().id(), gateways, known, said, replication), table);
  }

  private void publish(ClusterView next) {
    if (next.table().epoch() < view.table().epoch()) {
      LOG.warn(
          "table {} is older than {}, which is kept", next.table().epoch(), view.table().epoch());
      next = new ClusterView(view.table(), next.gateways(), next.isMinority());
    }
    if (!next.equals(view)) {
      boolean newTable = next.table().epoch() > view.table().epoch();
      view = next;
      if (newTable) {
        file.ifPresent(each -> each.write(view.table()));
      }
      for (Consumer<ClusterView> listener : listeners) {
        listener.accept(next);
      }
    }
  }

  private boolean isOldestGateway() {
    for (Member member : hazelcast.getCluster().getMembers()) {
      if (member.getAttribute(GATEWAY_ID) != null) {
        return member.localMember();
      }
    }
    return false;
  }

  /** In order of age: Hazelcast lists members in the order in which they joined. */
  private Map<String, Member> gateways() {
    Map<String, Member> gateways = new LinkedHashMap<>();
    for (Member member : hazelcast.getCluster().getMembers()) {
      String id = member.getAttribute(GATEWAY_ID);
      if (id != null) {
        // Of two with one name the younger is the one that was started again.
        gateways.put(id, member);
      }
    }
    return gateways;
  }

  private OwnershipTable read() {
    byte[] bytes = tables.get(TABLE_KEY);
    if (bytes == null) {
      return OwnershipTable.EMPTY;
    }
    try {
      return OwnershipTable.fromBytes(bytes);
    } catch (WireException e) {
      throw new IllegalStateException("the shared table cannot be read: " + e.getMessage(), e);
    }
  }

  private boolean write(OwnershipTable before, OwnershipTable next) {
    byte[] bytes = next.toBytes();
    byte[] there = tables.get(TABLE_KEY);
    if (there == null) {
      return tables.putIfAbsent(TABLE_KEY, bytes) == null;
    }
    return java.util.Arrays.equals(there, before.toBytes())
        && tables.replace(TABLE_KEY, there, bytes);
  }

  /** Leaves in order: the members that stay take over the data first. */
  @Override
  public void close() {
    closing = true;
    if (self.isPresent()) {
      try {
        thread
            .submit(() -> actives.set(self.get().id(), GONE))
            .get(GOODBYE.toMillis(), TimeUnit.MILLISECONDS);
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
      } catch (ExecutionException | TimeoutException | RejectedExecutionException e) {
        LOG.warn("the others are not told that this gateway leaves: {}", e.toString());
      }
    }
    thread.shutdownNow();
    hazelcast.shutdown();
  }
}
