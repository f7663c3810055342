package io.fleetgauge.gateway.ingest.host;

import io.fleetgauge.cluster.table.ClusterView;
import io.fleetgauge.cluster.table.Holders;
import io.fleetgauge.cluster.table.Situation.Report;
import io.fleetgauge.cluster.table.TableMachine;
import io.fleetgauge.gateway.replication.OwnerSide;
import io.fleetgauge.gateway.replication.ReplicaReply;
import io.fleetgauge.runtime.trace.Span;
import io.fleetgauge.sample.frame.Frame;
import io.fleetgauge.sample.frame.FrameDecoder;
import io.fleetgauge.sample.frame.IntakeAnswer;
import io.fleetgauge.sample.wire.WireException;
import io.fleetgauge.sample.wire.WireWriter;
import java.net.URI;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Carries out what {@link OwnerSide} decides, and reports on the host. Only the host's lane thread
 * uses it.
 */
final class OwnerRole {
  private static final Logger LOG = LoggerFactory.getLogger(OwnerRole.class);

  private static final String JOURNAL = "write to the journal";
  private static final long REPORT_AGAIN_MILLIS = 1_000;
  private static final long REPORT_SYNCED_AGAIN_MILLIS = 2 * TableMachine.SYNCED_MILLIS;

  /**
   * Time for which a host is idle after its last sample has expired, ms: by then it has for no
   * gateway, whose clocks differ. And after somebody has sent or offered something of it.
   */
  static final long IDLE_AFTER_MILLIS = TimeUnit.MINUTES.toMillis(10);

  /**
   * Acknowledgements that took so long that their senders may have gone. Such a sender sends the
   * same ticks again; if they were written again, at the same pace, its next answer would be late
   * as well.
   */
  private static final class LateAnswers {
    private static final int MAX_RUNS = 32;

    private final Map<Long, IntakeAnswer.Kept> byRun =
        new LinkedHashMap<>() {
          private static final long serialVersionUID = 1L;

          @Override
          protected boolean removeEldestEntry(Map.Entry<Long, IntakeAnswer.Kept> eldest) {
            return size() > MAX_RUNS;
          }
        };

    void acknowledged(IntakeAnswer answer) {
      if (answer instanceof IntakeAnswer.Kept kept) {
        byRun.put(kept.run(), kept);
      }
    }

    /**
     * The answer to a body that begins with ticks that were acknowledged late. The rest of the body
     * is not taken: its sender sends it next.
     */
    Optional<IntakeAnswer> to(byte[] body) {
      if (byRun.isEmpty()) {
        return Optional.empty();
      }
      FrameDecoder frames = new FrameDecoder(body);
      try {
        while (frames.hasNext()) {
          if (frames.next() instanceof Frame.Tick tick) {
            IntakeAnswer.Kept kept = byRun.get(tick.run());
            if (kept != null && tick.sequence() <= kept.sequence()) {
              return Optional.of(kept);
            }
            byRun.remove(tick.run());
            return Optional.empty();
          }
        }
      } catch (WireException e) {
        return Optional.empty(); // whoever takes the body finds out
      }
      return Optional.empty();
    }
  }

  private record Body(HostSession.TakeResult taken, long takenAt, HostIntake.Acknowledger answer) {
    IntakeAnswer kept() {
      return taken.answer();
    }

    byte[] frames() {
      return taken.body();
    }
  }

  private final String host;
  private final HostSession session;
  private final HostEnvironment environment;
  private final BodyJournal journal;
  private final HostTimer timer;
  private final OwnerSide side;
  private final CatchUp catchUp;
  private final LateAnswers late = new LateAnswers();
  private final Map<Long, Body> bodies = new HashMap<>();
  private ClusterView view = ClusterView.EMPTY;
  private Holders holders;
  private long since = -1;
  private long lastBody;
  private long reportedAt;
  private boolean hasMerged;
  private boolean isClosed;
  private boolean reportedIdle;

  /** When somebody has sent or offered something of the host, or this role began. */
  private long wantedAt;

  OwnerRole(
      String host,
      HostSession session,
      HostEnvironment environment,
      BodyJournal journal,
      HostTimer timer) {
    this.host = host;
    this.session = session;
    this.environment = environment;
    this.journal = journal;
    this.timer = timer;
    this.catchUp = new CatchUp(host, session, environment, timer, this::report, this::pullEnded);
    this.side = new OwnerSide(environment.cluster().isReplicated(), environment.clock() << 16);
    this.wantedAt = now();
  }

  private long now() {
    return environment.steadyMillis();
  }

  /**
   * Follows a table that names this gateway as the owner. Whether the host is whole here is what
   * the table says: a replica that believes so may not know that its owner went on without it.
   *
   * @param before the holders by the table that was followed until now
   */
  void follow(ClusterView newView, Holders now, Optional<Holders> before) {
    view = newView;
    holders = now;
    catchUp.follow(view);
    if (now.since() != since) {
      since = now.since();
      catchUp.begin(now.behind(), !view.accountsFor(environment.cluster().self(), since));
      report();
    }
    Map<String, Boolean> peers = new TreeMap<>();
    for (Holders.Copy each : now.copies()) {
      if (view.gateways().containsKey(each.gateway())) {
        peers.put(each.key(), each.synced());
      }
    }
    on(new OwnerSide.Event.Replicas(peers, readable(now, before)));
  }

  /**
   * The other gateways that answer for the host by the table before: as long as they and query APIs
   * know no newer one, what they lack is missing in answers.
   */
  private Set<String> readable(Holders now, Optional<Holders> before) {
    if (before.isEmpty()) {
      return Set.of();
    }
    Set<String> readers = new HashSet<>(Set.of(before.get().owner()));
    before.get().copies().stream()
        .filter(Holders.Copy::synced)
        .forEach(copy -> readers.add(copy.gateway()));
    readers.retainAll(view.gateways().keySet());
    readers.remove(environment.cluster().self());
    Set<String> keys = new HashSet<>();
    for (String reader : readers) {
      Optional<Holders.Copy> was = before.get().copyOn(reader);
      keys.add(
          now.copyOn(reader)
              .or(() -> was)
              .orElse(new Holders.Copy(reader, before.get().since(), true))
              .key());
    }
    return keys;
  }

  /** Answers the senders that still wait: they have to come again. */
  void close() {
    side.close(this::carryOut);
    catchUp.close();
    isClosed = true;
  }

  /** Returns true if a replica takes bodies more slowly than they come. */
  boolean isFull() {
    return side.isFull();
  }

  /** Returns true if bodies wait long for the journal or a replica. */
  boolean isLate() {
    return side.isLate(now());
  }

  boolean isBusy() {
    return !bodies.isEmpty() || catchUp.isPulling();
  }

  // --- reports ---

  private void report() {
    reportedAt = now();
    reportedIdle = isIdle();
    environment
        .cluster()
        .report()
        .accept(
            host,
            new Report(
                environment.cluster().self(),
                since,
                catchUp.behind(),
                side.synced(),
                reportedIdle));
  }

  /**
   * Returns true if there is no sample of the host within retention here and it is not kept for its
   * usage, and nobody has wanted to add a sample for a while; of one that an operator removes, if
   * nothing of it is here.
   */
  private boolean isIdle() {
    if (!environment.isRecovered() || isBusy()) {
      return false;
    }
    if (holders.stay() == Holders.Stay.REMOVED) {
      return !session.holdsAnything() && !environment.hasUsage(host);
    }
    if (environment.isKeptForUsage(host)) {
      return false;
    }
    long retention = environment.retentionMillis();
    long after = Math.min(IDLE_AFTER_MILLIS, retention);
    return !session.hasSince(environment.clock() - retention - after) && now() - wantedAt >= after;
  }

  /** Returns true if the host is to leave, so that nothing is taken in until it has, or is kept. */
  boolean refuses() {
    if (holders.stay() == Holders.Stay.KEPT) {
      return false;
    }
    wantedAt = now();
    timer.dueBy(wantedAt);
    return true;
  }

  /**
   * A report may have been lost with the side of a split that it was made on. That copies are
   * synced may take a while until the table says it.
   */
  private void reportAgain(long now) {
    boolean isIdle = isIdle();
    boolean saysTooMuch = !holders.behind().equals(catchUp.behind());
    saysTooMuch |= holders.stay() != Holders.Stay.KEPT || isIdle;
    boolean saysTooLittle = false;
    for (Holders.Copy each : holders.copies()) {
      boolean isSynced = side.isSynced(each.key());
      saysTooMuch |= each.synced() && !isSynced;
      saysTooLittle |= !each.synced() && isSynced;
    }
    if (saysTooMuch && now - reportedAt > REPORT_AGAIN_MILLIS
        || saysTooLittle && now - reportedAt > REPORT_SYNCED_AGAIN_MILLIS
        || isIdle != reportedIdle) {
      report();
    }
  }

  void timePassed() {
    long now = now();
    on(new OwnerSide.Event.TimePassed());
    reportAgain(now);
    catchUp.timePassed(now);
    if (maySuppose()) {
      long run = environment.clock() << 16 ^ environment.cluster().self().hashCode();
      session.syntheticTicks(run, now).ifPresent(this::takeSynthetic);
    }
  }

  /** Returns true if what has not come by now was not sent, as far as this gateway can know. */
  private boolean maySuppose() {
    return environment.isRecovered()
        && holders.stay() == Holders.Stay.KEPT
        && !environment.isDiskFailing()
        && !session.isWaiting()
        && !catchUp.isPulling()
        && !side.isFull()
        && !isLate();
  }

  /** The host's probe is silent: synthetic ticks are taken in as if it had sent them. */
  private void takeSynthetic(byte[] frames) {
    HostSession.TakeResult taken =
        session.takeSynthetic(frames, environment.clock(), environment.latestTime());
    if (taken.answer() instanceof IntakeAnswer.Kept) {
      environment.counts().syntheticTicks.increment();
      take(taken, kept -> {});
    }
  }

  // --- what other gateways have ---

  /** Samples of another gateway were taken in: the replicas do not have them. */
  void merged() {
    hasMerged = true;
  }

  /** A pull has ended: before the host is called whole again, replicas fetch what was taken in. */
  private void pullEnded() {
    if (hasMerged) {
      hasMerged = false;
      on(new OwnerSide.Event.Merged());
    }
  }

  /** Returns true if no other gateway has what is not here, as far as is known. */
  boolean isWhole() {
    return catchUp.behind().isEmpty();
  }

  /** Samples of a backup were taken in. */
  void restored() {
    hasMerged = true;
    wantedAt = now();
    pullEnded();
  }

  /** As {@link HostRoles#recovered}. */
  void recovered() {
    catchUp.recovered();
  }

  /** As {@link HostRoles#missing}. */
  void missing(HostSession.Missing missing) {
    catchUp.missing(missing);
  }

  /** Another gateway has something of this host. */
  void offered(String from, Consumer<Boolean> answer) {
    if (refuses()) {
      answer.accept(false);
      return;
    }
    wantedAt = now();
    catchUp.pull(
        from,
        done -> {
          if (done) {
            // The other gateway may remove its samples when they are on this one's disk.
            journal.barrier(answer);
          } else {
            answer.accept(false);
          }
        });
  }

  // --- bodies ---

  /** As {@link LateAnswers#to}. */
  Optional<IntakeAnswer> lateAnswer(byte[] body) {
    return late.to(body);
  }

  /** Sees to it that what the session just took is kept, and then answers. */
  void take(HostSession.TakeResult taken, HostIntake.Acknowledger answer) {
    wantedAt = now();
    if (!environment.cluster().isReplicated() && !side.hasPeers()) {
      Span span = answer.span().child(JOURNAL);
      journal.write(
          taken,
          false,
          kept -> {
            span.end();
            answer.accept(kept ? taken.answer() : HostRoles.notKept(environment));
          });
      return;
    }
    long id = ++lastBody;
    bodies.put(id, new Body(taken, now(), answer));
    on(new OwnerSide.Event.Taken(id, taken.body().length));
  }

  /** When the role has ended, nothing is carried out any more. */
  private void on(OwnerSide.Event event) {
    if (!isClosed) {
      long now = now();
      side.on(event, now, this::carryOut);
      timer.dueBy(side.dueAt(now));
    }
  }

  private void carryOut(OwnerSide.Effect effect) {
    switch (effect) {
      case OwnerSide.Effect.Send send -> send(send, Set.of());
      case OwnerSide.Effect.Write write -> write(write.body(), write.forced());
      case OwnerSide.Effect.Keep keep -> {
        Body body = bodies.get(keep.body());
        if (now() - body.takenAt >= OwnerSide.LATE_MILLIS) {
          late.acknowledged(body.kept());
        }
        body.answer.accept(body.kept());
      }
      case OwnerSide.Effect.GiveBack back ->
          bodies.get(back.body()).answer.accept(HostRoles.moved(host, environment));
      case OwnerSide.Effect.Forget forget -> bodies.remove(forget.body());
      case OwnerSide.Effect.Report report -> report();
      case OwnerSide.Effect.Repeated again -> environment.counts().copiesRepeated.increment();
      case OwnerSide.Effect.Lost lost -> lost(lost);
    }
  }

  private void lost(OwnerSide.Effect.Lost lost) {
    environment.counts().replicaLost(lost.because());
    LOG.info(
        "the replica of host {} on {} fell behind ({}): it fetches what it lacks",
        host,
        Holders.gatewayOf(lost.peer()),
        IngestCounts.reason(lost.because()));
  }

  private void write(long id, boolean forced) {
    Body body = bodies.get(id);
    if (forced) {
      environment.counts().keptAlone.increment();
    }
    Span span = body.answer.span().child(JOURNAL);
    journal.write(
        body.taken,
        forced,
        kept -> {
          span.end();
          environment.onLane(() -> on(new OwnerSide.Event.Journaled(id, forced, kept)));
        });
  }

  private void send(OwnerSide.Effect.Send send, Set<Long> dictionaries) {
    URI address = view.gateways().get(Holders.gatewayOf(send.peer()));
    Consumer<ReplicaReply> answered =
        reply ->
            environment.onLane(
                () -> on(new OwnerSide.Event.Answered(send.peer(), send.delivery(), reply)));
    if (address == null) {
      answered.accept(ReplicaReply.FAILED);
      return;
    }
    List<Span> spans = new ArrayList<>();
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
      frames.raw(body.frames(), 0, body.frames().length);
      if (body.answer.span().isRecorded()) {
        spans.add(
            body.answer
                .span()
                .call("copy to a replica")
                .with("fleetgauge.gateway", Holders.gatewayOf(send.peer())));
      }
    }
    environment
        .cluster()
        .peers()
        .copy(
            address,
            new Peers.Copy(
                host,
                view.table().epoch(),
                environment.cluster().self(),
                send.session(),
                send.number(),
                send.bodies().size(),
                frames.toBytes()),
            answer -> {
              spans.forEach(Span::end);
              if (answer.wantedRun() == 0) {
                answered.accept(answer.reply());
              } else if (dictionaries.contains(answer.wantedRun())) {
                answered.accept(ReplicaReply.BROKEN);
              } else {
                Set<Long> more = new HashSet<>(dictionaries);
                more.add(answer.wantedRun());
                environment.onLane(
                    () -> {
                      if (!isClosed) {
                        send(send, more);
                      }
                    });
              }
            });
  }
}
