package io.fleetgauge.load.sim;

import io.fleetgauge.cluster.table.ClusterView;
import io.fleetgauge.cluster.table.Holders.Admission;
import io.fleetgauge.cluster.table.Membership;
import io.fleetgauge.cluster.table.OwnershipTable;
import io.fleetgauge.cluster.table.PollSchedule;
import io.fleetgauge.cluster.table.Situation.Registered;
import io.fleetgauge.cluster.table.Situation.Report;
import io.fleetgauge.cluster.table.TableForm.Shared;
import io.fleetgauge.cluster.table.TableMachine;
import io.fleetgauge.cluster.table.TableMachine.Effect;
import io.fleetgauge.cluster.table.TableMachine.Event;
import java.net.URI;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/**
 * One process as a member of the cluster: carries out on the simulated registry what {@link
 * TableMachine} decides, as {@code ClusterMember} does on Hazelcast.
 */
final class SimulatedMember {
  /** The process that is a member. */
  interface Host {
    String id();

    /** Empty for a process that only reads. */
    Optional<URI> address();

    /** False once the process has ended. */
    boolean isRunning();

    /** Tells whether it is running and not frozen. */
    boolean isAwake();

    /** Keeps a table for the next start. */
    void keep(OwnershipTable table);

    void publish(ClusterView view);
  }

  private final Simulation simulation;
  private final SimulatedCluster cluster;
  private final Host host;
  private final TableMachine machine;
  private int joins;
  private long joined;
  private Shared seen = new Shared.Nothing();
  private PollSchedule schedule;

  /** The newest report on each host. */
  private final Map<String, Report> reported = new TreeMap<>();

  SimulatedMember(
      Simulation simulation,
      SimulatedCluster cluster,
      Host host,
      Optional<Integer> replication,
      OwnershipTable kept) {
    this.simulation = simulation;
    this.cluster = cluster;
    this.host = host;
    this.machine =
        new TableMachine(
            replication.map(
                copies -> new TableMachine.Self(host.id(), copies, start(simulation.now()))),
            kept);
  }

  /** Another one for each gateway and each of its starts. */
  private long start(long now) {
    return (now + 1) << 32 | host.id().hashCode() & 0xffff_ffffL;
  }

  String id() {
    return host.id();
  }

  boolean isGateway() {
    return host.address().isPresent();
  }

  boolean isRunning() {
    return host.isRunning();
  }

  boolean isAwake() {
    return host.isAwake();
  }

  ClusterView view() {
    return machine.view();
  }

  Optional<Membership> asGateway() {
    return host.address().map(address -> new Membership(id(), session(), "", address));
  }

  private String session() {
    return id() + "-" + joined + "-" + joins;
  }

  void join() {
    joined = simulation.now();
    schedule = new PollSchedule(joined);
    cluster.join(this);
    simulation.every(
        PollSchedule.TICK_MILLIS,
        () -> {
          if (isAwake() && schedule.isDue(simulation.now())) {
            poll();
            reportLostOnes();
          }
          return isRunning();
        });
  }

  /** Its side of a split has joined another one. */
  void joinAnew() {
    joins++;
  }

  void activate() {
    machine.on(new Event.Activated(), this::carryOut);
    poll();
  }

  void retire() {
    machine.on(new Event.Retired(), this::carryOut);
    poll();
  }

  /** It leaves on purpose. */
  void leave() {
    machine.on(new Event.Leaving(), this::carryOut);
    cluster.remove(this);
  }

  void register(String name, Admission admission) {
    cluster
        .sideOf(this)
        .filter(side -> side.hosts.putIfAbsent(name, new Registered(admission, false)) == null)
        .ifPresent(cluster::changed);
  }

  void report(String name, Report report) {
    reported.put(name, report);
    cluster.sideOf(this).ifPresent(side -> put(side, name, report));
  }

  private void put(SimulatedCluster.Side side, String name, Report report) {
    side.reports.put(name, new SimulatedCluster.SessionReport(session(), report));
    cluster.changed(side);
  }

  /** Reports again what the others do not see. */
  private void reportLostOnes() {
    reported.keySet().removeIf(host -> view().table().owner(host).filter(id()::equals).isEmpty());
    cluster
        .sideOf(this)
        .ifPresent(
            side ->
                reported.forEach(
                    (host, report) -> {
                      if (!new SimulatedCluster.SessionReport(session(), report)
                          .equals(side.reports.get(host))) {
                        put(side, host, report);
                      }
                    }));
  }

  void poll() {
    if (!isAwake()) {
      return;
    }
    cluster
        .sideOf(this)
        .filter(side -> !side.listsAnother(this))
        .ifPresent(
            side -> {
              seen = side.table;
              machine.on(
                  new Event.Polled(
                      simulation.now(),
                      session(),
                      side.gateways(),
                      seen,
                      Map.copyOf(side.statuses)),
                  this::carryOut);
              if (machine.isUnsettled()) {
                schedule.changed(simulation.now());
              }
            });
  }

  private void carryOut(Effect effect) {
    if (effect.changes()) {
      schedule.changed(simulation.now());
    }
    Optional<SimulatedCluster.Side> side = cluster.sideOf(this);
    switch (effect) {
      case Effect.SetStatus set ->
          change(
              side,
              each -> {
                Membership.Status status = new Membership.Status(session(), set.stated());
                return !status.equals(each.statuses.put(id(), status));
              });
      case Effect.Keep keep -> host.keep(keep.table());
      case Effect.Publish publish -> host.publish(publish.view());
      case Effect.Gather gather ->
          side.ifPresent(
              each ->
                  machine.on(
                      new Event.Gathered(Map.copyOf(each.hosts), each.believedReports()),
                      this::carryOut));
      case Effect.Forget forget ->
          change(
              side,
              each -> {
                each.reports.keySet().removeAll(forget.hosts());
                return each.hosts.keySet().removeAll(forget.hosts());
              });
      case Effect.Write write -> {
        Shared replaced = seen;
        long before =
            Math.max(
                view().table().epoch(),
                seen instanceof Shared.Table(OwnershipTable table) ? table.epoch() : 0);
        side.ifPresent(each -> soon(() -> cluster.write(each, replaced, write.table(), before)));
        simulation.after(1, this::poll);
      }
    }
  }

  private interface Change {
    boolean apply(SimulatedCluster.Side side);
  }

  private void change(Optional<SimulatedCluster.Side> side, Change change) {
    side.filter(change::apply).ifPresent(cluster::changed);
  }

  /** A call to the registry mostly takes no time, and sometimes others are faster. */
  private void soon(Runnable call) {
    if (simulation.random.nextInt(10) != 0) {
      call.run();
    } else {
      simulation.after(
          1 + simulation.random.nextInt(50),
          () -> {
            if (isAwake()) {
              call.run();
            }
          });
    }
  }
}
