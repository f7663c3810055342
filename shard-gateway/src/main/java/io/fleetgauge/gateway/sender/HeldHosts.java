package io.fleetgauge.gateway.sender;

import io.fleetgauge.cluster.table.ClusterView;
import io.fleetgauge.cluster.table.Holders;
import io.fleetgauge.gateway.sender.SentRecord.Term;
import io.fleetgauge.gateway.sender.TimeRanges.Range;
import io.fleetgauge.gateway.store.Lane;
import io.fleetgauge.gateway.store.LateSamples;
import io.fleetgauge.gateway.store.Store;
import io.fleetgauge.sample.Labels;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.BooleanSupplier;
import java.util.function.LongSupplier;
import java.util.stream.Stream;

/**
 * The hosts that this gateway holds: which of them it sends, and what it hears of those that others
 * send. {@link LateSamples} is for the lanes' threads; one other thread uses the rest.
 *
 * <p>The owner of a host sends it if it has all that was acknowledged. Whoever holds the host
 * listens for late samples, so that they are not forgotten when the owner dies.
 */
final class HeldHosts implements LateSamples {
  private final Surroundings surroundings;
  private final SentRecords records;
  private final List<ReceiverSender> receivers;
  private final List<String> names;
  private final long leastDelay;
  private final Map<String, Held> hosts = new ConcurrentHashMap<>();

  /**
   * Hosts that are not sent any more, until their owner has been told, with the time until then.
   */
  private final Map<String, Ended> ended = new TreeMap<>();

  private final SentTells tells = new SentTells();

  /** An ended host's owner is told for so long, ms. */
  private static final long TOLD_FOR = 600_000;

  /** Since an owner told what it had read, it may have read so much more, ms. */
  private static final long MAY_BE_AHEAD = 5_000;

  /**
   * The gateway around it.
   *
   * @param self its identity
   * @param isWholeCopy says whether a copy here has all that its owner has
   * @param isRecovered whether all samples from before a start are here
   * @param clock ms since the epoch
   * @param expired the time before which samples have expired, ms since the epoch
   */
  record Surroundings(
      String self,
      Store store,
      WholeCopies isWholeCopy,
      BooleanSupplier isRecovered,
      LongSupplier clock,
      LongSupplier expired) {}

  /** Says whether a copy of a host is whole. */
  public interface WholeCopies {
    boolean has(String host, long ownerSince);
  }

  /**
   * A host that is not sent any more.
   *
   * @param records its last ones
   * @param until its owner is told until then, ms
   */
  private record Ended(List<SentRecord> records, long until) {}

  private static final class Held {
    /** True if the table says so. */
    private volatile boolean isHeld;

    /** False if only what senders send may be late: what comes from gateways is caught up with. */
    private volatile boolean hearsAll;

    /**
     * What an owner catches up with is late if it is newer, ms: the owner before it has sent, or
     * told, what is older than that with which this one began.
     */
    private volatile long hearsFrom = Long.MAX_VALUE;

    /** The newest time that the sender is known to have read, ms. */
    private volatile long readUntil = Long.MIN_VALUE;

    /** Since when the owner has not sent the host, ms; 0 if it is sent, or not owned. */
    private long waitsSince;

    /** By receiver; empty if the host is not sent from here. */
    private volatile List<HostSender> sending = List.of();

    private Term term = Term.NONE;
  }

  HeldHosts(Surroundings surroundings, SentRecords records, List<ReceiverSender> receivers) {
    this.surroundings = surroundings;
    this.records = records;
    this.receivers = List.copyOf(receivers);
    this.names = receivers.stream().map(ReceiverSender::name).toList();
    this.leastDelay = receivers.stream().mapToLong(ReceiverSender::delayMillis).min().orElse(0);
  }

  // --- lanes ---

  @Override
  public boolean isLate(String host, Lane.Source source, long time) {
    Held held = held(host);
    for (HostSender each : held.sending) {
      if (time <= each.readUntil()) {
        return true;
      }
    }
    return held.sending.isEmpty()
        && (source == Lane.Source.SENDER || held.hearsAll && time > held.hearsFrom)
        && time <= Math.max(mayBeRead(), held.readUntil + MAY_BE_AHEAD);
  }

  /** Samples may come before this gateway knows the table. */
  private Held held(String host) {
    return hosts.computeIfAbsent(host, none -> new Held());
  }

  /** Another gateway, whose clock may be ahead, does not read newer samples. */
  private long mayBeRead() {
    return surroundings.clock.getAsLong() - leastDelay / 2;
  }

  @Override
  public void stored(String host, long time, List<Labels> series) {
    Held held = held(host);
    Set<Labels> identities = new HashSet<>();
    for (Labels each : series) {
      identities.add(HostSamples.identity(surroundings.store.dimensions(), each));
    }
    synchronized (held) {
      held.sending.forEach(each -> each.stored(time, identities));
      if (held.sending.isEmpty()) {
        records.heard(names, host, new Range(time - 1, time));
      }
    }
  }

  @Override
  public void stored(String host, long after, long to) {
    Held held = held(host);
    synchronized (held) {
      held.sending.forEach(each -> each.stored(new Range(after, to)));
      if (held.sending.isEmpty() && held.hearsAll) {
        records.heard(names, host, new Range(after, to));
      }
    }
  }

  /** A tick was read at a start that may have come late without having been noted. */
  void replayed(String host, long time) {
    records.heard(names, host, new Range(time - 1, time));
  }

  // --- the table ---

  /** Begins and ends to send, as the table says. */
  void follow(ClusterView view) {
    if (view.table().holders().isEmpty()) {
      return; // it has not joined yet
    }
    Set<String> now = new TreeSet<>();
    view.table()
        .holders()
        .forEach(
            (host, holders) -> {
              if (holders.has(surroundings.self)) {
                now.add(host);
                follow(view, host, holders);
              }
            });
    for (String host : new TreeSet<>(hosts.keySet())) {
      if (!now.contains(host)) {
        end(host, hosts.get(host));
        hosts.remove(host);
      }
    }
    long waitsSince =
        hosts.values().stream()
            .mapToLong(each -> each.waitsSince)
            .filter(since -> since > 0)
            .min()
            .orElse(0);
    receivers.forEach(each -> each.heldBack(waitsSince));
    ended.values().removeIf(each -> each.until < surroundings.clock.getAsLong());
    ended.keySet().removeIf(host -> view.table().holders(host).isEmpty());
    records.keepOnly(names, host -> now.contains(host) || ended.containsKey(host));
  }

  private void follow(ClusterView view, String host, Holders holders) {
    Held held = held(host);
    held.isHeld = true;
    boolean isOwner = holders.owner().equals(surroundings.self);
    boolean isRecovered = surroundings.isRecovered.getAsBoolean();
    long now = surroundings.clock.getAsLong();
    Term term = new Term(view.table().generation(), holders.since());
    held.readUntil = records.until(names, host);
    if (!isOwner) {
      held.hearsFrom = Long.MIN_VALUE;
    } else if (!held.term.equals(term)) {
      held.hearsFrom = Long.MAX_VALUE;
    }
    held.hearsAll = isRecovered && (isOwner || surroundings.isWholeCopy.has(host, holders.since()));
    // What a gateway that is gone for good has must not stop the host for ever.
    boolean isWhole = holders.behind().stream().noneMatch(view.gateways()::containsKey);
    boolean sends = isOwner && isRecovered && isWhole && !view.isMinority();
    if (!held.sending.isEmpty() && (!sends || wasSentByAnother(host, held.term))) {
      end(host, held);
    }
    if (sends && held.sending.isEmpty()) {
      begin(host, held, term);
    }
    if (!held.sending.isEmpty()) {
      held.term = term;
      held.waitsSince = 0;
    } else if (!isOwner || sends) { // it has no sample yet
      held.waitsSince = 0;
    } else if (held.waitsSince == 0) {
      held.waitsSince = now;
    }
  }

  /** Returns true if a later owner has told what it has sent. */
  private boolean wasSentByAnother(String host, Term own) {
    return ofHost(host).anyMatch(each -> own.isBefore(each.term()));
  }

  private void begin(String host, Held held, Term term) {
    synchronized (held) {
      List<SentRecord> from = new ArrayList<>();
      for (String each : names) {
        Optional<SentRecord> record = records.of(each, host).or(() -> first(each, host));
        if (record.isEmpty()) {
          return; // the host has no sample yet
        }
        from.add(record.get());
      }
      List<HostSender> sending = new ArrayList<>();
      for (int i = 0; i < from.size(); i++) {
        sending.add(receivers.get(i).begin(from.get(i)));
      }
      held.term = term;
      held.hearsFrom = from.stream().mapToLong(SentRecord::until).min().orElse(Long.MAX_VALUE);
      held.sending = List.copyOf(sending);
    }
    Ended own = ended.remove(host);
    if (own != null) { // nobody may have been told
      for (int i = 0; i < own.records.size(); i++) {
        held.sending.get(i).adds(own.records.get(i));
      }
    }
    note(host, held);
  }

  /** The progress of a host of which nothing has been sent yet. */
  private Optional<SentRecord> first(String receiver, String host) {
    long now = surroundings.clock.getAsLong();
    return surroundings
        .store
        .find(host)
        .map(Lane::oldest)
        .filter(oldest -> oldest != Long.MAX_VALUE)
        .map(oldest -> Math.max(Math.min(oldest - 1, now), surroundings.expired.getAsLong()))
        .map(oldest -> Math.max(oldest, records.begun(receiver, now)))
        .map(until -> new SentRecord(receiver, host, Term.NONE, until, List.of()));
  }

  private void end(String host, Held held) {
    synchronized (held) {
      if (held.sending.isEmpty()) {
        return;
      }
      note(host, held);
      ended.put(
          host,
          new Ended(
              held.sending.stream().map(each -> each.record(held.term)).toList(),
              surroundings.clock.getAsLong() + TOLD_FOR));
      held.sending = List.of();
    }
    receivers.forEach(each -> each.end(host));
  }

  private void note(String host, Held held) {
    held.sending.forEach(each -> records.put(each.record(held.term)));
  }

  /** Puts the progress of all hosts that are sent into the records. */
  void noteAll() {
    hosts.forEach(this::note);
  }

  // --- other gateways ---

  /**
   * The messages for other gateways that are due.
   *
   * @return each has to be {@link #answered}
   */
  List<SentTells.Tell> tells(ClusterView view) {
    noteAll();
    Map<String, Set<String>> targets = new TreeMap<>();
    Set<String> own = new TreeSet<>(ended.keySet());
    hosts.forEach(
        (host, held) -> {
          if (!held.sending.isEmpty()) {
            own.add(host);
          }
        });
    for (String host : own) {
      view.table()
          .holders(host)
          .ifPresent(
              holders ->
                  holders(holders)
                      .filter(each -> !each.equals(surroundings.self))
                      .filter(view.gateways()::containsKey)
                      .forEach(
                          each ->
                              targets.computeIfAbsent(each, none -> new TreeSet<>()).add(host)));
    }
    List<SentTells.Tell> due = new ArrayList<>();
    targets.forEach((gateway, of) -> tells.next(gateway, records(of)).ifPresent(due::add));
    ended
        .keySet()
        .removeIf(
            host ->
                view.table()
                    .owner(host)
                    .filter(owner -> last(host).allMatch(each -> tells.isTold(owner, each)))
                    .isPresent());
    return due;
  }

  private static Stream<String> holders(Holders of) {
    return Stream.concat(Stream.of(of.owner()), of.copies().stream().map(Holders.Copy::gateway));
  }

  private List<SentRecord> records(Collection<String> of) {
    List<SentRecord> all = new ArrayList<>();
    names.forEach(receiver -> all.add(records.begin(receiver)));
    of.forEach(host -> last(host).forEach(all::add));
    return all;
  }

  /** The records that this gateway has made: another one may have told newer ones since. */
  private Stream<SentRecord> last(String host) {
    Ended of = ended.get(host);
    return of == null ? ofHost(host) : of.records.stream();
  }

  private Stream<SentRecord> ofHost(String host) {
    return names.stream().flatMap(receiver -> records.of(receiver, host).stream());
  }

  void answered(SentTells.Tell tell, boolean isTaken) {
    tells.answered(tell, isTaken);
  }

  /** All gateways have to be told everything again. */
  void repeatTells() {
    tells.repeat();
  }

  /**
   * Takes what another gateway has told.
   *
   * @return false if one of the hosts is not held here, as far as this gateway knows: it has to be
   *     told again
   */
  boolean told(List<SentRecord> all) {
    boolean isTaken = true;
    for (SentRecord each : all) {
      if (!names.contains(each.receiver())) {
        continue; // the configurations differ
      }
      if (each.isBegin()) {
        records.told(each, surroundings.clock.getAsLong());
        continue;
      }
      Held held = hosts.get(each.host());
      if (held == null || !held.isHeld) {
        isTaken = false;
      } else if (!held.sending.isEmpty() && !held.term.isBefore(each.term())) {
        if (!held.term.equals(each.term())) { // its own records come back
          held.sending.get(names.indexOf(each.receiver())).adds(each);
        }
      } else {
        records.told(each, surroundings.clock.getAsLong());
      }
    }
    return isTaken;
  }
}
