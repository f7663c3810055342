package io.fleetgauge.probe.uplink;

import io.fleetgauge.sample.Tick;
import io.fleetgauge.sample.frame.IntakeAnswer;
import io.fleetgauge.sample.wire.WireWriter;
import java.net.URI;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.LongSupplier;
import java.util.random.RandomGenerator;

/**
 * Decides what an uplink does next: events in, at most one effect out. One request is in flight at
 * a time, so frames arrive in order. Not for several threads.
 */
public final class UplinkMachine {
  /** Frames that go into one request together, bytes. */
  static final int MAX_BATCH_BYTES = 1 << 20;

  /** Consecutive {@code moved} answers that are followed before a pause. */
  static final int MAX_MOVES_IN_A_ROW = 4;

  /** Owners of the host that are known besides the gateways to begin with. */
  private static final int MAX_OWNERS = 16;

  /**
   * After pauses of so long in all, between answers that nothing was taken, the uplink forgets the
   * epoch that it was told, ms. The gateways may have lost their stores and begun a new table,
   * whose epoch is lower: they would wait for the table that the uplink tells them of.
   */
  static final long EPOCH_FORGOTTEN_MILLIS = 5_000;

  /** Pause of a probe whose host is not taken, because its tenant has too many. */
  static final long OVER_LIMIT_MILLIS = 60_000;

  /** Reasons of failures in a row that are told. */
  private static final int MAX_REASONS_IN_A_ROW = 16;

  static final long FIRST_BACK_OFF_MILLIS = 100;
  static final long LONGEST_BACK_OFF_MILLIS = 2_000;

  /** An event of an uplink. */
  public sealed interface Event {
    record Read(Tick tick) implements Event {}

    /** Ticks of the past, in order of time, which go into a run of their own. */
    record Past(List<Tick> ticks) implements Event {}

    record Answered(IntakeAnswer answer) implements Event {}

    record TooLarge() implements Event {}

    record Failed(String reason) implements Event {}

    record WaitOver() implements Event {}

    /**
     * Other gateways to begin with.
     *
     * @param seeds at least one
     */
    record Gateways(List<URI> seeds) implements Event {}

    /**
     * A segment of the disk has been read.
     *
     * @param frames by run and sequence; null when it could not be read
     */
    record Loaded(long segment, Map<Long, Map<Long, byte[]>> frames) implements Event {}
  }

  /** An effect that an uplink has to carry out. */
  public sealed interface Effect {
    /**
     * Sends frames.
     *
     * @param epoch the newest epoch that a gateway reported
     * @param acknowledged the last sequence of the body's run that was acknowledged; 0 when none
     */
    record Post(URI gateway, byte[] body, long epoch, long acknowledged) implements Effect {}

    /** Reads a segment of the disk. */
    record Load(long segment) implements Effect {}

    record Wait(long millis) implements Effect {}
  }

  private enum State {
    IDLE,
    ASKING,
    LOADING,
    WAITING
  }

  private final FrameQueue queue;

  /** Gateways to try: those to begin with, and those that owned the host since. */
  private final List<URI> known;

  private final RandomGenerator random;
  private State state = State.IDLE;
  private int seeds;
  private Optional<URI> gateway;
  private int next;
  private long epoch;
  private long slowedMillis;
  private int movesInARow;
  private int failuresInARow;
  private boolean dictionaryWanted;
  private int batchBytes = MAX_BATCH_BYTES;
  private List<FrameQueue.Queued> sent = List.of();
  private Optional<String> trouble = Optional.empty();

  /** Reasons that were told since something was last answered, each once. */
  private final Set<String> reasonsInARow = new HashSet<>();

  /** Why samples of the last answered batch are refused; empty when none is. */
  private Optional<String> refusing = Optional.empty();

  UplinkMachine(
      String host,
      UplinkSettings settings,
      Optional<FrameQueue.Disk> disk,
      List<FrameQueue.Queued> found,
      List<URI> seeds,
      RandomGenerator random,
      LongSupplier runNumbers) {
    this.queue = new FrameQueue(host, settings, disk, runNumbers);
    queue.restore(found);
    this.known = new ArrayList<>(seeds);
    this.random = random;
    this.seeds = seeds.size();
    this.gateway = any();
  }

  /** A gateway to begin with; empty while none is known. */
  private Optional<URI> any() {
    if (known.isEmpty()) {
      return Optional.empty();
    }
    next = random.nextInt(known.size());
    return Optional.of(known.get(next));
  }

  /** One without a disk. */
  public static UplinkMachine inMemory(
      String host,
      UplinkSettings settings,
      List<URI> seeds,
      RandomGenerator random,
      LongSupplier runNumbers) {
    return new UplinkMachine(
        host, settings, Optional.empty(), List.of(), seeds, random, runNumbers);
  }

  public UplinkCounts counts() {
    return queue.counts();
  }

  /** Why the uplink cannot send, or what is refused; empty when all is well. */
  Optional<String> trouble() {
    return trouble;
  }

  public Optional<Effect> on(Event event) {
    return switch (event) {
      case Event.Read read -> queued(queue.add(read.tick()));
      case Event.Past past -> queued(queue.addPast(past.ticks()));
      case Event.Answered answered -> answered(answered.answer());
      case Event.TooLarge none -> tooLarge();
      case Event.Failed failed -> failed(failed.reason());
      case Event.WaitOver over -> send();
      case Event.Gateways gateways -> {
        replace(gateways.seeds());
        yield Optional.empty();
      }
      case Event.Loaded loaded -> {
        queue.load(loaded.segment(), loaded.frames());
        yield send();
      }
    };
  }

  /** A gateway that is in use stays so while it answers, even when it is not among the seeds. */
  private void replace(List<URI> others) {
    known.clear();
    known.addAll(others);
    seeds = others.size();
    if (gateway.isEmpty()) {
      gateway = any();
    } else if (!known.contains(gateway.get())) {
      known.add(gateway.get());
    }
    next = gateway.map(known::indexOf).orElse(0);
  }

  private Optional<Effect> queued(Optional<String> refused) {
    if (refused.isPresent()) {
      trouble = Optional.of("a tick cannot be sent: " + refused.get());
    }
    return state == State.IDLE ? send() : Optional.empty();
  }

  private Optional<Effect> answered(IntakeAnswer answer) {
    failuresInARow = 0;
    trouble = Optional.empty();
    if (!(answer instanceof IntakeAnswer.Moved)) {
      movesInARow = 0;
    }
    if (!(answer instanceof IntakeAnswer.SlowDown)) {
      slowedMillis = 0;
    }
    return switch (answer) {
      case IntakeAnswer.Kept kept -> {
        dictionaryWanted = false;
        batchBytes = MAX_BATCH_BYTES;
        queue.acknowledge(kept.run(), kept.sequence(), kept.refused());
        refusing = refused(kept);
        trouble = refusing;
        yield send();
      }
      case IntakeAnswer.Moved moved -> {
        gateway = Optional.of(moved.address());
        if (!known.contains(moved.address()) && known.size() < seeds + MAX_OWNERS) {
          known.add(moved.address());
        }
        epoch = Math.max(epoch, moved.epoch());
        yield ++movesInARow > MAX_MOVES_IN_A_ROW ? pause(backOff(movesInARow)) : send();
      }
      case IntakeAnswer.SlowDown slow -> {
        slowedMillis += Math.max(1, slow.millis());
        if (slowedMillis >= EPOCH_FORGOTTEN_MILLIS) {
          epoch = 0;
        }
        yield pause(Math.max(1, slow.millis()));
      }
      case IntakeAnswer.OverLimit over -> {
        trouble = Optional.of("frames are not accepted: " + over.reason());
        yield pause(Math.max(OVER_LIMIT_MILLIS, over.millis()));
      }
      case IntakeAnswer.NeedsDictionary wanted -> {
        if (dictionaryWanted) {
          yield failed("the gateway requests the dictionary that it was just sent");
        }
        dictionaryWanted = true;
        yield send();
      }
      case IntakeAnswer.Refused refused -> {
        trouble = Optional.of("a frame is rejected: " + refused.reason());
        // Frames before the refused one may be accepted: send the first one alone.
        if (sent.size() == 1) {
          queue.refuse(sent.getFirst());
          batchBytes = MAX_BATCH_BYTES;
        } else {
          batchBytes = 1;
        }
        yield send();
      }
    };
  }

  /** The first refusal stays what is told while others follow it: their texts differ in times. */
  private Optional<String> refused(IntakeAnswer.Kept kept) {
    if (kept.refused() == 0) {
      return Optional.empty();
    }
    return refusing.or(
        () -> Optional.of(kept.refused() + " samples are rejected: " + kept.reason()));
  }

  private Optional<Effect> tooLarge() {
    if (sent.size() == 1) {
      trouble = Optional.of("a frame is too large for the gateway");
      queue.refuse(sent.getFirst());
    } else {
      batchBytes = Math.max(1, batchBytes / 4);
    }
    return send();
  }

  private Optional<Effect> failed(String reason) {
    failuresInARow++;
    dictionaryWanted = false;
    if (failuresInARow == 1) {
      reasonsInARow.clear();
    }
    String why = "frames cannot be sent to " + gateway.orElseThrow() + ": " + reason;
    if (reasonsInARow.size() < MAX_REASONS_IN_A_ROW && reasonsInARow.add(why)) {
      trouble = Optional.of(why);
    }
    next = (next + 1) % known.size();
    gateway = Optional.of(known.get(next));
    return pause(backOff(failuresInARow));
  }

  /** Doubles with each time, with random jitter so that probes do not retry together. */
  private long backOff(int times) {
    long longest =
        Math.min(LONGEST_BACK_OFF_MILLIS, FIRST_BACK_OFF_MILLIS << Math.min(10, times - 1));
    return longest / 2 + random.nextLong(longest / 2 + 1);
  }

  private Optional<Effect> pause(long millis) {
    state = State.WAITING;
    return Optional.of(new Effect.Wait(millis));
  }

  private Optional<Effect> send() {
    if (queue.toLoad().isPresent()) {
      state = State.LOADING;
      return Optional.of(new Effect.Load(queue.toLoad().getAsLong()));
    }
    sent = queue.oldest(batchBytes);
    if (sent.isEmpty()) {
      state = State.IDLE;
      return Optional.empty();
    }
    if (gateway.isEmpty()) {
      trouble = Optional.of("no gateway is known yet");
      return pause(LONGEST_BACK_OFF_MILLIS);
    }
    WireWriter body = new WireWriter(4096);
    if (dictionaryWanted) {
      byte[] dictionary = sent.getFirst().run().dictionary();
      body.raw(dictionary, 0, dictionary.length);
    }
    for (FrameQueue.Queued frame : sent) {
      body.raw(frame.bytes(), 0, frame.bytes().length);
    }
    state = State.ASKING;
    return Optional.of(
        new Effect.Post(
            gateway.get(), body.toBytes(), epoch, queue.acknowledged(sent.getFirst().run().run())));
  }
}
