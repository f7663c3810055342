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
  private final Map<String, Long> ended = new TreeMap<>();

  private final SentTells tells = new SentTells();

  /** An ended host's owner is told for so long, ms. */
  private static final long TOLD_FOR = 600_000;

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

  /** The samples that may be late while another gateway sends, or none does. */
  private enum Listening {
    NOTHING,
    /** Those that senders send; what comes from other gateways was theirs before. */
    SENDERS,
    ALL
  }

  private static final class Held {
    private volatile Listening listening = Listening.SENDERS;

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
    if (!held.sending.isEmpty() || held.listening == Listening.NOTHING) {
      return false;
    }
    return (held.listening == Listening.ALL || source == Lane.Source.SENDER) && time <= mayBeRead();
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
      if (held.sending.isEmpty() && held.listening == Listening.ALL) {
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
    ended.values().removeIf(until -> until < surroundings.clock.getAsLong());
    ended.keySet().removeIf(host -> view.table().holders(host).isEmpty());
    records.keepOnly(names, host -> hosts.containsKey(host) || ended.containsKey(host));
  }

  private void follow(ClusterView view, String host, Holders holders) {
    Held held = held(host);
    boolean isOwner = holders.owner().equals(surroundings.self);
    boolean isRecovered = surroundings.isRecovered.getAsBoolean();
    Term term = new Term(view.table().generation(), holders.since());
    if (isOwner) {
      held.listening = Listening.SENDERS;
    } else if (isRecovered && surroundings.isWholeCopy.has(host, holders.since())) {
      held.listening = Listening.ALL;
    } else {
      held.listening = Listening.NOTHING;
    }
    boolean sends = isOwner && isRecovered && holders.whole() && !view.isMinority();
    if (!held.sending.isEmpty() && (!sends || !held.term.equals(term))) {
      end(host, held);
    }
    if (sends && held.sending.isEmpty()) {
      begin(host, held, term);
    }
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
      held.sending = List.copyOf(sending);
    }
    ended.remove(host);
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
      held.sending = List.of();
    }
    receivers.forEach(each -> each.end(host));
    ended.put(host, surroundings.clock.getAsLong() + TOLD_FOR);
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
                    .filter(owner -> ofHost(host).allMatch(each -> tells.isTold(owner, each)))
                    .isPresent());
    return due;
  }

  private static Stream<String> holders(Holders of) {
    return Stream.concat(Stream.of(of.owner()), of.copies().stream().map(Holders.Copy::gateway));
  }

  private List<SentRecord> records(Collection<String> of) {
    List<SentRecord> all = new ArrayList<>();
    names.forEach(receiver -> all.add(records.begin(receiver)));
    of.forEach(host -> ofHost(host).forEach(all::add));
    return all;
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
      if (SentRecords.isBegin(each)) {
        records.told(each, surroundings.clock.getAsLong());
        continue;
      }
      Held held = hosts.get(each.host());
      if (held == null) {
        isTaken = false;
      } else if (!held.sending.isEmpty() && !held.term.isBefore(each.term())) {
        held.sending.get(names.indexOf(each.receiver())).adds(each);
      } else {
        records.told(each, surroundings.clock.getAsLong());
      }
    }
    return isTaken;
  }
}
