package io.fleetgauge.gateway.store;

import static io.fleetgauge.gateway.store.HostWriter.BLOCK_MILLIS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assertions.assertTimeoutPreemptively;

import io.fleetgauge.gateway.store.read.SelectionReader;
import io.fleetgauge.promql.query.Selection;
import io.fleetgauge.promql.query.StopCheck;
import io.fleetgauge.promql.syntax.Parser;
import io.fleetgauge.sample.Labels;
import io.fleetgauge.sample.Series;
import io.fleetgauge.sample.Staleness;
import io.fleetgauge.sample.Tick;
import io.fleetgauge.sample.frame.Frame;
import io.fleetgauge.sample.frame.FrameDecoder;
import io.fleetgauge.sample.frame.RunDictionary;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Assertions;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What another gateway needs to have the same samples: digests that differ, and pages. */
class CopyTest {
  private static final long START = 4 * BLOCK_MILLIS;
  private static final long MINUTE = 60_000;

  @TempDir private Path folder;
  private HostWriter writer;
  private HostWriter copy;
  private Labels up;

  @BeforeEach
  void open() {
    writer = new HostWriter(folder.resolve("a"), "n1");
    copy = new HostWriter(folder.resolve("b"), "n1");
    up = writer.series("up");
  }

  private record Fact(long time, Labels series, double value) {}

  private List<Fact> facts(long ticks) {
    List<Fact> facts = new ArrayList<>();
    for (long tick = 0; tick < ticks; tick++) {
      long time = START + tick * 15_000;
      facts.add(new Fact(time, writer.series("up"), 1));
      facts.add(new Fact(time, writer.gpu("util", "G1", tick < ticks / 2 ? "a" : "b"), tick));
    }
    return facts;
  }

  private static void send(HostWriter to, List<Fact> facts) {
    facts.forEach(fact -> to.send(fact.time, fact.series, fact.value));
  }

  private static SortedMap<Long, Digests.Slot> digest(HostWriter of, long fineFrom) {
    return of.store().digest("n1", fineFrom, BLOCK_MILLIS, Long.MAX_VALUE);
  }

  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3})
  void digestsDoNotDependOnTheOrderOfArrival(long seed) {
    List<Fact> facts = facts(100);
    facts.removeIf(fact -> !fact.series.metric().equals("up"));
    send(writer, facts);
    Collections.shuffle(facts, new Random(seed));
    send(copy, facts);
    assertThat(digest(copy, START)).isEqualTo(digest(writer, START));
    assertThat(digest(copy, Long.MAX_VALUE)).isEqualTo(digest(writer, Long.MAX_VALUE));
  }

  /** An owner that heard nothing wrote markers, and 0 for up; then some of the ticks came. */
  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8})
  void aTrueSampleCountsMoreThanWhatWasSupposedInWhateverOrderTheyArrive(long seed)
      throws Exception {
    Random random = new Random(seed);
    List<Fact> expected = new ArrayList<>();
    List<Fact> all = new ArrayList<>();
    for (long tick = 0; tick < 80; tick++) {
      long time = START + tick * 15_000;
      for (String metric : List.of("up", "power")) {
        Labels series = writer.series(metric);
        Fact supposed = new Fact(time, series, metric.equals("up") ? 0 : Staleness.MARKER);
        Fact sent = new Fact(time, series, 1);
        boolean isTrue = random.nextInt(3) > 0;
        boolean isSupposed = !isTrue || random.nextBoolean();
        expected.add(isTrue ? sent : supposed);
        for (int copies = random.nextInt(2); copies >= 0; copies--) {
          if (isTrue) {
            all.add(sent);
          }
          if (isSupposed) {
            all.add(supposed);
          }
        }
      }
    }
    Collections.shuffle(all, random);
    send(writer, all);
    Collections.shuffle(all, random);
    send(copy, all);
    assertThat(digest(copy, START)).isEqualTo(digest(writer, START));
    for (String metric : List.of("up", "power")) {
      List<Fact> of = expected.stream().filter(f -> f.series.metric().equals(metric)).toList();
      for (HostWriter each : List.of(writer, copy)) {
        Series found =
            each.lane().all(START, START + BLOCK_MILLIS).stream()
                .filter(series -> series.labels().metric().equals(metric))
                .findFirst()
                .orElseThrow();
        assertThat(found)
            .isEqualTo(
                new Series(
                    found.labels(),
                    of.stream().mapToLong(Fact::time).toArray(),
                    of.stream().mapToDouble(Fact::value).toArray()));
      }
    }
    assertThat(writer.store().counts().conflicting.sum()).isZero();
    assertThat(copy.store().counts().conflicting.sum()).isZero();
  }

  @Test
  void aMissingSampleChangesTheDigestOfItsMinuteOnly() {
    List<Fact> facts = facts(100);
    send(writer, facts);
    Fact missing = facts.remove(50);
    send(copy, facts);
    SortedMap<Long, Digests.Slot> full = digest(writer, START);
    SortedMap<Long, Digests.Slot> less = digest(copy, START);
    long slot = Math.floorDiv(missing.time, MINUTE) * MINUTE;
    assertThat(less.get(slot).count()).isEqualTo(full.get(slot).count() - 1);
    assertThat(less.get(slot).hash()).isNotEqualTo(full.get(slot).hash());
    assertThat(less.remove(slot).to()).isEqualTo(full.remove(slot).to()).isEqualTo(slot + MINUTE);
    assertThat(less).isEqualTo(full);
  }

  @Test
  void slotsBeforeTheFineTimeAreAsLongAsBlocksAndCountAllSamples() {
    send(writer, facts(3 * BLOCK_MILLIS / 15_000));
    long fine = START + 2 * BLOCK_MILLIS;
    SortedMap<Long, Digests.Slot> slots = digest(writer, fine);
    assertThat(slots.headMap(fine))
        .containsOnlyKeys(START, START + BLOCK_MILLIS)
        .allSatisfy(
            (from, slot) -> {
              assertThat(slot.to()).isEqualTo(from + BLOCK_MILLIS);
              assertThat(slot.count()).isGreaterThanOrEqualTo(2 * BLOCK_MILLIS / 15_000);
            });
    assertThat(slots.tailMap(fine)).hasSize((int) (BLOCK_MILLIS / MINUTE));
    assertThat(slots.get(fine).count()).isEqualTo(8);
  }

  @Test
  void samplesAfterTheLastTimeDoNotCount() {
    send(writer, facts(20));
    SortedMap<Long, Digests.Slot> slots =
        writer.store().digest("n1", START, BLOCK_MILLIS, START + 45_000);
    assertThat(slots).containsOnlyKeys(START);
    assertThat(slots.get(START).count()).isEqualTo(8);
    slots = writer.store().digest("n1", START, BLOCK_MILLIS, START + 44_999);
    assertThat(slots.get(START).count()).isEqualTo(6);
    assertThat(writer.store().digest("n1", START, BLOCK_MILLIS, START - 1)).isEmpty();
    assertThat(writer.store().digest("nobody", START, BLOCK_MILLIS, Long.MAX_VALUE)).isEmpty();
  }

  /** A sender's clock was wrong, or the samples of a backup are from long before the others. */
  @ParameterizedTest
  @ValueSource(longs = {-9_000_000_000_000_000_000L, -1, 0, 1, 123_456_789_012L})
  void aSampleOfAnyTimeCostsDigestsAndPagesNoMoreThanTheSamplesThemselves(long time) {
    long shift = 1_700_000_000_000L / BLOCK_MILLIS * BLOCK_MILLIS;
    writer.append(Lane.Source.JOURNAL, time, new Labels[] {up}, new double[] {1}, null);
    for (Fact fact : facts(100)) {
      writer.send(shift + fact.time, fact.series, fact.value);
      copy.send(shift + fact.time, fact.series, fact.value);
    }
    SortedMap<Long, Digests.Slot> expected = digest(copy, shift + START + MINUTE);
    SortedMap<Long, Digests.Slot> found =
        assertTimeoutPreemptively(
            Duration.ofMinutes(2), () -> digest(writer, shift + START + MINUTE));
    assertThat(found.tailMap(shift)).isEqualTo(expected);
    assertThat(found.headMap(shift)).hasSize(time < 0 ? 0 : 1);
    long end = writer.lane().newest() + 1;
    List<Long> slots = new ArrayList<>();
    for (long at = 0; at < end; at += MINUTE) {
      at = writer.store().nextSlot("n1", at, end, MINUTE);
      slots.add(at);
    }
    assertThat(slots).hasSize(25 + (time < 0 ? 0 : 1)).endsWith(shift + START + 24 * MINUTE);
  }

  /** The slots that are found are those that are found when each slot is looked at. */
  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3, 4, 5})
  void theNextSlotIsTheFirstWithASample(long seed) {
    Random random = new Random(seed);
    TreeSet<Long> times = new TreeSet<>();
    for (int i = 0; i < 12; i++) {
      times.add((long) random.nextInt(1 << random.nextInt(4, 24)));
    }
    times.forEach(
        time ->
            writer.append(Lane.Source.JOURNAL, time, new Labels[] {up}, new double[] {1}, null));
    for (int i = 0; i < 200; i++) {
      long from = random.nextInt(1 << random.nextInt(4, 24)) / 1_000 * 1_000L;
      long end = random.nextInt(1 << 24);
      Long next = times.ceiling(from);
      assertThat(writer.store().nextSlot("n1", from, end, 1_000))
          .isEqualTo(next == null || next >= end ? end : next / 1_000 * 1_000);
    }
    assertThat(writer.store().nextSlot("nobody", 0, 5, 1_000)).isEqualTo(5);
  }

  @Test
  void digestsOfBlocksAreRememberedUntilBlocksGo() throws Exception {
    send(writer, facts(4 * BLOCK_MILLIS / 15_000));
    SortedMap<Long, Digests.Slot> inMemory = digest(writer, Long.MAX_VALUE);
    writer.sealAll(START + 4 * BLOCK_MILLIS);
    assertThat(digest(writer, Long.MAX_VALUE)).isEqualTo(inMemory);
    assertThat(writer.lane().digests().find(START, START + BLOCK_MILLIS))
        .isEqualTo(inMemory.get(START));
    assertThat(writer.lane().digests().find(START, START + 1)).isNull();
    assertThat(writer.lane().digests().find(START + 3 * BLOCK_MILLIS, START + 4 * BLOCK_MILLIS))
        .as("samples in memory can still change")
        .isNull();
    long generation = writer.lane().digests().generation();
    writer.lane().dropBlocks(START + BLOCK_MILLIS);
    assertThat(writer.lane().digests().find(START + BLOCK_MILLIS, START + 2 * BLOCK_MILLIS))
        .isNull();
    writer.lane().digests().remember(0, new Digests.Slot(1, 1, 1), generation);
    assertThat(writer.lane().digests().find(0, 1)).as("computed before a block went").isNull();
    inMemory.remove(START);
    assertThat(digest(writer, Long.MAX_VALUE)).isEqualTo(inMemory);
  }

  @Test
  void theFineTimeIsTwoBlocksBack() {
    Store store = writer.store();
    assertThat(store.blockMillis()).isEqualTo(BLOCK_MILLIS);
    assertThat(store.fineFrom(10 * BLOCK_MILLIS)).isEqualTo(8 * BLOCK_MILLIS);
    assertThat(store.fineFrom(10 * BLOCK_MILLIS - 1)).isEqualTo(7 * BLOCK_MILLIS);
    assertThat(store.fineFrom(Long.MAX_VALUE)).isEqualTo(Long.MAX_VALUE);
  }

  private List<Series> all(HostWriter of) throws Exception {
    return of.store()
        .select(
            List.of("n1"),
            new Selection(List.of(), Long.MIN_VALUE, Long.MAX_VALUE),
            1 << 20,
            Assertions::fail,
            StopCheck.NEVER);
  }

  /** Takes a page in as another gateway does; a page contains its own dictionary. */
  private static int take(HostWriter to, HostPage page) throws Exception {
    RunDictionary dictionary = new RunDictionary();
    FrameDecoder frames = new FrameDecoder(page.frames());
    int ticks = 0;
    long before = Long.MIN_VALUE;
    while (frames.hasNext()) {
      Frame frame = frames.next();
      dictionary.add(frame);
      if (frame instanceof Frame.Tick tick) {
        Labels[] series =
            Arrays.stream(tick.ids()).mapToObj(dictionary::series).toArray(Labels[]::new);
        to.append(Lane.Source.JOURNAL, tick.time(), series, tick.values(), tick.histograms());
        assertThat(tick.time()).isGreaterThan(before);
        assertThat(tick.run()).isEqualTo(HostPage.RUN);
        before = tick.time();
        ticks++;
      }
    }
    return ticks;
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 5_000, 1 << 20})
  void pagesOfAnySizeTogetherHaveAllSamples(int maxBytes) throws Exception {
    send(writer, facts(600));
    writer.send(START + 7, writer.series("h"), HostWriter.histogram(5));
    writer.sealAll(START + 600 * 15_000);
    long from = 0;
    int pages = 0;
    while (from < Long.MAX_VALUE) {
      HostPage page = writer.store().export("n1", from, Long.MAX_VALUE, maxBytes);
      assertThat(page.next()).isGreaterThan(from);
      take(copy, page);
      from = page.next();
      pages++;
    }
    assertThat(all(copy)).isEqualTo(all(writer));
    assertThat(digest(copy, START)).isEqualTo(digest(writer, START));
    assertThat(pages).isGreaterThan(maxBytes == 1 ? 10 : 0);
  }

  /** Ticks as they come: what each GPU has, and before or after that the end of its last owner. */
  private List<Tick> history(Random random) {
    String[] owners = {"a", "a"};
    Map<String, String> open = new HashMap<>();
    List<Tick> ticks = new ArrayList<>();
    for (int tick = 0; tick < 80; tick++) {
      List<Labels> series = new ArrayList<>();
      List<Double> values = new ArrayList<>();
      for (int gpu = 0; gpu < owners.length; gpu++) {
        if (random.nextInt(6) == 0) {
          owners[gpu] = List.of("a", "b", "c", "").get(random.nextInt(4));
        }
        for (String metric : List.of("util", "temp")) {
          if (random.nextInt(10) == 0) {
            continue;
          }
          String before = open.put(metric + gpu, owners[gpu]);
          boolean ends = before != null && !before.equals(owners[gpu]) && random.nextBoolean();
          boolean endsFirst = random.nextBoolean();
          if (ends && endsFirst) {
            series.add(writer.gpu(metric, "G" + gpu, before));
            values.add(Staleness.MARKER);
          }
          series.add(writer.gpu(metric, "G" + gpu, owners[gpu]));
          values.add((double) tick);
          if (ends && !endsFirst) {
            series.add(writer.gpu(metric, "G" + gpu, before));
            values.add(Staleness.MARKER);
          }
        }
      }
      ticks.add(
          new Tick(
              START + tick * 15_000,
              series,
              values.stream().mapToDouble(Double::doubleValue).toArray()));
    }
    return ticks;
  }

  private static void send(HostWriter to, Tick tick) {
    to.send(tick.time(), tick.series().toArray(Labels[]::new), tick.values(), tick.histograms());
  }

  private static Map<Labels, String> samples(HostWriter of) {
    Map<Labels, String> samples = new TreeMap<>();
    of.lane()
        .all(0, Long.MAX_VALUE)
        .forEach(
            each ->
                assertThat(
                        samples.put(
                            each.labels(),
                            Arrays.toString(each.times()) + Arrays.toString(each.values())))
                    .isNull());
    return samples;
  }

  private static void assertSamples(HostWriter of, Map<Labels, String> expected) {
    Map<Labels, String> samples = samples(of);
    assertThat(samples).containsOnlyKeys(expected.keySet());
    expected.forEach(
        (series, all) -> assertThat(samples.get(series)).as("" + series).isEqualTo(all));
  }

  @ParameterizedTest
  @MethodSource("seeds")
  void aCopyThatIsMadeWhileOwnersChangeHasTheSameSeriesAndSamples(long seed) throws Exception {
    Random random = new Random(seed);
    List<Tick> history = history(random);
    history.forEach(tick -> send(writer, tick));
    int begun = 1 + random.nextInt(history.size() - 1);
    Deque<Tick> live = new ArrayDeque<>(history.subList(begun, history.size()));
    // The copy may have some of what came live, too.
    long to = START + 15_000L * (begun + random.nextInt(3));
    Deque<Tick> copied = new ArrayDeque<>(HostPage.ticks(writer.lane().all(START, to)));
    send(copy, live.poll());
    while (!live.isEmpty() || !copied.isEmpty()) {
      boolean next = copied.isEmpty() || !live.isEmpty() && random.nextInt(4) == 0;
      send(copy, next ? live.poll() : copied.poll());
    }
    // Digests show what is missing: the end of an owner that was not known yet when it came.
    HostPage.ticks(writer.lane().all(START, Long.MAX_VALUE)).forEach(tick -> send(copy, tick));
    assertSamples(copy, samples(writer));
    assertThat(digest(copy, START)).isEqualTo(digest(writer, START));
    assertThat(copy.store().seriesCount()).isEqualTo(writer.store().seriesCount());
    Map<Labels, String> before = samples(copy);
    copy.sealAll(START + 9 * BLOCK_MILLIS);
    assertSamples(copy, before);
    copy.restart();
    assertSamples(copy, before);
  }

  private static LongStream seeds() {
    return LongStream.rangeClosed(1, Integer.getInteger("fleetgauge.copies", 200));
  }

  @Test
  void aQueryThatHasFoundItsSeriesDoesNotGiveThemLateSamplesOfOtherOwners() throws Exception {
    Labels mine = writer.gpu("util", "G1", "a");
    writer.send(START + 20, mine, 2);
    writer.send(START + 30, mine, 3);
    SelectionReader reader =
        new SelectionReader(new Selection(Parser.parseSelector("util"), 0, Long.MAX_VALUE));
    reader.add(writer.lane().view());
    writer.send(START + 10, writer.gpu("util", "G1", "b"), 1);
    List<Series> read = new ArrayList<>();
    reader.read(100, host -> {}, read::add);
    assertThat(read)
        .containsExactly(
            new Series(mine, new long[] {START + 20, START + 30}, new double[] {2, 3}));
  }

  @Test
  void aPageHasTheSamplesOfItsTimeOnly() throws Exception {
    send(writer, facts(20));
    HostPage page = writer.store().export("n1", START + 15_000, START + 45_000, 1 << 20);
    assertThat(take(copy, page)).isEqualTo(2);
    assertThat(page.next()).isEqualTo(START + 45_000);
    assertThat(all(copy).getFirst().times()).containsExactly(START + 15_000, START + 30_000);
  }

  @Test
  void aHostWithoutSamplesIsOneEmptyPage() {
    HostPage page = writer.store().export("n1", 0, 1_000, 1 << 20);
    assertThat(page.frames()).isEmpty();
    assertThat(page.next()).isEqualTo(1_000);
  }
}
