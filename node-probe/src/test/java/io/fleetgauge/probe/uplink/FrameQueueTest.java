package io.fleetgauge.probe.uplink;

import static org.assertj.core.api.Assertions.assertThat;

import io.fleetgauge.sample.Labels;
import io.fleetgauge.sample.Tick;
import io.fleetgauge.sample.frame.Frame;
import io.fleetgauge.sample.frame.FrameDecoder;
import io.fleetgauge.sample.frame.FrameEncoder;
import io.fleetgauge.sample.frame.RunDictionary;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The limits and counts of the queue, in memory and with a real spool. */
class FrameQueueTest {
  private static final Duration LONG = Duration.ofDays(1);
  private static final long DISK = 64L << 20;

  /** Samples of a tick of which about seven fill a segment of the spool. */
  private static final int MANY = 18_000;

  @TempDir private Path folder;
  private final AtomicLong runs = new AtomicLong();

  @Test
  void theBytesThatAreCountedAreThoseOfTheFramesInMemory() {
    FrameQueue queue = inMemory(LONG, 1 << 20);
    List<Long> sizes = sizes(1, 2, 3);
    for (int time = 1; time <= 3; time++) {
      queue.add(tick(time, 1));
    }
    assertThat(queue.counts().queuedBytes()).isEqualTo(sizes.get(0) + sizes.get(1) + sizes.get(2));
    queue.acknowledge(1, 1, 0);
    assertThat(queue.counts().queuedBytes()).isEqualTo(sizes.get(1) + sizes.get(2));
    queue.refuse(queue.oldest(0).getFirst());
    assertThat(queue.counts().queuedBytes()).isEqualTo(sizes.get(2));
    assertThat(queue.counts().queued()).isEqualTo(1);
    assertThat(queue.counts().refused()).isEqualTo(1);
    assertThat(queue.counts().kept()).isEqualTo(1);
  }

  @Test
  void memoryHoldsAsManyBytesAsItsLimitAndThenDropsTheOldest() {
    List<Long> sizes = sizes(1, 2, 3);
    FrameQueue queue = inMemory(LONG, sizes.get(0) + sizes.get(1));
    queue.add(tick(1, 1));
    queue.add(tick(2, 1));
    assertThat(queue.counts().dropped()).isZero();
    queue.add(tick(3, 1));
    assertThat(queue.counts().dropped()).isEqualTo(1);
    assertThat(queue.counts().queuedBytes()).isEqualTo(sizes.get(1) + sizes.get(2));
  }

  @Test
  void whatFollowsARecordThatTheDiskDidNotTakeIsReadWithoutIt() throws Exception {
    List<byte[]> there = new ArrayList<>();
    AtomicBoolean takes = new AtomicBoolean(true);
    FrameQueue.Disk disk =
        new FrameQueue.Disk() {
          @Override
          public long segment() {
            return 1;
          }

          @Override
          public boolean append(long segment, byte[] record) {
            return takes.get() && there.add(record);
          }

          @Override
          public long bytes() {
            return 0;
          }

          @Override
          public void dropBefore(long segment) {}
        };
    FrameQueue queue =
        new FrameQueue(
            "n1",
            new UplinkSettings(LONG, 1 << 20, LONG, DISK),
            Optional.of(disk),
            runs::incrementAndGet);
    queue.add(tick(1, 1));
    takes.set(false);
    queue.add(tick(2, 2));
    takes.set(true);
    queue.add(tick(3, 3));
    queue.add(tick(4, 4));

    RunDictionary known = new RunDictionary();
    List<Long> times = new ArrayList<>();
    for (byte[] record : there) {
      FrameDecoder frames = new FrameDecoder(record);
      while (frames.hasNext()) {
        Frame frame = frames.next();
        assertThat(known.covers(frame)).as("after the ticks of %s", times).isTrue();
        known.add(frame);
        if (frame instanceof Frame.Tick tick) {
          times.add(tick.time());
        }
      }
    }
    assertThat(times).containsExactly(1L, 3L, 4L);
    assertThat(queue.counts().queuedFrames()).isEqualTo(4);
  }

  @Test
  void theNewestTickStaysHoweverLargeItIs() {
    FrameQueue queue = inMemory(LONG, 1);
    queue.add(tick(1, 1));
    assertThat(queue.counts().queuedFrames()).isEqualTo(1);
    queue.add(tick(2, 1));
    assertThat(queue.counts().queuedFrames()).isEqualTo(1);
    assertThat(queue.counts().dropped()).isEqualTo(1);
  }

  @Test
  void aBatchHasWhatFitsAndAtLeastOneFrameAndIsOfOneRun() {
    List<Long> sizes = sizes(1, 2, 3);
    FrameQueue queue = inMemory(LONG, 1 << 20);
    for (int time = 1; time <= 3; time++) {
      queue.add(tick(time, 1));
    }
    long two = sizes.get(0) + sizes.get(1);
    assertThat(queue.oldest(0)).hasSize(1);
    assertThat(queue.oldest(two - 1)).hasSize(1);
    assertThat(queue.oldest(two)).hasSize(2);
    assertThat(queue.oldest(two + sizes.get(2))).hasSize(3);
    Labels twice = Labels.of(Labels.NAME, "m");
    queue.add(new Tick.Builder().add(twice, 1).add(twice, 2).at(4));
    queue.add(tick(5, 1));
    assertThat(queue.oldest(1 << 20)).as("the next one is of another run").hasSize(3);
  }

  @Test
  void aRunEndsBeforeItHasMoreSeriesThanAReceiverHolds() {
    FrameQueue queue = inMemory(LONG, 1 << 30);
    queue.add(tick(1, 1));
    queue.add(tick(2, FrameQueue.MAX_SERIES_OF_A_RUN - 1));
    queue.add(tick(3, 2));
    queue.add(tick(4, 1));
    List<Long> runsOfFrames = new ArrayList<>();
    for (int i = 0; i < 4; i++) {
      FrameQueue.Queued frame = queue.oldest(0).getFirst();
      runsOfFrames.add(frame.run().run());
      queue.acknowledge(frame.run().run(), frame.sequence(), 0);
    }
    assertThat(runsOfFrames).containsExactly(1L, 1L, 2L, 2L);
  }

  @Test
  void aRunEndsBeforeItsLabelsHaveMoreBytesThanAReceiverHolds() throws Exception {
    FrameQueue queue = inMemory(LONG, 1 << 30);
    String value = "x".repeat(16_000);
    Map<Long, RunDictionary> receiver = new HashMap<>();
    for (int time = 1; time <= 120; time++) {
      Tick.Builder tick = new Tick.Builder();
      for (int i = 0; i < 10; i++) {
        tick.add(Labels.of(Labels.NAME, "m", "i", time + " " + i + value), i);
      }
      assertThat(queue.add(tick.at(time))).isEmpty();
      FrameQueue.Queued queued = queue.oldest(0).getFirst();
      Frame frame = new FrameDecoder(queued.bytes()).next();
      receiver.computeIfAbsent(frame.run(), none -> new RunDictionary()).add(frame);
      queue.acknowledge(frame.run(), queued.sequence(), 0);
    }
    assertThat(receiver).hasSize(2);
  }

  @Test
  void whatWasAcknowledgedOfARunNeverGoesBack() {
    FrameQueue queue = inMemory(LONG, 1 << 20);
    queue.acknowledge(7, 5, 0);
    queue.acknowledge(7, 3, 0);
    assertThat(queue.acknowledged(7)).isEqualTo(5);
    queue.acknowledge(8, 2, 0);
    assertThat(queue.acknowledged(8)).isEqualTo(2);
    assertThat(queue.acknowledged(7)).as("of the run before").isEqualTo(5);
    for (int run = 8; run < 16; run++) {
      queue.acknowledge(run, 1, 0);
    }
    assertThat(queue.acknowledged(7)).as("of a run of long ago").isZero();
  }

  @Test
  void ticksOfThePastAreARunOfTheirOwnAndTheOthersGoOnInTheirs() {
    FrameQueue queue = inMemory(LONG, 1 << 20);
    queue.add(tick(1_000, 2));
    queue.addPast(List.of(tick(10, 1), tick(20, 1)));
    queue.add(tick(2_000, 2));
    List<String> sent = new ArrayList<>();
    while (!queue.oldest(0).isEmpty()) {
      List<FrameQueue.Queued> batch = queue.oldest(1 << 20);
      FrameQueue.Queued last = batch.getLast();
      for (FrameQueue.Queued frame : batch) {
        sent.add(frame.run().run() + "/" + frame.sequence() + " at " + frame.time());
      }
      queue.acknowledge(last.run().run(), last.sequence(), 0);
    }
    assertThat(sent).containsExactly("1/1 at 1000", "2/1 at 10", "2/2 at 20", "1/2 at 2000");
    assertThat(queue.acknowledged(1)).as("of the run that goes on").isEqualTo(2);
    assertThat(queue.acknowledged(2)).isEqualTo(2);
    assertThat(queue.counts().kept()).isEqualTo(queue.counts().read()).isEqualTo(6);
  }

  @Test
  void aRunEndsWhenItsDictionaryIsManyTimesWhatATickHas() {
    FrameQueue queue = inMemory(LONG, 1 << 30);
    Set<Long> runs = new HashSet<>();
    int most = 0;
    for (int round = 0; round < 60; round++) {
      Tick.Builder owned = new Tick.Builder();
      for (int series = 0; series < 1_000; series++) {
        owned.add(Labels.of(Labels.NAME, "m" + series, "pod", "p" + round), 1);
      }
      queue.add(owned.at(round));
      FrameQueue.Queued last = queue.oldest(Long.MAX_VALUE).getLast();
      runs.add(last.run().run());
      most = Math.max(most, last.run().dictionary().length);
      queue.acknowledge(last.run().run(), last.sequence(), 0);
    }
    assertThat(runs.size()).as("60,000 series").isBetween(6, 9);
    assertThat(most).isLessThan(40 * FrameQueue.FEW_SERIES);
  }

  @Test
  void ticksOfThePastThatFollowEachOtherShareTheirDictionary() {
    FrameQueue queue = inMemory(LONG, 1 << 20);
    Set<Long> runs = new HashSet<>();
    for (int time : new int[] {10, 20, 30, 25, 26}) {
      queue.addPast(List.of(tick(time, 1)));
      FrameQueue.Queued frame = queue.oldest(0).getFirst();
      runs.add(frame.run().run());
      queue.acknowledge(frame.run().run(), frame.sequence(), 0);
    }
    assertThat(runs).as("25 is before 30").hasSize(2);
  }

  @Test
  void ticksOfThePastMakeNoOtherTickOldAndAreOldThemselves() {
    FrameQueue queue = inMemory(Duration.ofMillis(100), 1 << 20);
    queue.addPast(List.of(tick(1_000, 1), tick(1_010, 1)));
    assertThat(queue.counts().dropped()).as("no other tick has told the time").isZero();
    queue.add(tick(1_020, 1));
    queue.addPast(List.of(tick(500, 1)));
    assertThat(queue.counts().dropped()).isZero();
    queue.add(tick(1_115, 1));
    assertThat(queue.counts().dropped()).as("those of 1000 and 1010").isEqualTo(2);
    queue.add(tick(1_125, 1));
    assertThat(queue.counts().dropped()).as("those of 1020 and 500").isEqualTo(4);
  }

  @Test
  void aTickOfThePastThatCannotBeEncodedIsRefusedAlone() {
    FrameQueue queue = inMemory(LONG, 1 << 20);
    Labels twice = Labels.of(Labels.NAME, "m");
    Tick damaged = new Tick.Builder().add(twice, 1).add(twice, 2).at(15);
    assertThat(queue.addPast(List.of(tick(10, 1), damaged, tick(20, 1))))
        .hasValueSatisfying(why -> assertThat(why).contains("occurs twice"));
    assertThat(queue.counts().refused()).isEqualTo(2);
    assertThat(queue.counts().queuedFrames()).isEqualTo(2);
  }

  @Test
  void whatCannotBeReadFromTheDiskIsDropped() throws Exception {
    try (Spool spool = Spool.open(folder, "n1", DISK)) {
      FrameQueue queue = onDisk(spool, Duration.ZERO, LONG, DISK);
      for (int time = 1; time <= 4; time++) {
        queue.add(tick(time, 2));
      }
      long segment = queue.toLoad().orElseThrow();
      queue.load(segment, Map.of(1L, Map.of(2L, new byte[10])));
      assertThat(queue.counts().dropped()).isEqualTo(4);
      assertThat(queue.oldest(0).getFirst().sequence()).isEqualTo(2);
      queue.acknowledge(1, 2, 0);
      assertThat(queue.toLoad()).isEmpty();
      assertThat(queue.oldest(0).getFirst().sequence()).isEqualTo(4);
      assertThat(queue.counts().queued()).isEqualTo(2);
    }
  }

  @Test
  void whatCameBackFromTheDiskCountsInMemoryAndExpiresWithTheRest() throws Exception {
    try (Spool spool = Spool.open(folder, "n1", DISK)) {
      FrameQueue queue = onDisk(spool, Duration.ZERO, Duration.ofMillis(100), DISK);
      for (int time = 1; time <= 3; time++) {
        queue.add(tick(time, 1));
      }
      List<Long> sizes = sizes(1, 2, 3, 101, 103, 104);
      assertThat(queue.counts().queuedBytes()).isEqualTo(sizes.get(2));
      long segment = queue.toLoad().orElseThrow();
      queue.load(
          segment,
          Map.of(
              1L,
              Map.of(
                  1L, new byte[sizes.get(0).intValue()], 2L, new byte[sizes.get(1).intValue()])));
      assertThat(queue.counts().queuedBytes())
          .isEqualTo(sizes.get(0) + sizes.get(1) + sizes.get(2));
      queue.add(tick(101, 1));
      assertThat(queue.counts().dropped()).as("100 ms old at most").isZero();
      queue.add(tick(103, 1));
      assertThat(queue.counts().dropped()).isEqualTo(2);
      queue.add(tick(104, 1));
      assertThat(queue.counts().dropped()).isEqualTo(3);
      assertThat(queue.counts().queuedBytes()).isEqualTo(sizes.get(5));
      assertThat(queue.counts().queuedFrames()).isEqualTo(3);
    }
  }

  @Test
  void ofADiskAboveItsLimitTheOldestSegmentIsDroppedAndCounted() throws Exception {
    try (Spool spool = Spool.open(folder, "n1", 3 << 20)) {
      FrameQueue queue = onDisk(spool, Duration.ZERO, LONG, 3 << 20);
      int ticks = 0;
      while (queue.counts().dropped() == 0 && ticks < 60) {
        assertThat(queue.toLoad().orElse(1)).isEqualTo(1);
        queue.add(tick(++ticks, MANY));
      }
      UplinkCounts counts = queue.counts();
      assertThat(ticks).isBetween(15, 35);
      assertThat(counts.dropped()).isGreaterThan(2L * MANY).isLessThan(ticks / 2L * MANY);
      assertThat(counts.dropped() + counts.queued()).isEqualTo(counts.read());
      assertThat(queue.toLoad()).hasValue(2);
    }
  }

  @Test
  void whileTheOldestSegmentWaitsToBeSentADiskAboveItsLimitDropsItAndNotAllOthers()
      throws Exception {
    try (Spool spool = Spool.open(folder, "n1", 3 << 20)) {
      FrameQueue queue = onDisk(spool, Duration.ZERO, LONG, 3 << 20);
      for (int time = 1; time <= 100; time++) {
        queue.add(tick(time, MANY));
        // A segment that is not written to any more.
        if (queue.toLoad().isPresent() && queue.toLoad().getAsLong() < spool.segment()) {
          long segment = queue.toLoad().getAsLong();
          queue.load(segment, spool.read(segment));
        }
        assertThat(spool.bytes()).isLessThan(5 << 20);
      }
      UplinkCounts counts = queue.counts();
      assertThat(counts.dropped() + counts.queued()).isEqualTo(counts.read());
      assertThat(counts.queued()).as("the newest that fit").isGreaterThan(5L * MANY);
    }
  }

  @Test
  void aSegmentIsFreedWhenItsFramesAreAcknowledgedAndTheOthersCanStillBeRead() throws Exception {
    int ticks = 20;
    try (Spool spool = Spool.open(folder, "n1", DISK)) {
      FrameQueue queue = onDisk(spool, Duration.ZERO, LONG, DISK);
      for (int time = 1; time <= ticks; time++) {
        queue.add(tick(time, MANY));
      }
      queue.load(1, spool.read(1));
      long before = spool.bytes();
      int loaded = queue.oldest(DISK).size();
      queue.acknowledge(1, loaded, 0);
      assertThat(queue.toLoad()).hasValue(2);
      queue.load(2, spool.read(2));
      assertThat(spool.bytes()).isLessThan(before - (1 << 19));
      queue.acknowledge(1, loaded + 1, 0);
    }
    try (Spool spool = Spool.open(folder, "n1", DISK)) {
      FrameQueue queue = onDisk(spool, Duration.ZERO, LONG, DISK);
      queue.restore(spool.found());
      assertThat(queue.toLoad()).as("the first segment is gone").hasValue(2);
      assertThat(queue.counts().read()).isEqualTo(queue.counts().queued()).isPositive();
      FrameQueue.Queued last = spool.found().getLast();
      assertThat(last.sequence()).isEqualTo(ticks);
      Frame.Dictionary dictionary =
          (Frame.Dictionary) new FrameDecoder(last.run().dictionary()).next();
      assertThat(dictionary.host()).isEqualTo("n1");
      assertThat(dictionary.run()).isEqualTo(1);
      assertThat(dictionary.additions().series()).hasSize(MANY);
      while (queue.toLoad().isPresent()) {
        queue.load(queue.toLoad().getAsLong(), spool.read(queue.toLoad().getAsLong()));
        queue.acknowledge(1, queue.oldest(DISK).getLast().sequence(), 0);
      }
      assertThat(queue.counts().dropped()).isZero();
      assertThat(queue.counts().queued()).isZero();
      assertThat(spool.bytes()).as("nothing is needed any more").isLessThan(1 << 10);
    }
  }

  @Test
  void aSpoolTakesARecordForItsCurrentSegmentOnlyAndNoneWhenItIsClosed() throws Exception {
    Spool spool = Spool.open(folder, "n1", DISK);
    assertThat(spool.append(spool.segment() + 1, new byte[1])).isFalse();
    assertThat(spool.append(spool.segment(), new byte[1])).isTrue();
    assertThat(spool.trouble()).isEmpty();
    spool.close();
    assertThat(spool.append(spool.segment(), new byte[1])).isFalse();
  }

  private FrameQueue inMemory(Duration memory, long maxBytes) {
    return new FrameQueue(
        "n1",
        new UplinkSettings(memory, maxBytes, LONG, 0),
        Optional.empty(),
        runs::incrementAndGet);
  }

  private FrameQueue onDisk(Spool spool, Duration memory, Duration retention, long maxDisk) {
    return new FrameQueue(
        "n1",
        new UplinkSettings(memory, DISK, retention, maxDisk),
        Optional.of(spool),
        runs::incrementAndGet);
  }

  /** The bytes of the frames of these ticks, when they are the first of a run. */
  private static List<Long> sizes(int... times) {
    FrameEncoder encoder = new FrameEncoder("n1", 1);
    List<Long> sizes = new ArrayList<>();
    for (int time : times) {
      sizes.add((long) encoder.encode(tick(time, 1)).length);
    }
    return sizes;
  }

  private static Tick tick(int time, int samples) {
    Tick.Builder tick = new Tick.Builder();
    for (int i = 0; i < samples; i++) {
      tick.add(Labels.of(Labels.NAME, "m", "i", "" + i), i + 0.1);
    }
    return tick.at(time);
  }
}
