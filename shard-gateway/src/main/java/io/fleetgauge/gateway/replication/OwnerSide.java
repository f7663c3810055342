package io.fleetgauge.gateway.replication;

import java.util.ArrayList;
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
  /**
   * Most bodies that wait to be sent to one replica. Senders are slowed down when there are more;
   * while a session is being opened, it ends instead.
   */
  static final int MAX_BEHIND = 256;

  /** Most bytes of these bodies, unless there is only one. */
  static final long MAX_BEHIND_BYTES = 16L << 20;

  /**
   * Senders wait while a body is not acknowledged for this long: they would send it again, and each
   * time it would be written again.
   */
  public static final long LATE_MILLIS = 2_000;

  /** Most bodies in one request to a replica. */
  static final int MAX_TOGETHER = 64;

  /** Most bytes in one request, unless it has only one body. */
  static final long MAX_TOGETHER_BYTES = 8L << 20;

  /** A session ends when the replica has not answered for this long. */
  public static final long SILENCE_MILLIS = 5_000;

  /** A request without an answer is sent again after this long, then after twice as long. */
  static final long AGAIN_MILLIS = 1_000;

  /** A request that failed is sent again after this long. */
  static final long FAILED_MILLIS = 300;

  /** A replica that answers that it needs more time is asked again after this long. */
  static final long LATER_MILLIS = 50;

  /** At last it is asked again after this long. */
  static final long LONGEST_LATER_MILLIS = 400;

  /** A session ends when the replica has asked for more time for this long. */
  static final long MOST_LATER_MILLIS = 30_000;

  /** A new session begins this long after one has ended. */
  static final long RETRY_MILLIS = 300;

  static final long ASK_WHETHER_WHOLE_MILLIS = 100;
  static final long ASK_WHETHER_THERE_MILLIS = 5_000;

  /**
   * Bodies are acknowledged without a replica that was called synced when the table says that it is
   * not and it is not read any more, at the latest after this long: on the small side of a split
   * the table stays. One that answers that it believes in the table before is waited for longer.
   */
  public static final long TELL_MILLIS = 1_000;

  /** A longer time between two looks is not counted as a silence of replicas. */
  static final long LONGEST_LOOK_MILLIS = 250;

  /** While an answer is missing, looks are wanted so often that all of the silence counts. */
  static final long LOOK_MILLIS = LONGEST_LOOK_MILLIS / 2;

  /** The events that the owner is told. */
  public sealed interface Event {
    /**
     * The table names these gateways as replicas.
     *
     * @param peers their ids, and whether the table calls each of them synced
     * @param readable ids of gateways, replicas or not, that answer for the host by the table
     *     before, as long as they have not learned of this one
     */
    record Replicas(Map<String, Boolean> peers, Set<String> readable) implements Event {
      /** All have learned of the table. */
      public Replicas(Map<String, Boolean> peers) {
        this(peers, Set.of());
      }
    }

    /** A body has been taken into memory. */
    record Taken(long body, long bytes) implements Event {}

    /**
     * The journal has written a body, or could not.
     *
     * @param forced whether it was to be synced to the disk
     * @param kept whether it was written
     */
    record Journaled(long body, boolean forced, boolean kept) implements Event {}

    /** A replica answered one of the requests of a delivery. */
    record Answered(String peer, long delivery, ReplicaReply reply) implements Event {}

    /** The owner has fetched samples from another gateway that its replicas may not have. */
    record Merged() implements Event {}

    record TimePassed() implements Event {}
  }

  /** The work that follows from an event. */
  public sealed interface Effect {
    /**
     * Sends bodies to a replica; without bodies, asks for the replica's state.
     *
     * @param delivery names what is sent; the same when it is sent again
     * @param number of the first body within the session
     */
    record Send(String peer, long session, long delivery, long number, List<Long> bodies)
        implements Effect {}

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

    /** A request is sent again. */
    record Repeated(String peer) implements Effect {}

    /** A session with a replica has ended, because of its answer. */
    record Lost(String peer, ReplicaReply because) implements Effect {}
  }

  private final boolean replicated;
  private final Map<String, Link> links = new TreeMap<>();
  private final Map<Long, Pending> pending = new LinkedHashMap<>();
  private long lastSession;
  private long lastDelivery;
  private long lookedAt = Long.MIN_VALUE;

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

  /** Returns true if a replica has everything that was acknowledged. */
  public boolean isSynced(String peer) {
    Link link = links.get(peer);
    return link != null && link.synced;
  }

  /** Returns true if there are replicas to send to, or former ones to wait for. */
  public boolean hasPeers() {
    return !links.isEmpty();
  }

  /**
   * Returns true if a replica takes bodies more slowly than they come, so that senders have to
   * wait.
   */
  public boolean isFull() {
    return links.values().stream().anyMatch(link -> link.up && link.isFull());
  }

  /** Returns true if journal or replicas are so slow that senders have to wait. */
  public boolean isLate(long now) {
    for (Pending one : pending.values()) {
      if (!one.settled) {
        return now - one.takenAt >= LATE_MILLIS;
      }
    }
    return false;
  }

  public void on(Event event, long now, Consumer<Effect> effects) {
    switch (event) {
      case Event.Replicas replicas -> replicas(replicas, now, effects);
      case Event.Taken taken -> taken(taken, now, effects);
      case Event.Journaled journaled -> journaled(journaled, effects);
      case Event.Answered answered -> answered(answered, now, effects);
      case Event.Merged merged -> merged(now, effects);
      case Event.TimePassed passed -> timePassed(now, effects);
    }
  }

  private void replicas(Event.Replicas table, long now, Consumer<Effect> effects) {
    for (Link link : List.copyOf(links.values())) {
      if (!link.isFormer && !table.peers().containsKey(link.peer)) {
        boolean isReadable = table.readable().contains(link.peer);
        if (isReadable) {
          link.waitUntilTold(now);
        }
        end(link, now, effects);
        if (isReadable) {
          link.isFormer = true;
          begin(link, now, effects);
        } else {
          forgetLink(link, effects);
        }
        effects.accept(new Effect.Report(synced()));
      }
    }
    new TreeMap<>(table.peers())
        .forEach(
            (peer, isNamed) -> {
              boolean isReadable = table.readable().contains(peer);
              Link link = links.computeIfAbsent(peer, Link::new);
              boolean isNew = link.session == 0;
              link.isOfAnotherOwner |= isNew && isReadable;
              named(link, isNamed, isReadable, now, effects);
              if (isNew) {
                begin(link, now, effects);
              }
            });
    for (String peer : new TreeSet<>(table.readable())) {
      if (!links.containsKey(peer)) {
        Link link = new Link(peer);
        link.isFormer = true;
        link.waitUntilTold(now);
        links.put(peer, link);
        begin(link, now, effects);
      }
    }
  }

  private void forgetLink(Link link, Consumer<Effect> effects) {
    told(link, effects);
    links.remove(link.peer);
  }

  private void named(
      Link link, boolean isNamed, boolean isReadable, long now, Consumer<Effect> effects) {
    boolean isNews = isNamed != link.named || link.session == 0;
    if (isNews && (isNamed || isReadable)) {
      link.waitUntilTold(now);
    } else if (!isNamed && link.named) {
      told(link, effects);
    }
    link.named = isNamed;
  }

  /** A replica compares itself with the owner when a session begins, so new sessions begin. */
  private void merged(long now, Consumer<Effect> effects) {
    for (Link link : links.values()) {
      if (!link.isFormer) {
        end(link, now, effects);
        begin(link, now, effects);
      }
    }
    effects.accept(new Effect.Report(synced()));
  }

  private void taken(Event.Taken taken, long now, Consumer<Effect> effects) {
    Pending one = new Pending(taken.bytes(), now);
    pending.put(taken.body(), one);
    for (Link link : links.values()) {
      // A session that is being opened may already be open on the replica, which then does not pull
      // this body any more. So it is sent, but its acknowledgement does not wait for this replica.
      if (!link.isFormer && (link.up || link.sent != null)) {
        link.behind.add(taken.body());
        link.behindBytes += one.bytes;
        one.links++;
      }
      if (link.up) {
        one.waiting.add(link.peer);
      } else if (link.isToBeTold()) {
        one.untold.add(link.peer);
      }
    }
    one.forcing = replicated && one.waiting.isEmpty();
    effects.accept(new Effect.Write(taken.body(), one.forcing));
    for (Link link : links.values()) {
      if (link.up) {
        pump(link, now, effects);
      } else if (link.isFull()) {
        fail(link, ReplicaReply.LATER, now, effects);
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
        && one.untold.isEmpty()
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
      long bytes = 0;
      while (!link.behind.isEmpty() && bodies.size() < MAX_TOGETHER) {
        long more = pending.get(link.behind.element()).bytes;
        if (!bodies.isEmpty() && bytes + more > MAX_TOGETHER_BYTES) {
          break;
        }
        bytes += more;
        bodies.add(link.behind.remove());
      }
      link.behindBytes -= bytes;
      send(link, bodies, now, effects);
    }
  }

  private void send(Link link, List<Long> bodies, long now, Consumer<Effect> effects) {
    link.sent = bodies;
    link.delivery = ++lastDelivery;
    link.silence = 0;
    link.unanswered = 0;
    link.isSlow = false;
    request(link, now, effects);
  }

  /** Whichever of the requests of a delivery is answered first counts. */
  private void request(Link link, long now, Consumer<Effect> effects) {
    link.sentAt = now;
    link.againAt = now + (AGAIN_MILLIS << Math.min(link.unanswered++, 2));
    effects.accept(
        new Effect.Send(link.peer, link.session, link.delivery, link.nextNumber, link.sent));
  }

  private void timePassed(long now, Consumer<Effect> effects) {
    for (Link link : List.copyOf(links.values())) {
      boolean isOver = link.stopsWaiting(lookedAt, now);
      if (isOver && link.isFormer) {
        forgetLink(link, effects);
      } else {
        if (isOver) {
          told(link, effects);
        }
        look(link, now, effects);
      }
    }
    lookedAt = now;
  }

  private void look(Link link, long now, Consumer<Effect> effects) {
    if (link.sent != null) {
      link.silence += Link.passed(lookedAt, link.sentAt, now);
      if (link.silence >= SILENCE_MILLIS) {
        fail(link, ReplicaReply.FAILED, now, effects);
      } else if (now >= link.againAt) {
        effects.accept(new Effect.Repeated(link.peer));
        request(link, now, effects);
      }
    } else if (!link.up) {
      if (now >= link.retryAt) {
        begin(link, now, effects);
      }
    } else if (now >= link.askAt()) {
      send(link, List.of(), now, effects);
    }
  }

  /**
   * When {@link Event.TimePassed} is to come at the latest, if nothing happens before; {@link
   * Long#MAX_VALUE} when it need not.
   */
  public long dueAt(long now) {
    long next = Long.MAX_VALUE;
    for (Link link : links.values()) {
      next = Math.min(next, dueAt(link, now));
    }
    return next;
  }

  private long dueAt(Link link, long now) {
    long next =
        link.tellMillis == 0
            ? Long.MAX_VALUE
            : Math.max(lookedAt, link.tellFrom) + Math.min(link.tellMillis, LONGEST_LOOK_MILLIS);
    if (link.sent != null) {
      long silentFrom = Math.max(lookedAt, link.sentAt);
      next = Math.min(next, silentFrom + SILENCE_MILLIS - link.silence);
      return Math.min(next, Math.min(link.againAt, now + LOOK_MILLIS));
    }
    return Math.min(next, link.up ? link.askAt() : link.retryAt);
  }

  private void answered(Event.Answered answered, long now, Consumer<Effect> effects) {
    Link link = links.get(answered.peer());
    if (link == null || link.sent == null || link.delivery != answered.delivery()) {
      return; // of a session that has ended, or a repeated answer
    }
    if (link.isFormer) {
      answeredByFormer(link, answered.reply(), now, effects);
      return;
    }
    switch (answered.reply()) {
      case WHOLE, KEPT -> delivered(link, answered.reply() == ReplicaReply.WHOLE, now, effects);
      case LATER -> later(link, now, effects);
      case STRANGER -> {
        // Another gateway may be the owner by now, and does not have these bodies.
        link.undelivered().forEach(body -> giveBack(body, effects));
        fail(link, answered.reply(), now, effects);
      }
      case BROKEN -> fail(link, answered.reply(), now, effects);
      case FAILED -> link.againAt = Math.min(link.againAt, now + FAILED_MILLIS);
    }
  }

  /** What takes bodies of this owner still believes the table before. */
  private void answeredByFormer(Link link, ReplicaReply reply, long now, Consumer<Effect> effects) {
    switch (reply) {
      case WHOLE, KEPT, LATER -> {
        later(link, now, effects);
        if (link.sent == null) {
          forgetLink(link, effects); // it has been waited for long enough
        } else {
          link.waitUntilTold(now);
        }
      }
      case STRANGER, BROKEN -> forgetLink(link, effects);
      case FAILED -> link.againAt = Math.min(link.againAt, now + FAILED_MILLIS);
    }
  }

  /** The replica is there, and slow: the session goes on, and senders wait. */
  private void later(Link link, long now, Consumer<Effect> effects) {
    link.silence = 0;
    link.unanswered = 0;
    link.laterPause =
        link.isSlow ? Math.min(2 * link.laterPause, LONGEST_LATER_MILLIS) : LATER_MILLIS;
    link.laterSince = link.isSlow ? link.laterSince : now;
    link.isSlow = true;
    if (now - link.laterSince >= MOST_LATER_MILLIS) {
      fail(link, ReplicaReply.LATER, now, effects);
    } else {
      link.againAt = now + link.laterPause;
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
        one.untold.remove(link.peer);
        check(body, one, effects);
      }
    }
    boolean isSynced = whole && (link.synced || !lacksAny(link));
    if (isSynced || link.isOfAnotherOwner && !link.named) {
      told(link, effects);
    }
    link.isOfAnotherOwner = false;
    if (link.synced != isSynced) {
      link.synced = isSynced;
      effects.accept(new Effect.Report(synced()));
    }
    pump(link, now, effects);
  }

  /**
   * Returns true if a body still has to be sent to a replica that is acknowledged without it,
   * because the session was being opened when it came.
   */
  private boolean lacksAny(Link link) {
    return link.behind.stream().anyMatch(body -> !pending.get(body).waiting.contains(link.peer));
  }

  private void fail(Link link, ReplicaReply because, long now, Consumer<Effect> effects) {
    boolean wasUp = link.up;
    boolean wasSynced = link.synced;
    end(link, now, effects);
    link.retryAt = now + RETRY_MILLIS;
    if (wasUp) {
      effects.accept(new Effect.Lost(link.peer, because));
    }
    if (wasSynced) {
      effects.accept(new Effect.Report(synced()));
    }
  }

  /** Ends a session. Bodies that waited for this replica only are synced to the disk instead. */
  private void end(Link link, long now, Consumer<Effect> effects) {
    List<Long> undelivered = link.undelivered();
    if (link.up && (link.named || link.synced)) {
      link.waitUntilTold(now);
    }
    link.up = false;
    link.synced = false;
    link.sent = null;
    link.behind.clear();
    link.behindBytes = 0;
    for (long body : undelivered) {
      Pending one = pending.get(body);
      one.links--;
      if (one.waiting.remove(link.peer) && link.isToBeTold()) {
        one.untold.add(link.peer);
      }
      if (!one.settled && one.waiting.isEmpty() && !one.copied && !one.forcing && replicated) {
        one.forcing = true;
        effects.accept(new Effect.Write(body, true));
      }
      check(body, one, effects);
    }
  }

  // --- the table ---

  /** Bodies wait no longer for what the table calls a replica. */
  private void told(Link link, Consumer<Effect> effects) {
    link.tellMillis = 0;
    for (Map.Entry<Long, Pending> each : List.copyOf(pending.entrySet())) {
      if (each.getValue().untold.remove(link.peer)) {
        check(each.getKey(), each.getValue(), effects);
      }
    }
  }

  /** This gateway is no longer the owner: asks for bodies again that were not acknowledged. */
  public void close(Consumer<Effect> effects) {
    links.clear();
    pending.values().forEach(one -> one.links = 0);
    List.copyOf(pending.keySet()).forEach(body -> giveBack(body, effects));
    List.copyOf(pending.keySet()).forEach(body -> forget(body, pending.get(body), effects));
  }
}
