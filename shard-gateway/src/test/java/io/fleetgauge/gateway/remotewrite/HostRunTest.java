package io.fleetgauge.gateway.remotewrite;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.fleetgauge.gateway.store.HostWriter;
import io.fleetgauge.sample.Histogram;
import io.fleetgauge.sample.Labels;
import io.fleetgauge.sample.Staleness;
import io.fleetgauge.sample.frame.Frame;
import io.fleetgauge.sample.frame.FrameDecoder;
import io.fleetgauge.sample.frame.RunDictionary;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class HostRunTest {
  private static final long RUN = 77;

  private final HostRun run = new HostRun("n1", RUN);
  private final RunDictionary dictionary = new RunDictionary();

  /** One sample, as it was added and as the owner decodes it. */
  private record Sample(Labels series, long time, double value, Histogram histogram) {}

  private static Labels series(int number) {
    return Labels.of(Labels.NAME, "m" + number, "Hostname", "n1");
  }

  private List<Sample> decode(byte[] body) throws Exception {
    List<Sample> found = new ArrayList<>();
    FrameDecoder frames = new FrameDecoder(body);
    long before = Long.MIN_VALUE;
    while (frames.hasNext()) {
      Frame frame = frames.next();
      assertThat(frame.host()).isEqualTo("n1");
      assertThat(frame.run()).isEqualTo(RUN);
      dictionary.add(frame);
      if (frame instanceof Frame.Tick tick) {
        assertThat(tick.time()).isGreaterThanOrEqualTo(before);
        assertThat(tick.ids()).isSorted().doesNotHaveDuplicates();
        before = tick.time();
        for (int i = 0; i < tick.ids().length; i++) {
          Histogram histogram = tick.histograms() == null ? null : tick.histograms()[i];
          found.add(
              new Sample(
                  dictionary.series(tick.ids()[i]),
                  tick.time(),
                  histogram == null ? tick.values()[i] : 0,
                  histogram));
        }
      }
    }
    return found;
  }

  @Test
  void samplesAreNewWhenEachIsNewerThanTheOnesOfItsSeriesBefore() {
    int a = run.number(series(1));
    int b = run.number(series(200));
    assertThat(added(a, 1_000)).as("nothing is known of the series").isFalse();
    assertThat(added(a, 2_000)).isTrue();
    assertThat(added(b, 2_000)).as("nothing is known of the other series").isFalse();
    assertThat(added(b, 3_000)).isTrue();
    assertThat(added(a, 3_000)).isTrue();
    assertThat(added(a, 3_000)).as("the same time again").isFalse();
    assertThat(added(b, 63_010)).isTrue();
    assertThat(added(a, 3_002)).as("more than a minute behind the host").isFalse();
    assertThat(added(a, 3_003)).isFalse();
    assertThat(added(a, 64_000)).isTrue();
    run.notKept();
    assertThat(added(a, 65_000)).as("the owner has refused something").isFalse();
    assertThat(added(a, 66_000)).isTrue();
    run.doubt();
    assertThat(run.isNew()).isFalse();
  }

  private boolean added(int id, long time) {
    run.add(id, time, 1);
    boolean isNew = run.isNew();
    run.encode(why -> {});
    return isNew;
  }

  @Test
  void ofSeveralSamplesAtOneTimeOneCountsAndWhatContradictsItIsNamed() throws Exception {
    int id = run.number(series(1));
    run.add(id, 1_000, 1);
    run.add(id, 1_000, 1);
    run.add(id, 1_000, 2);
    run.add(id, 1_000, Staleness.MARKER);
    run.add(id, 2_000, Staleness.MARKER);
    run.add(id, 2_000, 3);
    List<String> contradicting = new ArrayList<>();
    assertThat(decode(run.encode(why -> contradicting.add(why.get()))))
        .containsExactly(
            new Sample(series(1), 1_000, 1, null), new Sample(series(1), 2_000, 3, null));
    assertThat(contradicting)
        .containsExactly(
            "duplicate sample for timestamp 1000 in the request; the first one counts: "
                + series(1));
  }

  /** Samples in any order, with series twice at one time and histograms, over several requests. */
  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3, 4, 5})
  void everySampleIsInAFrameOfItsTime(long seed) throws Exception {
    SplittableRandom random = new SplittableRandom(seed);
    for (int request = 0; request < 5; request++) {
      Map<List<Object>, Sample> expected = new HashMap<>();
      List<String> contradicting = new ArrayList<>();
      int count = 1 + random.nextInt(300);
      boolean oneTime = random.nextBoolean();
      for (int i = 0; i < count; i++) {
        int number = random.nextInt(40);
        int id = run.number(series(number));
        long time = oneTime ? 5_000 : 1_000 * random.nextInt(20);
        if (random.nextInt(8) == 0) {
          Histogram histogram = HostWriter.histogram(2 + random.nextInt(4));
          run.add(id, time, histogram);
          expected.putIfAbsent(
              List.of(number, time), new Sample(series(number), time, 0, histogram));
        } else {
          run.add(id, time, i);
          expected.putIfAbsent(List.of(number, time), new Sample(series(number), time, i, null));
        }
      }
      assertThat(run.size()).isEqualTo(count);
      List<Sample> found = decode(run.encode(why -> contradicting.add(why.get())));
      assertThat(found).containsExactlyInAnyOrderElementsOf(expected.values());
      assertThat(contradicting).hasSizeBetween(0, count - found.size());
      assertThat(found).isSortedAccordingTo(Comparator.comparingLong(Sample::time));
      assertThat(run.isEmpty()).isTrue();
    }
  }

  @Test
  void samplesThatWereClearedAreNotSent() throws Exception {
    int id = run.number(series(1));
    run.add(id, 1, 1);
    run.clear();
    assertThat(run.isEmpty()).isTrue();
    run.add(id, 2, 2);
    assertThat(decode(run.encode(why -> {}))).containsExactly(new Sample(series(1), 2, 2, null));
  }

  @Test
  void theDictionaryHasEverySeriesOfTheRun() throws Exception {
    for (int i = 0; i < 50; i++) {
      assertThat(run.number(series(i))).isEqualTo(i);
    }
    assertThat(run.number(series(7))).as("a known series keeps its number").isEqualTo(7);
    run.add(49, 1, 1);
    run.encode(why -> {});
    FrameDecoder frames = new FrameDecoder(run.dictionary());
    RunDictionary read = new RunDictionary();
    read.add(frames.next());
    assertThat(read.size()).isEqualTo(50);
    assertThat(read.series(49)).isEqualTo(series(49));
    assertThat(run.isFull()).isFalse();
  }

  @Test
  void aRunIsFullWithHalfTheSeriesItMayHave() {
    for (int i = 0; i < RunDictionary.MAX_SERIES / 2 - 1; i++) {
      run.number(Labels.of("i", "" + i));
    }
    assertThat(run.isFull()).isFalse();
    run.number(Labels.of("i", "last"));
    assertThat(run.isFull()).isTrue();
  }

  @Test
  void aRunIsFullWithSevenEighthsOfTheBytesAndOverTheLimitBeyondAll() {
    String longest = "x".repeat(1 << 16);
    long each = longest.length();
    int labels = 0;
    while (!run.isFull()) {
      run.number(Labels.of("i", labels++ + longest));
    }
    assertThat(labels * each).isCloseTo(RunDictionary.MAX_BYTES / 8L * 7, within(2 * each));
    assertThat(run.isOverLimit()).isFalse();
    while (!run.isOverLimit()) {
      run.number(Labels.of("i", labels++ + longest));
    }
    assertThat(labels * each).isCloseTo((long) RunDictionary.MAX_BYTES, within(2 * each));
  }
}
