package io.fleetgauge.gateway.replication;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Consumer;

/**
 * Decides for one host on the gateway that owns it: when a body is kept, and what is sent to
 * replicas. Not thread-safe. Times in ms of any steady clock.
 */
public final class OwnerSide {
  /** A session ends when more bodies than this wait to be sent. */
  static final int MAX_BEHIND = 256;

  /** Most bodies in one request to a replica. */
  static final int MAX_TOGETHER = 64;

  static final long RETRY_MILLIS = 300;
  static final long LATER_MILLIS = 50;
  static final long MOST_LATER_MILLIS = 1_000;
  static final long ASK_WHETHER_WHOLE_MILLIS = 100;
  static final long ASK_WHETHER_THERE_MILLIS = 2_000;

  /** What happens. */
  public sealed interface Event {
    /**
     * The table names these gateways as replicas.
     *
     * @param peers their ids
     */
    record Replicas(Set<String> peers) implements Event {}

    /** A body has been taken into memory. */
    record Taken(long body) implements Event {}

    /**
     * The journal has written a body, or could not.
     *
     * @param forced whether it was to be synced to the disk
     * @param kept whether it was written
     */
    record Journaled(long body, boolean forced, boolean kept) implements Event {}

    /** A replica answered the request that began with body {@code number} of a session. */
    record Answered(String peer, long session, long number, Reply reply) implements Event {}

    /** The owner has fetched samples from another gateway that its replicas may not have. */
    record Merged() implements Event {}

    record TimePassed() implements Event {}
  }

  /** What has to be done. */
  public sealed interface Effect {
    /**
     * Sends bodies to a replica; without bodies, asks for the replica's state.
     *
     * @param number of the first body within the session
     */
    record Send(String peer, long session, long number, List<Long> bodies) implements Effect {}

    /** Writes a body to the journal, possibly for the second time. */
    record Write(long body, boolean forced) implements Effect {}

    /** Acknowledges a body to its sender. */
    record Keep(long body) implements Effect {}

    /** Asks the sender to send a body again later. */
    record GiveBack(long body) implements Effect {}

    /** A body is no longer needed. */
    record Forget(long body) implements Effect {}

    /** These replicas have all that the owner has. */
    record Report(Set<String> synced) implements Effect {}
  }

  private static final class Link {
    final String peer;
    final Deque<Long> behind = new ArrayDeque<>();
    long session;
    long nextNumber = 1;
    boolean up;
    boolean synced;

    /** Bodies of the request that has no answer yet; null when there is none. */
    List<Long> sent;

    long sentAt;
    long retryAt;
    long laterSince;
    long againAt;

    Link(String peer) {
      this.peer = peer;
    }
  }

  private static final class Pending {
    final Set<String> waiting = new TreeSet<>();

    /** Number of links that still have to send it. */
    int links;

    boolean settled;
    boolean copied;
    boolean written;
    boolean forcing;
    boolean forced;
  }

  private final boolean replicated;
  private final Map<String, Link> links = new TreeMap<>();
  private final Map<Long, Pending> pending = new LinkedHashMap<>();
  private long lastSession;

  /**
   * @param replicated whether a body without a replica must be synced to the disk
   * @param firstSession higher than every session that this gateway began for this host before
   */
  public OwnerSide(boolean replicated, long firstSession) {
    this.replicated = replicated;
    this.lastSession = firstSession;
  }

  /** Replicas that have everything that was acknowledged. */
  public Set<String> synced() {
    Set<String> synced = new TreeSet<>();
    links.values().stream().filter(link -> link.synced).forEach(link -> synced.add(link.peer));
    return synced;
  }

  /** Whether there are replicas to send to. */
  public boolean hasPeers() {
    return !links.isEmpty();
  }

  public void on(Event event, long now, Consumer<Effect> effects) {
    switch (event) {
      case Event.Replicas replicas -> replicas(replicas.peers(), now, effects);
      case Event.Taken taken -> taken(taken.body(), now, effects);
      case Event.Journaled journaled -> journaled(journaled, effects);
      case Event.Answered answered -> answered(answered, now, effects);
      case Event.Merged merged -> merged(now, effects);
      case Event.TimePassed passed -> links.values().forEach(link -> look(link, now, effects));
    }
  }

  private void replicas(Set<String> peers, long now, Consumer<Effect> effects) {
    for (String peer : List.copyOf(links.keySet())) {
      if (!peers.contains(peer)) {
        end(links.get(peer), effects);
        links.remove(peer);
        effects.accept(new Effect.Report(synced()));
      }
    }
    for (String peer : new TreeSet<>(peers)) {
      if (!links.containsKey(peer)) {
        Link link = new Link(peer);
        links.put(peer, link);
        begin(link, now, effects);
      }
    }
  }

  /** A replica compares itself with the owner when a session begins, so new sessions begin. */
  private void merged(long now, Consumer<Effect> effects) {
    for (Link link : links.values()) {
      end(link, effects);
      begin(link, now, effects);
    }
    effects.accept(new Effect.Report(synced()));
  }

  private void taken(long body, long now, Consumer<Effect> effects) {
    Pending one = new Pending();
    pending.put(body, one);
    for (Link link : links.values()) {
      // A session that is being opened may already be open on the replica, which then does not pull
      // this body any more. So it is sent, but its acknowledgement does not wait for this replica.
      if (link.up || link.sent != null) {
        link.behind.add(body);
        one.links++;
      }
      if (link.up) {
        one.waiting.add(link.peer);
      }
    }
    one.forcing = replicated && one.waiting.isEmpty();
    effects.accept(new Effect.Write(body, one.forcing));
    for (Link link : links.values()) {
      if (link.behind.size() > MAX_BEHIND) {
        fail(link, now, effects);
      } else if (link.up) {
        pump(link, now, effects);
      }
    }
  }

  private void journaled(Event.Journaled journaled, Consumer<Effect> effects) {
    Pending one = pending.get(journaled.body());
    if (one == null || one.settled) {
      return;
    }
    if (!journaled.kept()) {
      giveBack(journaled.body(), effects);
      return;
    }
    one.written = true;
    one.forced |= journaled.forced();
    check(journaled.body(), one, effects);
  }

  private void check(long body, Pending one, Consumer<Effect> effects) {
    if (!one.settled
        && one.written
        && one.waiting.isEmpty()
        && (one.copied || one.forced || !replicated)) {
      one.settled = true;
      effects.accept(new Effect.Keep(body));
    }
    forget(body, one, effects);
  }

  private void giveBack(long body, Consumer<Effect> effects) {
    Pending one = pending.get(body);
    if (one != null && !one.settled) {
      one.settled = true;
      effects.accept(new Effect.GiveBack(body));
      forget(body, one, effects);
    }
  }

  private void forget(long body, Pending one, Consumer<Effect> effects) {
    if (one.settled && one.links == 0 && pending.remove(body) != null) {
      effects.accept(new Effect.Forget(body));
    }
  }

  // --- sessions ---

  private void begin(Link link, long now, Consumer<Effect> effects) {
    link.session = ++lastSession;
    link.nextNumber = 1;
    send(link, List.of(), now, effects);
  }

  private void pump(Link link, long now, Consumer<Effect> effects) {
    if (link.sent == null && !link.behind.isEmpty()) {
      List<Long> bodies = new ArrayList<>();
      while (!link.behind.isEmpty() && bodies.size() < MAX_TOGETHER) {
        bodies.add(link.behind.remove());
      }
      send(link, bodies, now, effects);
    }
  }

  private void send(Link link, List<Long> bodies, long now, Consumer<Effect> effects) {
    link.sent = bodies;
    link.sentAt = now;
    link.laterSince = 0;
    link.againAt = Long.MAX_VALUE;
    effects.accept(new Effect.Send(link.peer, link.session, link.nextNumber, bodies));
  }

  private void look(Link link, long now, Consumer<Effect> effects) {
    if (link.sent != null) {
      if (now >= link.againAt) {
        link.againAt = Long.MAX_VALUE;
        effects.accept(new Effect.Send(link.peer, link.session, link.nextNumber, link.sent));
      }
    } else if (!link.up) {
      if (now >= link.retryAt) {
        begin(link, now, effects);
      }
    } else if (now - link.sentAt
        >= (link.synced ? ASK_WHETHER_THERE_MILLIS : ASK_WHETHER_WHOLE_MILLIS)) {
      send(link, List.of(), now, effects);
    }
  }

  private void answered(Event.Answered answered, long now, Consumer<Effect> effects) {
    Link link = links.get(answered.peer());
    if (link == null
        || link.sent == null
        || link.session != answered.session()
        || link.nextNumber != answered.number()) {
      return; // of a session that has ended, or a repeated answer
    }
    switch (answered.reply()) {
      case WHOLE, KEPT -> delivered(link, answered.reply() == Reply.WHOLE, now, effects);
      case LATER -> {
        link.laterSince = link.laterSince == 0 ? now : link.laterSince;
        if (now - link.laterSince >= MOST_LATER_MILLIS) {
          fail(link, now, effects);
        } else {
          link.againAt = now + LATER_MILLIS;
        }
      }
      case STRANGER -> {
        // Another gateway may be the owner by now, and does not have these bodies.
        undelivered(link).forEach(body -> giveBack(body, effects));
        fail(link, now, effects);
      }
      case BROKEN, FAILED -> fail(link, now, effects);
    }
  }

  private void delivered(Link link, boolean whole, long now, Consumer<Effect> effects) {
    List<Long> bodies = link.sent;
    link.sent = null;
    link.nextNumber += bodies.size();
    link.up = true;
    for (long body : bodies) {
      Pending one = pending.get(body);
      if (one != null) {
        one.copied = true;
        one.links--;
        one.waiting.remove(link.peer);
        check(body, one, effects);
      }
    }
    boolean isSynced = whole && (link.synced || !lacksAny(link));
    if (link.synced != isSynced) {
      link.synced = isSynced;
      effects.accept(new Effect.Report(synced()));
    }
    pump(link, now, effects);
  }

  /**
   * Whether a body still has to be sent to a replica that is acknowledged without it, because the
   * session was being opened when it came.
   */
  private boolean lacksAny(Link link) {
    return link.behind.stream().anyMatch(body -> !pending.get(body).waiting.contains(link.peer));
  }

  private void fail(Link link, long now, Consumer<Effect> effects) {
    boolean was = link.synced;
    end(link, effects);
    link.retryAt = now + RETRY_MILLIS;
    if (was) {
      effects.accept(new Effect.Report(synced()));
    }
  }

  /** Ends a session. Bodies that waited for this replica only are synced to the disk instead. */
  private void end(Link link, Consumer<Effect> effects) {
    List<Long> undelivered = undelivered(link);
    link.up = false;
    link.synced = false;
    link.sent = null;
    link.behind.clear();
    for (long body : undelivered) {
      Pending one = pending.get(body);
      one.links--;
      one.waiting.remove(link.peer);
      if (!one.settled && one.waiting.isEmpty() && !one.copied && !one.forcing && replicated) {
        one.forcing = true;
        effects.accept(new Effect.Write(body, true));
      }
      check(body, one, effects);
    }
  }

  private static List<Long> undelivered(Link link) {
    List<Long> bodies = new ArrayList<>(link.sent == null ? List.of() : link.sent);
    bodies.addAll(link.behind);
    return bodies;
  }

  /** This gateway is no longer the owner: asks for bodies again that were not acknowledged. */
  public void close(Consumer<Effect> effects) {
    links.clear();
    pending.values().forEach(one -> one.links = 0);
    List.copyOf(pending.keySet()).forEach(body -> giveBack(body, effects));
    List.copyOf(pending.keySet()).forEach(body -> forget(body, pending.get(body), effects));
  }
}
