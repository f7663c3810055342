package io.fleetgauge.gateway.ingest;

import io.fleetgauge.cluster.table.ClusterView;
import io.fleetgauge.cluster.table.Holders;
import io.fleetgauge.cluster.table.Situation.Report;
import io.fleetgauge.gateway.replication.CopySide;
import io.fleetgauge.gateway.replication.OwnerSide;
import io.fleetgauge.gateway.replication.Reply;
import io.fleetgauge.sample.frame.IntakeAnswer;
import io.fleetgauge.sample.wire.WireWriter;
import java.net.URI;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * This gateway's part among those that hold one host: owner, copy, or neither, with samples that
 * belong to others now. Only the host's lane thread uses it. One file for the three parts, because
 * what matters is how one passes into another.
 */
final class HostCopies {
  private static final Logger LOG = LoggerFactory.getLogger(HostCopies.class);
  private static final long COMPARE_MILLIS = 30_000;
  private static final long OFFER_MILLIS = 1_000;
  private static final long STRAY_MILLIS = TimeUnit.MINUTES.toMillis(10);
  private static final long RETRY_MILLIS = 250;
  private static final long CATCH_UP_MILLIS = 500;
  private static final long TELL_AGAIN_MILLIS = 1_000;

  /** Puts what the session just took into the journal; {@code done} may be told on any thread. */
  interface Writing {
    void write(byte[] body, long newest, boolean forced, Consumer<Boolean> done);

    /**
     * Waits until all that was taken before is on the disk: whoever has it too may forget it then.
     */
    void barrier(Consumer<Boolean> done);
  }

  private record Body(
      byte[] frames, long newest, IntakeAnswer kept, Consumer<IntakeAnswer> answer) {}

  private final String host;
  private final HostSession session;
  private final HostIntake.House house;
  private final Writing writing;
  private ClusterView followed = ClusterView.EMPTY;
  private Optional<Holders> holders = Optional.empty();

  // As the owner.
  private OwnerSide owner;
  private long since = -1;

  /** Gateways that may have acknowledged what is not here. */
  private final Set<String> behind = new TreeSet<>();

  private long toldAt;
  private long catchUpAt;
  private final Map<Long, Body> bodies = new HashMap<>();
  private long lastBody;
  private final Set<String> pullsFrom = new TreeSet<>();

  /** Ticks that somebody else acknowledged and that are not here: by run the last one. */
  private final Map<Long, Long> missing = new HashMap<>();

  // As a copy.
  private CopySide copy;

  // As neither.
  private boolean merged;
  private long mergedAt;
  private boolean offering;
  private long offerAt;
  private volatile long lastEqual;

  HostCopies(String host, HostSession session, HostIntake.House house, Writing writing) {
    this.writing = writing;
    this.host = host;
    this.session = session;
    this.house = house;
  }

  private long now() {
    return house.steadyMillis();
  }

  /** When this gateway's copy was last found equal to the owner's, ms since the epoch; 0 never. */
  long lastEqual() {
    return lastEqual;
  }

  boolean isCopy() {
    return copy != null;
  }

  // --- parts ---

  /** Plays the part that the newest table gives it. */
  void follow() {
    ClusterView view = house.view();
    if (view == followed) {
      return;
    }
    followed = view;
    final Optional<Holders> before = holders;
    holders = view.table().holders(host);
    if (!before.map(Holders::since).equals(holders.map(Holders::since))) {
      merged = false; // whatever an owner has merged, the next one may not have
    }
    boolean isOwner = holders.map(each -> each.owner().equals(house.self())).orElse(false);
    if (!isOwner) {
      giveUp();
    }
    if (isOwner) {
      own(holders.get(), before);
    } else if (holders.flatMap(each -> each.copyOn(house.self())).isPresent()) {
      if (copy == null) {
        copy = new CopySide(COMPARE_MILLIS);
      }
    } else if (copy != null) {
      copy = null;
      house.copyIsWhole(host, false);
      session.recovered(house.latestTime());
    }
  }

  private void own(Holders now, Optional<Holders> before) {
    // It may have become whole after the table was told last.
    boolean inherits =
        copy != null
            && copy.isWhole()
            && before.map(each -> each.whole() && each.owner().equals(copy.owner())).orElse(false);
    if (owner == null) {
      owner = new OwnerSide(isReplicated(), house.clock() << 16);
    }
    if (copy != null) {
      // What waited for its past waits no longer: the past will come, or it is known to be missing.
      copy = null;
      house.copyIsWhole(host, false);
      session.recovered(house.latestTime());
    }
    if (now.since() != since) {
      since = now.since();
      behind.clear();
      if (!inherits) {
        behind.addAll(now.behind());
      }
      missing.clear();
      if (!behind.isEmpty()) {
        session.lane().gap(Long.MIN_VALUE, house.clock());
      }
      tell(owner.synced());
    }
    Set<String> peers = new TreeSet<>();
    for (Holders.Copy each : now.copies()) {
      if (followed.gateways().containsKey(each.gateway())) {
        peers.add(each.key());
      }
    }
    owner.on(new OwnerSide.Event.Copies(peers), now(), this::carryOut);
  }

  private void giveUp() {
    if (owner != null) {
      owner.close(this::carryOut);
      owner = null;
      since = -1;
    }
  }

  private boolean isReplicated() {
    return house.replicating().replication() > 1;
  }

  private void tell(Set<String> synced) {
    toldAt = now();
    house
        .replicating()
        .report()
        .accept(host, new Report(house.self(), since, Set.copyOf(behind), Set.copyOf(synced)));
  }

  /** What was said may have been lost with the side of a split that it was said on. */
  private void tellAgain(long now) {
    Holders known = holders.orElseThrow();
    boolean same = known.behind().equals(behind);
    for (Holders.Copy each : known.copies()) {
      same &= each.synced() == owner.synced().contains(each.key());
    }
    if (!same && now - toldAt > TELL_AGAIN_MILLIS) {
      tell(owner.synced());
    }
  }

  // --- the owner ---

  /** Sees to it that what the session just took is kept, and then answers. */
  void take(HostSession.Taken taken, Consumer<IntakeAnswer> answer) {
    follow();
    if (!isReplicated() && (owner == null || !owner.hasPeers())) {
      writing.write(
          taken.body(),
          taken.newest(),
          false,
          kept -> answer.accept(kept ? taken.answer() : comeAgain()));
      return;
    }
    if (owner == null) {
      answer.accept(moved());
      return;
    }
    long id = ++lastBody;
    bodies.put(id, new Body(taken.body(), taken.newest(), taken.answer(), answer));
    owner.on(new OwnerSide.Event.Taken(id), now(), this::carryOut);
  }

  private IntakeAnswer comeAgain() {
    house.counts().diskTrouble.increment();
    return new IntakeAnswer.SlowDown(RETRY_MILLIS);
  }

  private IntakeAnswer moved() {
    ClusterView view = house.view();
    Optional<URI> address = view.ownerAddress(host);
    return address.isEmpty() || view.table().owner(host).filter(house.self()::equals).isPresent()
        ? new IntakeAnswer.SlowDown(RETRY_MILLIS)
        : new IntakeAnswer.Moved(address.get(), view.table().epoch());
  }

  private void carryOut(OwnerSide.Effect effect) {
    switch (effect) {
      case OwnerSide.Effect.Send send -> send(send, Set.of());
      case OwnerSide.Effect.Write write -> write(write.body(), write.forced());
      case OwnerSide.Effect.Keep keep -> {
        Body body = bodies.get(keep.body());
        body.answer.accept(body.kept);
      }
      case OwnerSide.Effect.GiveBack back -> bodies.get(back.body()).answer.accept(moved());
      case OwnerSide.Effect.Forget forget -> bodies.remove(forget.body());
      case OwnerSide.Effect.Report report -> tell(report.synced());
    }
  }

  private void write(long id, boolean forced) {
    Body body = bodies.get(id);
    if (forced) {
      house.counts().keptAlone.increment();
    }
    OwnerSide mine = owner;
    writing.write(
        body.frames,
        body.newest,
        forced,
        kept ->
            house.onLane(
                () ->
                    mine.on(
                        new OwnerSide.Event.Journaled(id, forced, kept), now(), effects(mine))));
  }

  /** Of an owner's side that is over nothing is carried out any more. */
  private Consumer<OwnerSide.Effect> effects(OwnerSide of) {
    return effect -> {
      if (of == owner) {
        carryOut(effect);
      }
    };
  }

  private void send(OwnerSide.Effect.Send send, Set<Long> dictionaries) {
    OwnerSide mine = owner;
    URI address = followed.gateways().get(Holders.gatewayOf(send.peer()));
    Consumer<Reply> answered =
        reply ->
            house.onLane(
                () ->
                    mine.on(
                        new OwnerSide.Event.Answered(
                            send.peer(), send.session(), send.number(), reply),
                        now(),
                        effects(mine)));
    if (address == null) {
      answered.accept(Reply.FAILED);
      return;
    }
    WireWriter frames = new WireWriter(4096);
    for (long run : dictionaries) {
      byte[] dictionary = session.dictionary(run);
      frames.raw(dictionary, 0, dictionary.length);
    }
    for (long id : send.bodies()) {
      Body body = bodies.get(id);
      if (body == null) {
        return; // the session ended while a dictionary was asked for
      }
      frames.raw(body.frames, 0, body.frames.length);
    }
    house
        .replicating()
        .peers()
        .copy(
            address,
            new Peers.Copy(
                host,
                followed.table().epoch(),
                house.self(),
                send.session(),
                send.number(),
                send.bodies().size(),
                frames.toBytes()),
            answer -> {
              if (answer.wantedRun() == 0) {
                answered.accept(answer.reply());
              } else if (dictionaries.contains(answer.wantedRun())) {
                answered.accept(Reply.BROKEN);
              } else {
                Set<Long> more = new HashSet<>(dictionaries);
                more.add(answer.wantedRun());
                house.onLane(
                    () -> {
                      if (mine == owner) {
                        send(send, more);
                      }
                    });
              }
            });
  }

  /**
   * A sender was told by somebody else that ticks are kept which are not here.
   *
   * @param run the sender's
   * @param sequence the last of them
   * @param after the newest time that is here, ms
   * @param before the time of the tick that showed it, ms
   */
  void missing(long run, long sequence, long after, long before) {
    house.counts().gapsFound.increment();
    LOG.warn(
        "of host {} ticks up to {} of run {} were acknowledged elsewhere and are not here",
        host,
        sequence,
        Long.toHexString(run));
    session.lane().gap(after, before);
    missing.merge(run, sequence, Math::max);
    behind.add(house.self());
    tell(owner == null ? Set.of() : owner.synced());
    pullFromAll();
  }

  private void pullFromAll() {
    followed.gateways().keySet().forEach(id -> pullFrom(id, none -> {}));
  }

  /** Another gateway says that it has something of this host. */
  void offered(String from, Consumer<Boolean> answer) {
    follow();
    if (owner == null || !house.isRecovered()) {
      answer.accept(false);
      return;
    }
    pullFrom(
        from,
        done -> {
          if (done) {
            isNotBehind(from);
            writing.barrier(answer);
          } else {
            answer.accept(false);
          }
        });
  }

  private void pullFrom(String gateway, Consumer<Boolean> done) {
    URI address = followed.gateways().get(gateway);
    if (gateway.equals(house.self()) || address == null || !pullsFrom.add(gateway)) {
      done.accept(false);
      return;
    }
    house
        .replicating()
        .peers()
        .pull(
            address,
            host,
            pulled ->
                house.onLane(
                    () -> {
                      pullsFrom.remove(gateway);
                      count(pulled);
                      if (pulled.done()) {
                        session.keptElsewhere(pulled.kept());
                        found();
                      }
                      done.accept(pulled.done());
                    }));
  }

  private void found() {
    if (!missing.isEmpty()) {
      Map<Long, Long> kept = session.kept();
      missing.entrySet().removeIf(each -> kept.getOrDefault(each.getKey(), 0L) >= each.getValue());
      if (missing.isEmpty()) {
        isNotBehind(house.self());
      }
    }
  }

  /** All that a gateway has is here now. */
  private void isNotBehind(String gateway) {
    if (owner != null && behind.remove(gateway)) {
      if (behind.isEmpty()) {
        session.lane().closeGaps();
      }
      tell(owner.synced());
    }
  }

  /** Who may have what is missing is asked whenever it is there. */
  private void catchUp(long now) {
    if (!behind.isEmpty() && house.isRecovered() && now >= catchUpAt) {
      catchUpAt = now + CATCH_UP_MILLIS;
      if (!missing.isEmpty()) {
        pullFromAll();
      }
      for (String gateway : List.copyOf(behind)) {
        pullFrom(
            gateway,
            done -> {
              if (done) {
                isNotBehind(gateway);
              }
            });
      }
    }
  }

  private void count(Peers.Pulled pulled) {
    IngestCounts counts = house.counts();
    (pulled.equal()
            ? counts.comparedEqual
            : pulled.done() ? counts.comparedAndFilled : counts.compareFailed)
        .increment();
  }

  // --- a copy ---

  /** Bodies have come from the host's owner. */
  void arrived(Peers.Copy from, Consumer<Peers.CopyAnswer> answer) {
    follow();
    boolean newer = from.epoch() > followed.table().epoch();
    boolean mine =
        copy != null && holders.map(each -> each.owner().equals(from.owner())).orElse(false);
    if (!mine || !house.isRecovered() || session.waitingBytes() > HostIntake.MAX_WAITING_BYTES) {
      answer.accept(Peers.CopyAnswer.of(mine || newer ? Reply.LATER : Reply.STRANGER));
      return;
    }
    long before = copy.session();
    CopySide.Arrival arrival =
        copy.arrived(from.owner(), from.session(), from.number(), from.count(), now());
    if (copy.session() != before || !copy.isWhole()) {
      house.copyIsWhole(host, false);
      if (copy.session() != before) {
        session.await();
      }
    }
    switch (arrival) {
      case BROKEN -> answer.accept(Peers.CopyAnswer.of(Reply.BROKEN));
      case REPEATED -> answer.accept(Peers.CopyAnswer.of(said()));
      case TAKE -> {
        if (from.count() == 0) {
          answer.accept(Peers.CopyAnswer.of(said()));
        } else {
          take(from, answer);
        }
      }
    }
    pullIfDue();
  }

  private Reply said() {
    return copy != null && copy.isWhole() ? Reply.WHOLE : Reply.KEPT;
  }

  private void take(Peers.Copy from, Consumer<Peers.CopyAnswer> answer) {
    HostSession.Taken taken = session.copy(from.frames(), house.clock());
    switch (taken.answer()) {
      case IntakeAnswer.NeedsDictionary wanted ->
          answer.accept(Peers.CopyAnswer.wants(wanted.run()));
      case IntakeAnswer.Kept kept -> {
        copy.taken(from.number(), from.count());
        writing.write(
            taken.body(),
            taken.newest(),
            false,
            written -> {
              if (written) {
                house.onLane(() -> answer.accept(Peers.CopyAnswer.of(said())));
              } else {
                house.onLane(this::broke);
                answer.accept(Peers.CopyAnswer.of(Reply.FAILED));
              }
            });
      }
      default -> {
        LOG.warn("what the owner sent of host {} is not taken: {}", host, taken.answer());
        broke();
        answer.accept(Peers.CopyAnswer.of(Reply.BROKEN));
      }
    }
  }

  private void broke() {
    if (copy != null) {
      copy.broke();
      house.copyIsWhole(host, false);
    }
  }

  private void pullIfDue() {
    if (copy == null || !house.isRecovered() || !copy.beginPull(now())) {
      return;
    }
    CopySide mine = copy;
    long ofSession = copy.session();
    URI address = followed.gateways().get(copy.owner());
    Consumer<Peers.Pulled> ended =
        pulled -> house.onLane(() -> pulled(mine, ofSession, address, pulled));
    if (address == null) {
      ended.accept(Peers.Pulled.FAILED);
    } else {
      house.replicating().peers().pull(address, host, ended);
    }
  }

  private void pulled(CopySide mine, long ofSession, URI address, Peers.Pulled pulled) {
    count(pulled);
    if (mine != copy) {
      return;
    }
    if (pulled.done() && ofSession == copy.session()) {
      session.keptElsewhere(pulled.kept());
      session.recovered(house.latestTime());
    }
    if (copy.pulled(ofSession, pulled.done(), now())) {
      house.copyIsWhole(host, true);
    }
    if (pulled.equal()) {
      lastEqual = house.clock();
    } else if (pulled.done()) {
      // Here is something that the owner has not.
      house.replicating().peers().offer(address, host, house.self(), none -> {});
    }
  }

  // --- neither ---

  /**
   * Looks what is due.
   *
   * @return whether nothing of the host is needed here any more
   */
  boolean timePassed() {
    follow();
    long now = now();
    if (owner != null) {
      owner.on(new OwnerSide.Event.TimePassed(), now, this::carryOut);
      tellAgain(now);
      catchUp(now);
    } else if (copy != null) {
      pullIfDue();
    } else if (house.isRecovered() && !session.lane().isEmpty() && holders.isPresent()) {
      return stray(now);
    }
    return false;
  }

  private boolean stray(long now) {
    Optional<URI> address = followed.ownerAddress(host);
    if (!merged && !offering && now >= offerAt && address.isPresent()) {
      offering = true;
      house
          .replicating()
          .peers()
          .offer(
              address.get(),
              host,
              house.self(),
              done ->
                  house.onLane(
                      () -> {
                        offering = false;
                        offerAt = now() + OFFER_MILLIS;
                        merged = done;
                        mergedAt = now();
                      }));
    }
    return merged
        && now - mergedAt > STRAY_MILLIS
        && holders.get().whole()
        && holders.get().copies().stream().anyMatch(Holders.Copy::synced);
  }

  /** Whether something is under way, or a copy is to be had of what is elsewhere. */
  boolean isBusy() {
    return copy != null || !bodies.isEmpty() || !pullsFrom.isEmpty();
  }

  /** What waits for its word gets none. */
  void close() {
    giveUp();
  }
}
