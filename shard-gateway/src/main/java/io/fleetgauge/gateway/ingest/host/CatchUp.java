package io.fleetgauge.gateway.ingest.host;

import io.fleetgauge.cluster.table.ClusterView;
import io.fleetgauge.cluster.table.Holders;
import java.net.URI;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Fetches what other gateways acknowledged of a host before this one became its owner, or beside
 * it. Until it is here, the lane has a gap, and answers name the host as incomplete. What damaged
 * blocks had is fetched from the host's copies. Only the host's lane thread uses it.
 */
final class CatchUp {
  private static final Logger LOG = LoggerFactory.getLogger(CatchUp.class);

  private static final long AGAIN_MILLIS = 500;

  /** Interval at which copies are asked for the samples of damaged blocks. */
  private static final long REPAIR_MILLIS = 10_000;

  private final String host;
  private final HostSession session;
  private final HostEnvironment environment;
  private final HostTimer timer;
  private final Runnable changed;
  private final Runnable pullEnded;
  private ClusterView view = ClusterView.EMPTY;

  /** Gateways that may have acknowledged what is not here. */
  private final Set<String> behind = new TreeSet<>();

  /** Gateways of which all has been fetched in this ownership. */
  private final Set<String> fetchedFrom = new TreeSet<>();

  /**
   * True if ticks may be missing here and this gateway does not know which, because it was
   * restarted: the table says so, or the journal skips some.
   */
  private boolean hasForgottenWhich;

  private final Set<String> pullsFrom = new TreeSet<>();
  private long nextAt;
  private long repairAt;

  /** Counts the ownerships: what was pulled in an earlier one proves nothing in a later one. */
  private long ownership;

  private boolean isClosed;

  /**
   * @param changed is called when {@link #behind} has changed
   * @param pullEnded is called when a pull has ended, before what it changes
   */
  CatchUp(
      String host,
      HostSession session,
      HostEnvironment environment,
      HostTimer timer,
      Runnable changed,
      Runnable pullEnded) {
    this.host = host;
    this.session = session;
    this.environment = environment;
    this.timer = timer;
    this.changed = changed;
    this.pullEnded = pullEnded;
  }

  void follow(ClusterView newView) {
    view = newView;
  }

  /**
   * An ownership begins.
   *
   * @param gateways those that may have acknowledged what is not here
   * @param mayLackAny whether this gateway may lack anything that it held before it was started
   */
  void begin(Set<String> gateways, boolean mayLackAny) {
    String self = environment.cluster().self();
    ownership++;
    behind.clear();
    behind.addAll(gateways);
    if (mayLackAny) {
      behind.add(self);
    }
    fetchedFrom.clear();
    hasForgottenWhich =
        behind.contains(self) && (mayLackAny || hasForgottenWhich || !session.isMissingTicks());
    lookForMissing();
    if (behind.isEmpty()) {
      // The ticks that an earlier ownership lacked came while this gateway was a replica.
      session.lane().missing().closeGaps();
    } else {
      session.lane().missing().gap(Long.MIN_VALUE, environment.clock());
      timer.dueBy(nextAt);
    }
  }

  /** The journal has been read: what the senders said before is compared with it now. */
  void recovered() {
    if (lookForMissing()) {
      session.lane().missing().gap(Long.MIN_VALUE, environment.clock());
      timer.dueBy(nextAt);
      changed.run();
    }
  }

  /**
   * Returns true if ticks are missing, or may be, of which this was not known before. Which they
   * are, and their times, other gateways or the journal know.
   */
  private boolean lookForMissing() {
    if (session.isReplaying() || !session.isMissingTicks() && !session.mayMissTicks()) {
      return false;
    }
    hasForgottenWhich |= !session.isMissingTicks();
    return behind.add(environment.cluster().self());
  }

  /** The ownership has ended: what arrives from now on is not counted. */
  void close() {
    isClosed = true;
  }

  /** Gateways that may have acknowledged what is not here; this one, if ticks are missing. */
  Set<String> behind() {
    return Set.copyOf(behind);
  }

  boolean isPulling() {
    return !pullsFrom.isEmpty();
  }

  /** As {@link HostRoles#missing}. */
  void missing(HostSession.Missing missing) {
    environment.counts().gapsFound.increment();
    LOG.warn(
        "host {}: ticks up to {} of run {} were acknowledged by another gateway and are not here",
        host,
        missing.last(),
        Long.toHexString(missing.run()));
    session.lane().missing().gap(missing.after(), missing.before());
    behind.add(environment.cluster().self());
    timer.dueBy(nextAt);
    changed.run();
    pullFromAll();
  }

  /** Gateways that may have what is missing are asked again while they are present. */
  void timePassed(long now) {
    if (!environment.isRecovered()) {
      return;
    }
    if (now >= repairAt) {
      repairAt = now + REPAIR_MILLIS;
      repair();
    }
    if (behind.isEmpty()) {
      return;
    }
    if (now < nextAt) {
      timer.dueBy(nextAt);
      return;
    }
    nextAt = now + AGAIN_MILLIS;
    timer.dueBy(nextAt);
    if (behind.contains(environment.cluster().self())) {
      pullFromAll();
    }
    for (String gateway : List.copyOf(behind)) {
      pull(gateway, done -> {});
    }
  }

  /**
   * Asks copies for the samples of damaged blocks: the copies before this gateway was restarted had
   * them.
   */
  private void repair() {
    if (session.lane().missing().isDamaged()) {
      copies().forEach(gateway -> pull(gateway, done -> {}));
    }
  }

  private Set<String> copies() {
    return view.table().holders(host).stream()
        .flatMap(each -> each.copies().stream())
        .map(Holders.Copy::gateway)
        .collect(Collectors.toSet());
  }

  private void pullFromAll() {
    others().forEach(gateway -> pull(gateway, done -> {}));
  }

  /**
   * Fetches all that another gateway has of the host.
   *
   * @param done is given whether all of it is here; false at once when it is being fetched already
   */
  void pull(String gateway, Consumer<Boolean> done) {
    URI address = view.gateways().get(gateway);
    if (gateway.equals(environment.cluster().self())
        || address == null
        || pullsFrom.contains(gateway)) {
      done.accept(false);
      return;
    }
    long begunIn = ownership;
    environment
        .cluster()
        .peers()
        .pull(
            address,
            host,
            pulled ->
                environment.onLane(
                    () -> {
                      pullsFrom.remove(gateway);
                      pullEnded.run();
                      pulled.count(environment.counts());
                      if (pulled.done()) {
                        session.fetched(pulled.progress());
                        if (begunIn == ownership && !isClosed) {
                          session.lane().missing().foundLost(pulled::restores);
                          caughtUpWith(gateway);
                        }
                      }
                      done.accept(pulled.done());
                    }));
    pullsFrom.add(gateway);
  }

  private void caughtUpWith(String gateway) {
    String self = environment.cluster().self();
    fetchedFrom.add(gateway);
    hasForgottenWhich &= !fetchedFrom.containsAll(others());
    if (session.isMissingTicks()) {
      // The other gateway lacks them too.
      recovered();
    } else if (!hasForgottenWhich) {
      isNotBehind(self);
    }
    isNotBehind(gateway);
  }

  private Set<String> others() {
    Set<String> others = new TreeSet<>(view.gateways().keySet());
    others.remove(environment.cluster().self());
    return others;
  }

  /** All that a gateway acknowledged is here now. */
  private void isNotBehind(String gateway) {
    if (behind.remove(gateway)) {
      if (behind.isEmpty()) {
        session.lane().missing().closeGaps();
      }
      changed.run();
    }
  }
}
