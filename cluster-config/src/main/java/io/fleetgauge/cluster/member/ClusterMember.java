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
import io.fleetgauge.cluster.table.OwnershipTable;
import io.fleetgauge.sample.wire.WireException;
import java.net.BindException;
import java.net.URI;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Executors;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
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
  private static final long RECONCILE_SECONDS = 3;

  private final HazelcastInstance hazelcast;
  private final IMap<String, String> hosts;
  private final IMap<String, byte[]> tables;
  private final ScheduledExecutorService thread;
  private final AtomicBoolean reconcileQueued = new AtomicBoolean();
  private final Set<String> registered = ConcurrentHashMap.newKeySet();
  private final List<Consumer<ClusterView>> listeners = new CopyOnWriteArrayList<>();
  private volatile ClusterView view = ClusterView.EMPTY;
  private volatile boolean closing;

  /**
   * A gateway's identity.
   *
   * @param id its name in the table
   * @param address where it is reached by HTTP
   */
  public record Gateway(String id, URI address) {}

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
    ClusterMember member = new ClusterMember(hazelcast);
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
    return hazelcast.getCluster().getMembers().stream()
        .anyMatch(member -> !member.localMember() && id.equals(member.getAttribute(GATEWAY_ID)));
  }

  private ClusterMember(HazelcastInstance hazelcast) {
    this.hazelcast = hazelcast;
    this.hosts = hazelcast.getMap(HOSTS);
    this.tables = hazelcast.getMap(TABLE);
    this.thread =
        Executors.newSingleThreadScheduledExecutor(
            Thread.ofPlatform().daemon().name("cluster-" + hazelcast.getName()).factory());
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
    hosts.addEntryListener(
        new EntryAdapter<String, String>() {
          @Override
          public void entryAdded(EntryEvent<String, String> event) {
            reconcileSoon();
          }
        },
        false);
    tables.addEntryListener(
        new EntryAdapter<String, byte[]>() {
          @Override
          public void onEntryEvent(EntryEvent<String, byte[]> event) {
            reconcileSoon();
          }
        },
        false);
    reconcile();
    thread.scheduleWithFixedDelay(
        this::reconcile, RECONCILE_SECONDS, RECONCILE_SECONDS, TimeUnit.SECONDS);
  }

  private static Config config(ClusterSettings settings, Optional<Gateway> gateway) {
    Config config = new Config();
    config.setClusterName(settings.name());
    config.setLiteMember(gateway.isEmpty());
    config.setProperty("hazelcast.shutdownhook.enabled", "false");
    config.setProperty("hazelcast.phone.home.enabled", "false");
    config.setProperty("hazelcast.heartbeat.interval.seconds", "1");
    config.setProperty("hazelcast.max.no.heartbeat.seconds", "6");
    config.setProperty("hazelcast.wait.seconds.before.join", "0");
    config.setProperty("hazelcast.merge.first.run.delay.seconds", "5");
    config.setProperty("hazelcast.merge.next.run.delay.seconds", "5");
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
    gateway.ifPresent(
        self -> {
          config.getMemberAttributeConfig().setAttribute(GATEWAY_ID, self.id());
          config
              .getMemberAttributeConfig()
              .setAttribute(GATEWAY_ADDRESS, self.address().toString());
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
      Map<String, URI> gateways = gateways();
      OwnershipTable table = read();
      if (isOldestGateway()) {
        OwnershipTable next = Assignment.next(gateways.keySet(), hosts.keySet(), table);
        if (next != table) {
          // Whoever loses the race sees the winner's table at the next turn.
          table = write(table, next) ? next : read();
          LOG.info("table {}: {} hosts on {}", table.epoch(), table.owners().size(), table.load());
        }
      }
      publish(new ClusterView(table, Collections.unmodifiableMap(gateways)));
    } catch (RuntimeException e) {
      if (!closing) {
        LOG.warn(
            "the view of the cluster stays at epoch {}: {}", view.table().epoch(), e.toString());
      }
    }
  }

  private void publish(ClusterView next) {
    if (next.table().epoch() < view.table().epoch()) {
      LOG.warn(
          "table {} is older than {}, which is kept", next.table().epoch(), view.table().epoch());
      next = new ClusterView(view.table(), next.gateways());
    }
    if (!next.equals(view)) {
      view = next;
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
  private Map<String, URI> gateways() {
    Map<String, URI> gateways = new LinkedHashMap<>();
    for (Member member : hazelcast.getCluster().getMembers()) {
      String id = member.getAttribute(GATEWAY_ID);
      if (id != null) {
        gateways.putIfAbsent(id, URI.create(member.getAttribute(GATEWAY_ADDRESS)));
      }
    }
    return gateways;
  }

  private OwnershipTable read() {
    byte[] bytes = tables.get(TABLE_KEY);
    if (bytes == null) {
      return view.table();
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
    thread.shutdownNow();
    hazelcast.shutdown();
  }
}
