package io.fleetgauge.cluster.peers;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.BiConsumer;
import java.util.function.Supplier;

/**
 * Decides who is alive, and what is sent to whom. A state machine: heartbeats and membership in,
 * heartbeats out, time as an argument, ms of a clock that never goes back. Not for several threads.
 *
 * <p>A query API that falls silent without saying goodbye may be dead or behind a broken network.
 * It is counted for two more minutes, so that the two sides of a split do not both take what it
 * has. One that was started again replaces its earlier life at once.
 */
public final class PeerMachine {
  /** From one heartbeat to the next at most, ms. */
  public static final long BEAT_MILLIS = 500;

  /** One that was not heard for so long is silent, ms. */
  public static final long SILENT_MILLIS = 4_000;

  /** One that was not heard for so long is not counted any more, ms. */
  public static final long COUNTED_MILLIS = 120_000;

  /**
   * Every note is sent again after so long, ms: a peer that dropped this process while its network
   * was broken acknowledges heartbeats and has none of the notes before.
   */
  public static final long RENEW_MILLIS = 60_000;

  /** Heartbeats of one ms are told apart. */
  private static final long PER_MILLI = 1_000;

  private static final int MAX_PEERS = 200;
  private static final int KEPT_LIVES = 16;

  private final String name;
  private final long life;
  private final SortedMap<String, Entry> entries = new TreeMap<>();
  private final Map<String, Topic> topics = new TreeMap<>();
  private Optional<Set<String>> listed = Optional.empty();
  private int members = 1;
  private long sent;
  private long beatAt = Long.MIN_VALUE;
  private PeerList list;
  private boolean isLeaving;

  private static final class Entry {
    final Deque<Long> pastLives = new ArrayDeque<>();
    final Map<String, byte[]> notes = new HashMap<>();
    long life;
    long sent;
    long heardAt;
    long acknowledged;
    boolean isGone;

    Peer.State state(long now) {
      if (isGone) {
        return Peer.State.GONE;
      }
      return now - heardAt < SILENT_MILLIS ? Peer.State.LIVE : Peer.State.SILENT;
    }
  }

  /** Notes of this process on a topic. */
  private static final class Topic {
    final boolean isUrgent;
    final Supplier<byte[]> source;
    byte[] note = {};
    byte[] beaten = {};
    long changedAt;

    Topic(boolean isUrgent, Supplier<byte[]> source) {
      this.isUrgent = isUrgent;
      this.source = source;
    }
  }

  /**
   * @param name of this query API, which it keeps over restarts
   * @param life tells its starts apart; not 0
   */
  public PeerMachine(String name, long life) {
    this.name = name;
    this.life = life;
    this.list = new PeerList(0, name, List.of(), listed, members);
  }

  public long life() {
    return life;
  }

  /**
   * Tells the others a note of a topic.
   *
   * @param isUrgent true if a change is sent with the next tick
   * @param note is asked whenever a heartbeat is made
   */
  public void tell(String topic, boolean isUrgent, Supplier<byte[]> note) {
    topics.put(topic, new Topic(isUrgent, note));
  }

  /** The newest list. */
  public PeerList list() {
    return list;
  }

  /**
   * The cluster's membership has been read.
   *
   * @param others the names of the other query APIs; empty while not known
   * @param count number of query APIs that it shows, this one included; some may not have a name
   *     yet
   */
  public void listed(Optional<Set<String>> others, int count, long now) {
    listed = others.map(Set::copyOf);
    members = Math.max(1, count);
    renew(now);
  }

  /** Time has passed; {@code send} takes the names of receivers, and what is sent to them. */
  public void tick(long now, BiConsumer<String, Heartbeat> send) {
    entries.values().removeIf(entry -> now - entry.heardAt > COUNTED_MILLIS);
    renew(now);
    boolean isUrgent =
        topics.values().stream()
            .anyMatch(topic -> topic.isUrgent && !Arrays.equals(topic.source.get(), topic.beaten));
    if (!isLeaving && (now >= beatAt || isUrgent)) {
      beat(now, send);
    }
  }

  private void beat(long now, BiConsumer<String, Heartbeat> send) {
    beatAt = now + BEAT_MILLIS;
    for (String other : new TreeSet<>(listed.orElse(Set.of()))) {
      send.accept(other, to(other, now));
    }
    topics.values().forEach(topic -> topic.beaten = topic.source.get());
  }

  /** The next tick sends heartbeats. */
  public void beatSoon() {
    beatAt = Long.MIN_VALUE;
  }

  /** This process stops: tells the others, and nothing any more. */
  public void leave(long now, BiConsumer<String, Heartbeat> send) {
    isLeaving = true;
    beat(now, send);
  }

  /** The heartbeat to send to a peer now, or to answer it with. */
  public Heartbeat to(String other, long now) {
    sent = Math.max(now * PER_MILLI, sent + 1);
    Entry entry = entries.get(other);
    long acknowledged = entry == null ? 0 : entry.acknowledged;
    Map<String, byte[]> notes = new HashMap<>();
    topics.forEach(
        (topic, of) -> {
          byte[] note = of.source.get();
          boolean isDue = sent - of.changedAt >= RENEW_MILLIS * PER_MILLI;
          if (isDue || !Arrays.equals(note, of.note)) {
            of.note = note;
            of.changedAt = sent;
          }
          if (acknowledged == 0 || acknowledged < of.changedAt) {
            notes.put(topic, note);
          }
        });
    return entry == null
        ? new Heartbeat(name, life, sent, 0, 0, isLeaving, notes)
        : new Heartbeat(name, life, sent, entry.life, entry.sent, isLeaving, notes);
  }

  /**
   * A heartbeat has come; one that is older than another of its sender changes nothing.
   *
   * @return true if it is new
   */
  public boolean heard(Heartbeat beat, long now) {
    if (beat.from().equals(name)) {
      return false;
    }
    Entry entry = entries.get(beat.from());
    if (entry == null) {
      if (entries.size() >= MAX_PEERS - 1) {
        return false;
      }
      entry = new Entry();
      entry.life = beat.life();
      entries.put(beat.from(), entry);
    } else if (entry.life != beat.life()) {
      if (entry.pastLives.contains(beat.life())) {
        return false;
      }
      begin(entry, beat.life());
    }
    if (beat.sent() <= entry.sent) {
      return false;
    }
    entry.sent = beat.sent();
    entry.heardAt = now;
    entry.acknowledged = beat.answers() == life ? beat.answered() : 0;
    entry.isGone = beat.leaving();
    entry.notes.putAll(beat.notes());
    renew(now);
    return true;
  }

  private static void begin(Entry entry, long life) {
    entry.pastLives.addLast(entry.life);
    if (entry.pastLives.size() > KEPT_LIVES) {
      entry.pastLives.removeFirst();
    }
    entry.life = life;
    entry.sent = 0;
    entry.notes.clear();
  }

  private void renew(long now) {
    List<Peer> others = new ArrayList<>();
    entries.forEach(
        (other, entry) ->
            others.add(
                new Peer(
                    other,
                    entry.life,
                    entry.state(now),
                    entry.heardAt,
                    entry.acknowledged / PER_MILLI,
                    entry.notes)));
    PeerList next = new PeerList(list.version(), name, others, listed, members);
    list =
        isSame(next, list) ? next : new PeerList(list.version() + 1, name, others, listed, members);
  }

  private static boolean isSame(PeerList one, PeerList other) {
    return one.members() == other.members()
        && one.listed().equals(other.listed())
        && one.others().stream()
            .map(PeerMachine::identity)
            .toList()
            .equals(other.others().stream().map(PeerMachine::identity).toList());
  }

  private static List<Object> identity(Peer peer) {
    return List.of(peer.name(), peer.life(), peer.state());
  }
}
