package io.fleetgauge.cluster.member;

import com.hazelcast.cluster.Member;
import com.hazelcast.core.HazelcastInstance;
import io.fleetgauge.cluster.config.ClusterSettings;
import io.fleetgauge.cluster.table.ClusterView;
import io.fleetgauge.cluster.table.Holders.Admission;
import io.fleetgauge.cluster.table.Holders.Stay;
import io.fleetgauge.cluster.table.OwnershipTable;
import io.fleetgauge.cluster.table.PollSchedule;
import io.fleetgauge.cluster.table.Situation.Report;
import io.fleetgauge.cluster.table.TableMachine;
import io.fleetgauge.cluster.table.TableMachine.Effect;
import io.fleetgauge.cluster.table.TableMachine.Event;
import io.fleetgauge.runtime.log.ProblemLog;
import io.fleetgauge.runtime.trust.ClusterKey;
import java.net.URI;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.Callable;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executors;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * This process as a member of the cluster. It carries out what {@link TableMachine} decides, on one
 * thread of its own. Safe for all threads.
 */
public final class ClusterMember implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(ClusterMember.class);

  /** Time in which a member that leaves tries to say so. */
  private static final Duration LEAVE_LIMIT = Duration.ofSeconds(2);

  /**
   * Its listeners are told first, and the event bus's waits for a call to members that may be gone.
   * Longer than members wait for their data to be taken over.
   */
  static final Duration SHUTDOWN_LIMIT = Duration.ofSeconds(15);

  /**
   * A query API that has joined publishes itself within this time, unless it is of another kind.
   */
  private static final long PUBLISH_MILLIS = 5_000;

  /** Interval at which query APIs look for each other. */
  private static final long MEET_MILLIS = 500;

  /** The same once they have found each other; one that joins makes itself known to the others. */
  private static final long MEET_AGAIN_MILLIS = 3_000;

  /** Longest time that a gateway that was killed is still listed as a member. */
  private static final Duration DEAD_MEMBERS_LISTED = Duration.ofSeconds(8);

  private final HazelcastInstance hazelcast;
  private final IgnoredEntries ignored;
  private final Registry registry;
  private final Optional<Gateway> self;
  private final Optional<TableFile> file;
  private final TableMachine machine;
  private final ScheduledExecutorService thread;
  private final ProblemLog problems;
  private final PollSchedule schedule = new PollSchedule(now());
  private final AtomicBoolean reconcileQueued = new AtomicBoolean();
  private final Set<String> registering = ConcurrentHashMap.newKeySet();
  private final List<Consumer<ClusterView>> listeners = new CopyOnWriteArrayList<>();

  /** The newest report on each host; those of hosts that went to another owner are removed. */
  private final Map<String, Report> reported = new ConcurrentHashMap<>();

  private final Set<String> toReport = ConcurrentHashMap.newKeySet();
  private final AtomicBoolean reportQueued = new AtomicBoolean();
  private final AtomicLong expiredHosts = new AtomicLong();
  private final AtomicLong removedHosts = new AtomicLong();
  private volatile ClusterView view;
  private volatile boolean closing;

  /**
   * A gateway's identity.
   *
   * @param id its name in the table
   * @param address where it is reached by HTTP
   * @param zone rack or the like, shared with gateways that may fail with it; empty when not known
   * @param tableFile where the newest table it knows is kept over restarts
   */
  public record Gateway(String id, URI address, String zone, Path tableFile) {}

  /**
   * Joins; returns when the member has joined, which takes seconds.
   *
   * @param gateway this one; empty for a process that only reads, which holds no data
   * @param key proves what members publish to each other
   * @throws IllegalStateException if it cannot join; the message is one line
   */
  public static ClusterMember join(
      ClusterSettings settings, Optional<Gateway> gateway, ClusterKey key) {
    return join(settings, settings::members, gateway, key);
  }

  /**
   * As above, where the members of the settings do not stay the same.
   *
   * @param members where other members may be, {@code host:port} each; asked again and again, so
   *     that members which appear later are found
   */
  public static ClusterMember join(
      ClusterSettings settings,
      Supplier<List<String>> members,
      Optional<Gateway> gateway,
      ClusterKey key) {
    IgnoredEntries ignored = new IgnoredEntries();
    ClusterMember member =
        new ClusterMember(
            Joining.start(settings, members, gateway.isPresent(), key, ignored),
            settings,
            gateway,
            key,
            ignored);
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

  /** Waits for work on this package's thread: what it uses is not for several threads. */
  private <T> T onThread(Callable<T> work) {
    try {
      return thread.submit(work).get();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException("interrupted while the cluster was joined", e);
    } catch (ExecutionException e) {
      throw new IllegalStateException("the cluster does not respond: " + e.getCause(), e);
    }
  }

  private boolean isTaken(String id) {
    long deadline = System.nanoTime() + DEAD_MEMBERS_LISTED.toNanos();
    while (onThread(() -> registry.lists(id))) {
      if (System.nanoTime() > deadline) {
        return true;
      }
      LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(100));
    }
    return false;
  }

  private ClusterMember(
      HazelcastInstance hazelcast,
      ClusterSettings settings,
      Optional<Gateway> self,
      ClusterKey key,
      IgnoredEntries ignored) {
    this.hazelcast = hazelcast;
    this.self = self;
    this.ignored = ignored;
    this.registry =
        new Registry(
            hazelcast,
            key,
            settings.name(),
            self.map(each -> new MemberForm(each.id(), each.address(), each.zone())),
            ignored);
    this.file = self.map(gateway -> new TableFile(gateway.tableFile()));
    this.machine =
        new TableMachine(
            self.map(
                gateway ->
                    new TableMachine.Self(gateway.id(), settings.replication(), startNumber())),
            file.map(TableFile::read).orElse(OwnershipTable.EMPTY));
    this.view = machine.view();
    this.problems = new ProblemLog(LOG::warn, LOG::info);
    this.thread =
        Executors.newSingleThreadScheduledExecutor(
            Thread.ofPlatform().daemon().name("cluster-" + hazelcast.getName()).factory());
  }

  private static long startNumber() {
    SecureRandom random = new SecureRandom();
    long number = random.nextLong();
    return number == 0 ? 1 : number;
  }

  private void start() {
    onThread(
        () -> {
          registry.onChange(this::reconcileSoon);
          reconcile();
          return null;
        });
    thread.scheduleWithFixedDelay(
        this::onTimer, PollSchedule.TICK_MILLIS, PollSchedule.TICK_MILLIS, TimeUnit.MILLISECONDS);
  }

  /**
   * The one Hazelcast instance of this process. Its maps named {@code fleetgauge.*} belong to this
   * package.
   */
  public HazelcastInstance hazelcast() {
    return hazelcast;
  }

  /**
   * Number of times that an entry of another member was ignored, because it cannot be believed or
   * read.
   */
  public long ignoredEntries() {
    return ignored.count();
  }

  /** The newest snapshot; never waits. */
  public ClusterView view() {
    return view;
  }

  /** Calls {@code listener} with every new snapshot, on this package's thread; it must be quick. */
  public void onChange(Consumer<ClusterView> listener) {
    listeners.add(listener);
    listener.accept(view);
  }

  /**
   * Makes a host known to the cluster, soon; never waits. A host that is known changes nothing.
   *
   * @param admission to the table
   */
  public void register(String host, Admission admission) {
    if (registering.size() >= OwnershipTable.MAX_HOSTS || !registering.add(host)) {
      return;
    }
    run(
        () -> {
          try {
            if (!registry.register(host, admission, OwnershipTable.MAX_HOSTS)) {
              LOG.error(
                  "host {} is rejected: the cluster has {} hosts already, the maximum",
                  host,
                  OwnershipTable.MAX_HOSTS);
            }
          } finally {
            // Asked for again, it is put again: the registry may have been lost with its members.
            registering.remove(host);
          }
        });
  }

  /**
   * Has a host removed from the table and from the stores of all gateways, soon; never waits.
   *
   * @param now ms since the epoch
   */
  public void remove(String host, long now) {
    run(() -> registry.remove(host, now));
  }

  /** Hosts that left tables that this member wrote, because no sample of them is kept. */
  public long expiredHosts() {
    return expiredHosts.get();
  }

  /** Hosts that left tables that this member wrote, because an operator removed them. */
  public long removedHosts() {
    return removedHosts.get();
  }

  /** From now on this gateway may be given hosts; never waits. */
  public void activate() {
    run(() -> reconcile(new Event.Activated()));
  }

  /** From now on this gateway is given no hosts, and those it has move away; never waits. */
  public void retire() {
    run(() -> reconcile(new Event.Retired()));
  }

  /** Reports on a host that this gateway owns, soon; never waits. */
  public void report(String host, Report report) {
    reported.put(host, report);
    toReport.add(host);
    if (reportQueued.compareAndSet(false, true)) {
      run(
          () -> {
            reportQueued.set(false);
            List.copyOf(toReport).forEach(this::send);
          });
    }
  }

  private void send(String host) {
    toReport.remove(host);
    Report newest = reported.get(host);
    if (newest != null) {
      try {
        registry.report(host, newest);
      } catch (RuntimeException e) {
        toReport.add(host);
        throw e;
      }
    }
  }

  /** Reports again what the others do not see: the maps were lost, or somebody else wrote there. */
  private void reportLostOnes() {
    OwnershipTable table = view.table();
    String id = self.orElseThrow().id();
    reported.keySet().removeIf(host -> table.owner(host).filter(id::equals).isEmpty());
    registry.lostReports(Set.copyOf(reported.keySet())).forEach(this::send);
  }

  /**
   * Publishes where this process, a query API, is reached by others of its kind, and looks for them
   * from now on.
   *
   * @param found is called with the others, their addresses by name, again and again; on this
   *     package's thread, so it must be quick
   */
  public void meetQueryApis(String name, URI address, Consumer<Map<String, URI>> found) {
    MemberForm own = new MemberForm(name, address, "");
    long begun = now();
    AtomicLong due = new AtomicLong(begun);
    thread.scheduleWithFixedDelay(
        () -> {
          if (now() < due.get()) {
            return;
          }
          try {
            registry
                .queryApis(own, now() - begun < PUBLISH_MILLIS)
                .ifPresent(
                    others -> {
                      Map<String, URI> byName = new TreeMap<>();
                      others.forEach(each -> byName.put(each.id(), each.address()));
                      byName.remove(name);
                      due.set(now() + MEET_AGAIN_MILLIS);
                      found.accept(byName);
                    });
          } catch (RuntimeException e) {
            LOG.debug("looking for the other query APIs again in a second", e);
          }
        },
        0,
        MEET_MILLIS,
        TimeUnit.MILLISECONDS);
  }

  /** Number of query APIs that are members; never waits. */
  public int queryApis() {
    // Query APIs are the members that hold no data.
    return (int) hazelcast.getCluster().getMembers().stream().filter(Member::isLiteMember).count();
  }

  /** Polls the registry soon, because another member says that there is one; never waits. */
  public void poll() {
    reconcileSoon();
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
              LOG.warn("the cluster did not respond: {}", e.toString());
            }
          });
    } catch (RejectedExecutionException e) {
      LOG.debug("not done, because this member is closing", e);
    }
  }

  private void reconcile(Event event) {
    machine.on(event, this::carryOut);
    reconcile();
  }

  private void reconcile() {
    long now = now();
    try {
      machine.on(registry.poll(now, view.table().members()), this::carryOut);
      problems.update(now, machine.problem());
      if (machine.isUnsettled()) {
        schedule.changed(now);
      }
    } catch (RuntimeException e) {
      schedule.changed(now);
      if (!closing) {
        problems.update(
            now(),
            Optional.of(
                "the cluster does not respond, table "
                    + view.table().epoch()
                    + " stays in use: "
                    + e));
      }
    }
  }

  private void onTimer() {
    boolean isDue = schedule.isDue(now());
    if (isDue) {
      reconcile();
    }
    try {
      if (self.isPresent()) {
        registry.signAgainIfDue();
        if (isDue) {
          reportLostOnes();
        }
      }
    } catch (RuntimeException e) {
      schedule.changed(now());
      LOG.debug("entries are read again in a second", e);
    }
  }

  private static long now() {
    return TimeUnit.NANOSECONDS.toMillis(System.nanoTime());
  }

  private void carryOut(Effect effect) {
    if (effect.changes()) {
      schedule.changed(now());
    }
    switch (effect) {
      case Effect.SetStatus set -> registry.setStatus(self.orElseThrow().id(), set.stated());
      case Effect.Keep keep -> file.ifPresent(each -> each.write(keep.table()));
      case Effect.Publish publish -> publish(publish.view());
      case Effect.Gather gather -> machine.on(registry.gather(), this::carryOut);
      case Effect.Forget forget -> registry.forget(forget.hosts());
      case Effect.Write write -> {
        OwnershipTable table = write.table();
        if (registry.write(table)) {
          LOG.info("table {}: {} hosts on {}", table.epoch(), table.hosts().size(), table.load());
          count(table);
        }
        reconcileSoon();
      }
    }
  }

  private void count(OwnershipTable next) {
    OwnershipTable before = view.table();
    if (before.generation() != next.generation()) {
      return;
    }
    List<String> gone =
        before.hosts().stream().filter(host -> next.holders(host).isEmpty()).toList();
    long removed =
        gone.stream().filter(host -> before.holders().get(host).stay() == Stay.REMOVED).count();
    removedHosts.addAndGet(removed);
    expiredHosts.addAndGet(gone.size() - removed);
    if (!gone.isEmpty()) {
      LOG.info(
          "{} hosts have left the table, {} of them removed by an operator, the others without"
              + " samples within retention: {}",
          gone.size(),
          removed,
          IgnoredEntries.quoted(gone));
    }
  }

  private void publish(ClusterView next) {
    view = next;
    for (Consumer<ClusterView> listener : listeners) {
      listener.accept(next);
    }
  }

  /** Leaves in order: the members that stay take over the data first. */
  @Override
  public void close() {
    closing = true;
    if (self.isPresent()) {
      try {
        thread
            .submit(() -> machine.on(new Event.Leaving(), this::carryOut))
            .get(LEAVE_LIMIT.toMillis(), TimeUnit.MILLISECONDS);
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
      } catch (ExecutionException | TimeoutException | RejectedExecutionException e) {
        LOG.warn("this gateway leaves without notifying the others: {}", e.toString());
      }
    }
    endThread();
    Thread shutdown =
        Thread.ofPlatform().daemon().name("cluster-shutdown").start(hazelcast::shutdown);
    try {
      if (!shutdown.join(SHUTDOWN_LIMIT)) {
        LOG.warn("Hazelcast has not shut down after {} s", SHUTDOWN_LIMIT.toSeconds());
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  /** A call that is interrupted goes on in Hazelcast, which complains of it while it shuts down. */
  private void endThread() {
    thread.shutdown();
    try {
      if (!thread.awaitTermination(LEAVE_LIMIT.toMillis(), TimeUnit.MILLISECONDS)) {
        thread.shutdownNow();
      }
    } catch (InterruptedException e) {
      thread.shutdownNow();
      Thread.currentThread().interrupt();
    }
  }
}
