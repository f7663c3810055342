package io.fleetgauge.gateway.ingest;

import io.fleetgauge.cluster.table.ClusterView;
import io.fleetgauge.gateway.store.HostPage;
import io.fleetgauge.gateway.store.Lane;
import io.fleetgauge.sample.frame.FrameEncoder;
import io.fleetgauge.sample.frame.IntakeAnswer;
import io.fleetgauge.sample.journal.Journal;
import io.fleetgauge.sample.wire.WireException;
import java.util.Map;
import java.util.function.Consumer;

/**
 * All that a gateway does with one host's samples: takes them in as the owner or as a copy, hands
 * them on, and sees to it that what is said to be kept is. No threads and no clock of its own: one
 * thread at a time uses it, the one that {@link House#onLane} runs things on.
 */
public final class HostIntake {
  /** Most bytes that wait for the host's past. */
  static final long MAX_WAITING_BYTES = 16L << 20;

  private static final long FULL_RETRY_MILLIS = 500;

  /** What is done for a host by whoever holds it. */
  public interface House {
    /** The id of this gateway. */
    String self();

    /** The newest view of the cluster. */
    ClusterView view();

    Replicating replicating();

    /** Runs something on the one thread that uses the host; never waits. */
    void onLane(Runnable work);

    /** The journal's segment that records go into now. */
    long segment();

    /**
     * Appends a record to the journal, if its segment is still that one; never waits.
     *
     * @param newest time of the newest sample in it, ms
     * @param forced whether its word is given only when it is on the disk
     * @param done is told on any thread whether it is kept
     */
    Journal.Appended append(
        long segment,
        String host,
        byte[] record,
        long newest,
        boolean forced,
        Consumer<Boolean> done);

    /** ms since the epoch. */
    long clock();

    /** ms of a clock that is never set. */
    long steadyMillis();

    /** The latest time of a sample that is not refused, ms since the epoch. */
    long latestTime();

    IngestCounts counts();

    /** Whether what was kept before the start is back. */
    boolean isRecovered();

    /** Whether this gateway's copy of a host has all that its owner has. */
    void copyIsWhole(String host, boolean whole);
  }

  /**
   * How a host stands here.
   *
   * @param blank whether there is nothing
   * @param whole whether nothing that is kept still waits for its place
   * @param before the last time before what waits, ms; the greatest there is when nothing does
   * @param kept up to which sequence the ticks of each run are here
   */
  public record State(boolean blank, boolean whole, long before, Map<Long, Long> kept) {}

  private final String host;
  private final House house;
  private final HostSession session;
  private final HostCopies copies;

  /**
   * @param recovering whether ticks wait until {@link #recovered}
   */
  public HostIntake(String host, Lane lane, House house, boolean recovering) {
    this.host = host;
    this.house = house;
    this.session = new HostSession(host, lane, house.counts(), recovering, house.clock());
    this.copies = new HostCopies(host, session, house, new JournalWriting());
  }

  HostSession session() {
    return session;
  }

  HostCopies copies() {
    return copies;
  }

  /**
   * Takes a body of a host that this gateway owns.
   *
   * @param acknowledged the last sequence of the body's run that the sender was told is kept; 0
   *     when it does not say
   * @param answer is given the answer once, on any thread, when the body is kept or is not
   */
  public void take(byte[] body, long acknowledged, Consumer<IntakeAnswer> answer) {
    if (session.waitingBytes() > MAX_WAITING_BYTES) {
      house.counts().queueFull.increment();
      answer.accept(new IntakeAnswer.SlowDown(FULL_RETRY_MILLIS));
      return;
    }
    long newestBefore = session.lane().newest();
    HostSession.Taken taken = session.take(body, house.clock(), house.latestTime(), acknowledged);
    if (!(taken.answer() instanceof IntakeAnswer.Kept kept)) {
      answer.accept(taken.answer());
      return;
    }
    copies.take(taken, answer);
    if (taken.missing() && house.isRecovered()) {
      copies.missing(kept.run(), acknowledged, newestBefore, taken.newest());
    }
  }

  /** Finds out what of a body would be refused, and keeps nothing. */
  public IntakeAnswer check(byte[] body) {
    return session.check(body, house.latestTime());
  }

  private final class JournalWriting implements HostCopies.Writing {
    @Override
    public void write(byte[] body, long newest, boolean forced, Consumer<Boolean> done) {
      while (true) {
        long segment = house.segment();
        byte[] record = session.record(body, segment);
        switch (house.append(segment, host, record, newest, forced, done)) {
          case QUEUED -> {
            session.journaled(segment);
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

  /** A page says all of itself, so it can be read wherever it stands in the journal. */
  private void appendPage(byte[] page, long newest, boolean forced, Consumer<Boolean> done) {
    Journal.Appended taken = Journal.Appended.OTHER_SEGMENT;
    while (taken == Journal.Appended.OTHER_SEGMENT) {
      taken = house.append(house.segment(), host, page, newest, forced, done);
    }
    if (taken == Journal.Appended.REJECTED) {
      done.accept(false);
    }
  }

  /** Bodies have come from the owner of a host that this gateway has a copy of. */
  public void copied(Peers.Copy copy, Consumer<Peers.CopyAnswer> answer) {
    copies.arrived(copy, answer);
  }

  /** Another gateway says that it has something of the host. */
  public void offered(String from, Consumer<Boolean> merged) {
    copies.offered(from, merged);
  }

  public State state() {
    return new State(
        session.lane().isEmpty(),
        house.isRecovered() && !session.isWaiting(),
        session.before(),
        session.kept());
  }

  /**
   * Takes in a page of samples that another gateway has.
   *
   * @param kept is told, on any thread, whether all of it is in memory and journal
   */
  public void merge(byte[] page, Consumer<Boolean> kept) throws WireException {
    long newest = session.merge(page);
    house.counts().pagesMerged.increment();
    appendPage(page, newest, false, kept);
  }

  /**
   * Looks what is due, and follows the newest table.
   *
   * @return whether nothing of the host is needed here any more
   */
  public boolean timePassed() {
    return copies.timePassed();
  }

  /**
   * Takes a record of the journal in.
   *
   * @return time of its newest sample, ms; {@link Long#MIN_VALUE} when it has none
   * @throws WireException if it cannot be understood
   */
  public long replay(byte[] record) throws WireException {
    return session.replay(record);
  }

  /** All that was kept before the start is back: what waited for it goes behind it. */
  public void recovered() {
    session.recovered(house.latestTime());
  }

  /** Whoever waits for an answer is told to come again. */
  void close() {
    copies.close();
  }
}
