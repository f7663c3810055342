package io.fleetgauge.gateway.ingest.host;

import io.fleetgauge.gateway.store.HostPage;
import io.fleetgauge.gateway.store.Lane;
import io.fleetgauge.runtime.trace.Span;
import io.fleetgauge.sample.frame.FrameEncoder;
import io.fleetgauge.sample.frame.IntakeAnswer;
import io.fleetgauge.sample.journal.Journal;
import io.fleetgauge.sample.wire.WireException;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Consumer;
import java.util.function.LongConsumer;

/**
 * All that a gateway does with one host's samples: takes them in as the owner or as a replica,
 * sends them to replicas, and acknowledges what is kept. No threads and no clock of its own: one
 * thread at a time uses it, the one that {@link HostEnvironment#onLane} runs things on.
 */
public final class HostIntake {
  /** Most bytes that wait for the host's history. */
  static final long MAX_WAITING_BYTES = 16L << 20;

  /** Is told once, on any thread, what became of a body: it is kept, or it is not. */
  @FunctionalInterface
  public interface Acknowledger extends Consumer<IntakeAnswer> {
    /** The span that taking the body in is a part of. */
    default Span span() {
      return Span.NONE;
    }
  }

  /**
   * The state of a host here.
   *
   * @param blank whether nothing of it is here
   * @param whole whether all that is kept of it is in its lane, so that it may be compared with
   *     another holder's
   * @param before the last time before the ticks that wait for history, ms; {@link Long#MAX_VALUE}
   *     when none waits
   * @param progress by run, which of its ticks are here
   */
  public record State(boolean blank, boolean whole, long before, Map<Long, RunProgress> progress) {}

  /**
   * A record of the journal that was read.
   *
   * @param newest time of its newest sample, ms; {@link Long#MIN_VALUE} when it has none
   * @param isRemoval whether all records of the host before this one count no more
   */
  public record ReplayedRecord(long newest, boolean isRemoval) {}

  private final String host;
  private final HostEnvironment environment;
  private final HostSession session;
  private final HostRoles roles;
  private final HostTimer timer;

  /**
   * @param recovering whether ticks wait until {@link #recovered}
   * @param dueBy is told when {@link #dueAt} becomes earlier
   */
  public HostIntake(
      String host, Lane lane, HostEnvironment environment, boolean recovering, LongConsumer dueBy) {
    this.host = host;
    this.environment = environment;
    this.session =
        new HostSession(host, lane, environment.counts(), recovering, environment.clock());
    this.timer = new HostTimer(dueBy);
    this.timer.dueBy(environment.steadyMillis());
    this.roles = new HostRoles(host, session, environment, new JournalWriter(), timer);
  }

  /** The host's samples in memory. */
  public Lane lane() {
    return session.lane();
  }

  /** As {@link HostSession#now}, ms since the epoch. */
  public long now(long clock) {
    return session.now(clock);
  }

  /** As {@link HostRoles#copyEqualAt}. */
  public OptionalLong copyEqualAt() {
    return roles.copyEqualAt();
  }

  /** Returns true if this gateway is to hold the host. */
  public boolean isHeld() {
    return roles.isHeld();
  }

  /**
   * Takes a body of a host that this gateway owns.
   *
   * @param acknowledged the last sequence of the body's run that was acknowledged to the sender; 0
   *     when it does not say
   * @param answer is given the answer once, on any thread, when the body is kept or is not
   */
  public void take(byte[] body, long acknowledged, Acknowledger answer) {
    if (environment.isDiskFailing()) {
      session.attempted(environment.steadyMillis());
      environment.counts().diskTrouble.increment();
      answer.accept(new IntakeAnswer.SlowDown(AdmissionControl.TROUBLE_RETRY_MILLIS));
      return;
    }
    Optional<IntakeAnswer> late = roles.lateAnswer(body);
    if (late.isPresent()) {
      answer.accept(late.get());
      return;
    }
    if (session.waitingBytes() > MAX_WAITING_BYTES || roles.isLate()) {
      slowDown(environment.counts().queueFull, answer);
      return;
    }
    if (roles.isFull()) {
      slowDown(environment.counts().replicaSlow, answer);
      return;
    }
    if (roles.refuses()) {
      environment.counts().unsettled.increment();
      answer.accept(new IntakeAnswer.SlowDown(HostRoles.RETRY_MILLIS));
      return;
    }
    Span decode = answer.span().child("decode");
    HostSession.TakeResult taken =
        session.take(body, environment.clock(), environment.latestTime(), acknowledged);
    decode.end();
    if (!(taken.answer() instanceof IntakeAnswer.Kept)) {
      answer.accept(taken.answer());
      return;
    }
    // Before the answer: if this fails, the caller gives the only one.
    if (!session.isReplaying()) {
      taken.missing().ifPresent(roles::missing);
    }
    roles.take(taken, answer);
  }

  private void slowDown(LongAdder counter, Consumer<IntakeAnswer> answer) {
    session.attempted(environment.steadyMillis());
    counter.increment();
    answer.accept(new IntakeAnswer.SlowDown(AdmissionControl.FULL_RETRY_MILLIS));
  }

  /** Finds out what of a body would be refused, and keeps nothing. */
  public IntakeAnswer check(byte[] body) {
    return session.check(body, environment.latestTime());
  }

  private final class JournalWriter implements BodyJournal {
    @Override
    public void write(HostSession.TakeResult taken, boolean forced, Consumer<Boolean> done) {
      while (true) {
        long segment = environment.segment();
        byte[] record = taken.runs().record(taken.body(), segment);
        switch (environment.append(segment, host, record, taken.newest(), forced, done)) {
          case QUEUED -> {
            taken.runs().journaled(segment);
            return;
          }
          case OTHER_SEGMENT -> {}
          case REJECTED -> {
            done.accept(false);
            return;
          }
        }
      }
    }

    @Override
    public void barrier(Consumer<Boolean> done) {
      appendPage(new FrameEncoder(host, HostPage.RUN).dictionary(), Long.MIN_VALUE, true, done);
    }
  }

  /** A page has its own dictionaries, so it can be read wherever it is in the journal. */
  private void appendPage(byte[] page, long newest, boolean forced, Consumer<Boolean> done) {
    Journal.AppendResult taken = Journal.AppendResult.OTHER_SEGMENT;
    while (taken == Journal.AppendResult.OTHER_SEGMENT) {
      taken = environment.append(environment.segment(), host, page, newest, forced, done);
    }
    if (taken == Journal.AppendResult.REJECTED) {
      done.accept(false);
    }
  }

  /** Returns true if an operator removes the host. */
  public boolean isRemoved() {
    return roles.isRemoved();
  }

  /** All of the host has been removed: what the journal has of it is not read again. */
  public void noteRemoval() {
    byte[] removal = new FrameEncoder(host, HostSession.REMOVAL_RUN).dictionary();
    appendPage(removal, Long.MIN_VALUE, true, kept -> {});
  }

  /** Bodies have come from the owner of a host that this gateway has a copy of. */
  public void copied(Peers.Copy copy, Consumer<Peers.CopyAnswer> answer) {
    roles.arrived(copy, answer);
  }

  /**
   * Returns true if this gateway owns the host and has all that was acknowledged of it, as far as
   * is known.
   */
  public boolean isWholeOwner() {
    return environment.isRecovered()
        && !session.isWaiting()
        && !session.lane().missing().isDamaged()
        && roles.ownsWhole();
  }

  /** Samples of a backup were taken in. */
  public void restored() {
    roles.restored();
  }

  /** Another gateway has something of the host. */
  public void offered(String from, Consumer<Boolean> merged) {
    roles.offered(from, merged);
  }

  public State state() {
    return new State(
        session.lane().isEmpty(),
        environment.isRecovered() && !session.isWaiting(),
        session.before(),
        session.progress());
  }

  /**
   * Takes in a page of samples that another gateway has.
   *
   * @param kept is given, on any thread, whether all of it is in memory and journal
   */
  public void merge(byte[] page, Consumer<Boolean> kept) throws WireException {
    HostSession.MergeResult merged = session.merge(page);
    environment.counts().pagesMerged.increment();
    if (merged.isNew()) {
      roles.merged();
    }
    appendPage(page, merged.newest(), false, kept);
  }

  /**
   * Follows the newest table and does what is due.
   *
   * @return whether nothing of the host is needed here any more
   */
  public boolean timePassed() {
    timer.reset();
    return roles.timePassed();
  }

  /** When {@link #timePassed} is to be called at the latest, as far as the host's state says. */
  long dueAt() {
    return timer.dueAt();
  }

  /**
   * Takes a record of the journal in.
   *
   * @throws WireException if it cannot be understood
   */
  public ReplayedRecord replay(byte[] record) throws WireException {
    return session.replay(record);
  }

  /** All that was kept before the start has been read: what waited for it goes behind it. */
  public void recovered() {
    session.endReplay();
    session.recovered(environment.latestTime());
    roles.recovered();
  }

  /** Answers the senders that still wait: they have to come again. */
  public void close() {
    roles.close();
  }
}
