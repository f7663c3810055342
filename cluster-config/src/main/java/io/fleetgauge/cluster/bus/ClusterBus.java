package io.fleetgauge.cluster.bus;

import com.hazelcast.core.HazelcastInstance;
import io.fleetgauge.cluster.bus.MessageForm.Envelope;
import io.fleetgauge.cluster.member.ClusterMember;
import io.fleetgauge.runtime.http.Guard;
import io.fleetgauge.runtime.process.Meters;
import io.fleetgauge.runtime.trust.ClusterKey;
import io.fleetgauge.runtime.trust.ClusterKey.Purpose;
import io.fleetgauge.runtime.trust.Seal;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import io.vertx.core.VertxOptions;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.eventbus.EventBus;
import io.vertx.core.eventbus.EventBusOptions;
import io.vertx.core.eventbus.Message;
import io.vertx.core.eventbus.MessageConsumer;
import io.vertx.spi.cluster.hazelcast.HazelcastClusterManager;
import java.security.SecureRandom;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executors;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.LongConsumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * This process's end of the clustered event bus. Safe for all threads; nothing here waits for the
 * caller.
 *
 * <p>The bus has a clustered Vert.x of its own, around the Hazelcast instance that the process has
 * joined with. It is not the Vert.x of the HTTP listener, for two reasons. The cluster manager
 * calls Hazelcast on worker threads, and a frozen member can block such a call for seconds: these
 * threads are the bus's alone, so nothing else waits with them. And HTTP listens before the cluster
 * is joined, which takes seconds, while a clustered Vert.x exists only after.
 *
 * <p>Registrations lie in Hazelcast, in the memory of gateways. The bus connects when the cluster
 * has a gateway. When gateways went together with the copies of what they held, each process
 * registers again.
 */
public final class ClusterBus implements AutoCloseable {
  /** The address of hints, which gateways and query APIs receive. */
  static final String HINTS = "fleetgauge.hints";

  private static final Logger LOG = LoggerFactory.getLogger(ClusterBus.class);
  private static final int CONNECT_EVERY_MILLIS = 500;
  private static final int CONNECT_TIMEOUT_MILLIS = 1_000;
  private static final int PING_MILLIS = 2_000;
  private static final int WORKERS = 4;
  private static final long CLOSE_MILLIS = 2_000;

  private final HazelcastInstance hazelcast;
  private final String host;
  private final long life = new SecureRandom().nextLong();
  private final Seal seal;
  private final Inbox inbox;
  private final BusCounts counts = new BusCounts();
  private final ScheduledExecutorService thread;
  private final List<LongConsumer> onTable = new CopyOnWriteArrayList<>();
  private final List<Runnable> onTenants = new CopyOnWriteArrayList<>();
  private volatile Optional<Vertx> vertx = Optional.empty();
  private Optional<MessageConsumer<Buffer>> consumer = Optional.empty();
  private HazelcastClusterManager manager;
  private boolean isConnecting;
  private volatile boolean isLost;
  private long sequence;
  private long lastEpoch;
  private volatile boolean closing;

  private ClusterBus(HazelcastInstance hazelcast, String host, String name, ClusterKey key) {
    this.hazelcast = hazelcast;
    this.host = host;
    this.seal = new Seal(key, Purpose.MESSAGE);
    this.inbox = new Inbox(seal);
    this.thread =
        Executors.newSingleThreadScheduledExecutor(
            Thread.ofPlatform().daemon().name("cluster-bus-" + name).factory());
  }

  /**
   * Begins to connect, and returns at once. Exchanges hints from then on: when one process learns
   * of a newer table or a changed tenants file, the others read it now instead of at their next
   * turn.
   *
   * @param member the process's member; its Hazelcast instance carries the registrations
   * @param host the address that other members reach; a private one
   * @param name by which people know this process
   * @param guard has the tenants file and the cluster's key
   */
  public static ClusterBus start(ClusterMember member, String host, String name, Guard guard) {
    ClusterBus bus = startWith(member.hazelcast(), host, name, guard.key());
    bus.exchangeHints(member, guard);
    return bus;
  }

  /** Begins to send hints, and to follow those of others. */
  void exchangeHints(ClusterMember member, Guard guard) {
    onTableChanged(
        epoch -> {
          if (epoch != member.view().table().epoch()) {
            member.poll();
          }
        });
    member.onChange(view -> tableChanged(view.table().epoch()));
    onTenantsChanged(guard::look);
    guard.onTenantsChange(this::tenantsChanged);
  }

  /**
   * @param key proves that messages come from processes of the cluster
   */
  static ClusterBus startWith(
      HazelcastInstance hazelcast, String host, String name, ClusterKey key) {
    ClusterBus bus = new ClusterBus(hazelcast, host, name, key);
    // Not from the list of members: all gateways can be replaced between two checks of it.
    hazelcast.getPartitionService().addPartitionLostListener(lost -> bus.isLost = true);
    bus.every(CONNECT_EVERY_MILLIS, bus::connectOrRepair);
    return bus;
  }

  /** Declares the counters of the bus. */
  public void declare(Meters meters) {
    meters.counter("bus_messages_sent", "Messages sent to other members.", counts::sent);
    meters.counter(
        "bus_messages_not_sent",
        "Messages dropped because the event bus was not connected.",
        counts::notSent);
    meters.counter(
        "bus_messages_received", "Messages accepted from other members.", counts::received);
    meters.counters(
        "bus_messages_rejected",
        "Messages ignored, by reason: too long, unreadable, not authenticated, stale or repeated.",
        "reason",
        counts::rejected);
    meters.gauge(
        "bus_connected",
        "Whether the event bus is connected: 1 or 0.",
        () -> vertx.isPresent() ? 1 : 0);
  }

  /** Tells the other members that the table has changed, unless they said so first. */
  void tableChanged(long epoch) {
    run(
        () -> {
          if (epoch != lastEpoch) {
            lastEpoch = epoch;
            send(new BusMessage.TableChanged(epoch));
          }
        });
  }

  /** Tells the other members that the tenants file has changed. */
  void tenantsChanged() {
    run(() -> send(new BusMessage.TenantsChanged()));
  }

  /**
   * Calls a listener with the epoch when another member says that the table has changed; on the
   * bus's thread, so it must be quick.
   */
  void onTableChanged(LongConsumer listener) {
    onTable.add(listener);
  }

  /** As {@link #onTableChanged}, for the tenants file. */
  void onTenantsChanged(Runnable listener) {
    onTenants.add(listener);
  }

  BusCounts counts() {
    return counts;
  }

  /** Runs a task on the bus's thread, soon. */
  void run(Runnable task) {
    try {
      thread.execute(guarded(task));
    } catch (RejectedExecutionException e) {
      LOG.debug("not done, because the bus is closed: {}", e.toString());
    }
  }

  /** Runs a task on the bus's thread, again and again. */
  void every(long millis, Runnable task) {
    thread.scheduleWithFixedDelay(guarded(task), 0, millis, TimeUnit.MILLISECONDS);
  }

  private Runnable guarded(Runnable task) {
    return () -> {
      try {
        task.run();
      } catch (RuntimeException e) {
        if (!closing) {
          LOG.warn("a task of the event bus failed", e);
        }
      }
    };
  }

  private void connectOrRepair() {
    boolean hasData =
        hazelcast.getLifecycleService().isRunning()
            && hazelcast.getCluster().getMembers().stream()
                .anyMatch(member -> !member.isLiteMember());
    if (!hasData || isConnecting || closing) {
      return;
    }
    if (vertx.isEmpty()) {
      isConnecting = true;
      connect();
    } else if (isLost) {
      isLost = false;
      repair();
    }
  }

  private void connect() {
    VertxOptions options =
        new VertxOptions()
            .setEventLoopPoolSize(1)
            .setWorkerPoolSize(WORKERS)
            .setInternalBlockingPoolSize(WORKERS)
            .setEventBusOptions(
                new EventBusOptions()
                    .setHost(host)
                    .setPort(0)
                    .setConnectTimeout(CONNECT_TIMEOUT_MILLIS)
                    .setClusterPingInterval(PING_MILLIS)
                    .setClusterPingReplyInterval(PING_MILLIS));
    manager = new HazelcastClusterManager(hazelcast);
    Vertx.builder()
        .with(options)
        .withClusterManager(manager)
        .buildClustered()
        .onComplete(done -> run(() -> connected(done.result(), done.cause())));
  }

  private void connected(Vertx made, Throwable failure) {
    isConnecting = false;
    if (failure != null) {
      LOG.warn("the event bus cannot be connected, retrying: {}", failure.toString());
      return;
    }
    if (closing) {
      made.close();
      return;
    }
    // Messages are bytes; objects that were serialized elsewhere are not read.
    made.eventBus().serializableChecker(type -> false).clusterSerializableChecker(type -> false);
    vertx = Optional.of(made);
    listen(made.eventBus());
  }

  private void listen(EventBus bus) {
    consumer.ifPresent(MessageConsumer::unregister);
    MessageConsumer<Buffer> of = bus.consumer(HINTS, this::receive);
    consumer = Optional.of(of);
    of.completion()
        .onFailure(
            failure ->
                run(
                    () -> {
                      if (consumer.filter(each -> each == of).isPresent()) {
                        repairAgain(failure);
                      }
                    }));
  }

  /** Registers this process again, because the gateways that knew of it are gone. */
  private void repair() {
    Promise<Void> known = Promise.promise();
    manager.setNodeInfo(manager.getNodeInfo(), known);
    known
        .future()
        .onSuccess(done -> run(() -> vertx.ifPresent(connected -> listen(connected.eventBus()))))
        .onFailure(this::repairAgain);
  }

  private void repairAgain(Throwable failure) {
    if (!closing) {
      LOG.warn("the event bus is not repaired yet: {}", failure.toString());
      isLost = true;
    }
  }

  private void send(BusMessage message) {
    if (vertx.isEmpty()) {
      counts.countNotSent();
      return;
    }
    Envelope envelope = new Envelope(life, ++sequence, System.currentTimeMillis(), message);
    publish(seal.seal(MessageForm.toBytes(envelope)));
    counts.countSent();
  }

  /** Sends bytes as they are; nothing when the bus is not connected. */
  void publish(byte[] bytes) {
    vertx.ifPresent(connected -> connected.eventBus().publish(HINTS, Buffer.buffer(bytes)));
  }

  boolean isConnected() {
    return vertx.isPresent();
  }

  private void receive(Message<Buffer> message) {
    Object body = message.body();
    run(
        () -> {
          if (body instanceof Buffer bytes) {
            received(bytes.getBytes());
          } else {
            counts.count(Rejection.UNREADABLE);
          }
        });
  }

  private void received(byte[] bytes) {
    Inbox.Opened opened = inbox.open(bytes, System.currentTimeMillis());
    opened.rejection().ifPresent(counts::count);
    if (opened.envelope().isEmpty()) {
      return;
    }
    Envelope envelope = opened.envelope().get();
    if (envelope.life() == life) {
      return; // published to all, this one included
    }
    counts.countReceived();
    switch (envelope.message()) {
      case BusMessage.TableChanged changed -> {
        lastEpoch = changed.epoch();
        onTable.forEach(listener -> listener.accept(changed.epoch()));
      }
      case BusMessage.TenantsChanged changed -> onTenants.forEach(Runnable::run);
    }
  }

  /** Stops the bus, and leaves Hazelcast running. */
  @Override
  public void close() {
    run(() -> closing = true);
    thread.shutdown();
    try {
      if (!thread.awaitTermination(CLOSE_MILLIS, TimeUnit.MILLISECONDS)) {
        thread.shutdownNow();
      }
      closing = true;
      if (vertx.isPresent()) {
        vertx
            .get()
            .close()
            .toCompletionStage()
            .toCompletableFuture()
            .get(CLOSE_MILLIS, TimeUnit.MILLISECONDS);
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } catch (ExecutionException | TimeoutException e) {
      LOG.warn("the event bus did not close in time: {}", e.toString());
    }
  }
}
