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

/** The owner's side of one host. Not for several threads. Times in ms of any steady clock. */
public final class OwnerSide {
  /** A session with so many bodies behind is over. */
  static final int MAX_BEHIND = 256;

  /** Most bodies that are sent together. */
  static final int MAX_TOGETHER = 64;

  static final long RETRY_MILLIS = 300;
  static final long LATER_MILLIS = 50;
  static final long MOST_LATER_MILLIS = 1_000;
  static final long ASK_WHETHER_WHOLE_MILLIS = 100;
  static final long ASK_WHETHER_THERE_MILLIS = 2_000;

  /** What happens. */
  public sealed interface Event {
    /**
     * The table names these gateways as copies.
     *
     * @param peers their ids
     */
    record Copies(Set<String> peers) implements Event {}

    /** A body has been taken into memory. */
    record Taken(long body) implements Event {}

    /**
     * The journal has given its word on a body.
     *
     * @param forced whether it was asked to force it to the disk
     */
    record Journaled(long body, boolean forced, boolean kept) implements Event {}

    /** A copy answered what was sent as {@code number} of a session. */
    record Answered(String peer, long session, long number, Reply reply) implements Event {}

    /** The owner has fetched samples from another gateway that its copies may not have. */
    record Merged() implements Event {}

    record TimePassed() implements Event {}
  }

  /** What has to be done. */
  public sealed interface Effect {
    /**
     * Sends bodies to a copy; none of them just asks how it is.
     *
     * @param number of the first body within the session
     */
    record Send(String peer, long session, long number, List<Long> bodies) implements Effect {}

    /** Puts a body into the journal, perhaps for the second time. */
    record Write(long body, boolean forced) implements Effect {}

    /** The sender may be told that a body is kept. */
    record Keep(long body) implements Effect {}

    /** The sender must come again with a body. */
    record GiveBack(long body) implements Effect {}

    /** Nobody asks for a body any more. */
    record Forget(long body) implements Effect {}

    /** These copies have all that the owner has. */
    record Report(Set<String> synced) implements Effect {}
  }

  private static final class Link {
    final String peer;
    final Deque<Long> behind = new ArrayDeque<>();
    long session;
    long nextNumber = 1;
    boolean up;
    boolean synced;

    /** What is under way; null when nothing is. */
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

    /** In how many links it stands. */
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
   * @param replicated whether a body that no copy has must be on the disk
   * @param firstSession higher than any that this gateway began for this host before
   */
  public OwnerSide(boolean replicated, long firstSession) {
    this.replicated = replicated;
    this.lastSession = firstSession;
  }

  /** Copies that have all that was acknowledged. */
  public Set<String> synced() {
    Set<String> synced = new TreeSet<>();
    links.values().stream().filter(link -> link.synced).forEach(link -> synced.add(link.peer));
    return synced;
  }

  /** Whether there are copies to send to. */
  public boolean hasPeers() {
    return !links.isEmpty();
  }

  public void on(Event event, long now, Consumer<Effect> effects) {
    switch (event) {
      case Event.Copies copies -> copies(copies.peers(), now, effects);
      case Event.Taken taken -> taken(taken.body(), now, effects);
      case Event.Journaled journaled -> journaled(journaled, effects);
      case Event.Answered answered -> answered(answered, now, effects);
      case Event.Merged merged -> merged(now, effects);
      case Event.TimePassed passed -> links.values().forEach(link -> look(link, now, effects));
    }
  }

  private void copies(Set<String> peers, long now, Consumer<Effect> effects) {
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

  /** A copy compares itself with the owner at the beginning of a session, so others begin. */
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
      // Where a session is being opened it may stand already, and then the copy does not ask for
      // this any more; but nobody waits for it.
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
      return; // of a session that is over, or the same answer twice
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
        // Somebody else may be the owner by now, and does not know of these.
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
    if (link.synced != whole) {
      link.synced = whole;
      effects.accept(new Effect.Report(synced()));
    }
    pump(link, now, effects);
  }

  private void fail(Link link, long now, Consumer<Effect> effects) {
    boolean was = link.synced;
    end(link, effects);
    link.retryAt = now + RETRY_MILLIS;
    if (was) {
      effects.accept(new Effect.Report(synced()));
    }
  }

  /** What waits for a copy that is not to be waited for has to be safe without it. */
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

  /** This gateway is the owner no more: what nobody has been told of goes back. */
  public void close(Consumer<Effect> effects) {
    links.clear();
    pending.values().forEach(one -> one.links = 0);
    List.copyOf(pending.keySet()).forEach(body -> giveBack(body, effects));
    List.copyOf(pending.keySet()).forEach(body -> forget(body, pending.get(body), effects));
  }
}
