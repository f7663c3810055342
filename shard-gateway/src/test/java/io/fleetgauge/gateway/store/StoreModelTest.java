package io.fleetgauge.gateway.store;

import static org.assertj.core.api.Assertions.assertThat;

import io.fleetgauge.gateway.store.owner.Dimensions;
import io.fleetgauge.gateway.store.read.NewestSamples;
import io.fleetgauge.promql.expr.Matcher;
import io.fleetgauge.promql.lookup.SeriesSearch;
import io.fleetgauge.promql.query.Selection;
import io.fleetgauge.promql.query.StopCheck;
import io.fleetgauge.promql.syntax.Parser;
import io.fleetgauge.sample.Histogram;
import io.fleetgauge.sample.Labels;
import io.fleetgauge.sample.Series;
import io.fleetgauge.sample.Staleness;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.TreeSet;
import org.junit.jupiter.api.Assertions;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * The store beside a map of label sets to samples by time, which is what a Prometheus would keep
 * whose series have the owners among their labels. Whatever comes, in whatever order, both answer
 * the same.
 */
class StoreModelTest {
  private static final Duration MEMORY = Duration.ofMinutes(20);
  private static final StoreLimits LIMITS =
      new StoreLimits(
          Duration.ofHours(12),
          1L << 40,
          MEMORY,
          MEMORY.dividedBy(2),
          Duration.ofMinutes(10),
          10_000,
          10_000,
          10_000);
  private static final String HOST = "n1";
  private static final long START = 1_760_000_000_000L;
  private static final String[] JOBS = {"", "train", "serve", "eval"};
  private static final Histogram HISTOGRAM =
      new Histogram(
          1,
          Histogram.ResetHint.UNKNOWN,
          2,
          5,
          0,
          0,
          new Histogram.Buckets(new int[] {0, 3}, new double[] {1, 1}),
          Histogram.Buckets.NONE,
          new double[0]);

  private record Value(double number, Histogram histogram) {
    @Override
    public boolean equals(Object other) {
      return other instanceof Value that
          && Double.doubleToRawLongBits(number) == Double.doubleToRawLongBits(that.number)
          && java.util.Objects.equals(histogram, that.histogram);
    }

    @Override
    public int hashCode() {
      return Double.hashCode(number);
    }
  }

  private record Written(Labels labels, long time, Value value) {}

  @TempDir private Path folder;
  private final TreeMap<Labels, TreeMap<Long, Value>> model = new TreeMap<>();
  private final List<Written> journal = new ArrayList<>();
  private Store store;
  private Lane lane;
  private Map<Labels, Lane.Handle> handles;
  private SplittableRandom random;

  @Test
  void theStoreAnswersAsAMapOfAllSamplesDoes() throws Exception {
    play(1);
  }

  @ParameterizedTest
  @Tag("slow")
  @ValueSource(longs = {2, 3, 4, 5, 6, 7, 8, 9, 10})
  void theStoreAnswersAsAMapOfAllSamplesDoes(long seed) throws Exception {
    play(seed);
  }

  private void play(long seed) throws Exception {
    random = new SplittableRandom(seed);
    open();
    long time = START + random.nextInt(600_000);
    int[] jobs = new int[3];
    boolean unruly = seed % 3 == 0;
    for (int i = 0; i < 600; i++) {
      time += random.nextInt(6) == 0 ? 1 + random.nextInt(120_000) : 15_000;
      tick(time, jobs, unruly);
      if (random.nextInt(4) == 0) {
        late(time);
      }
      if (random.nextInt(40) == 0) {
        seal(time);
      }
      if (random.nextInt(150) == 0) {
        restart();
      }
      if (random.nextInt(200) == 0) {
        // Nothing comes for long; what comes then goes on where it stopped.
        seal(time + 2 * MEMORY.toMillis());
        time -= random.nextInt(15_000);
      }
      if (random.nextInt(10) == 0) {
        compare(time);
      }
    }
    compare(time);
    restart();
    compare(time);
    assertThat(store.blockCount()).isGreaterThan(3);
    assertThat(store.counts().blocks.damaged.sum()).isZero();
  }

  private void open() throws IOException {
    store = new Store(folder, LIMITS, Dimensions.DEFAULT);
    store.restore(HOST);
    lane = store.lane(HOST);
    handles = new HashMap<>();
  }

  /** As after a crash: what is in blocks is there, the rest comes from the journal. */
  private void restart() throws IOException {
    open();
    for (Written each : journal) {
      write(Lane.Source.JOURNAL, each);
    }
  }

  private void tick(long time, int[] jobs, boolean unruly) {
    List<Written> tick = new ArrayList<>();
    for (int gpu = 0; gpu < jobs.length; gpu++) {
      int before = jobs[gpu];
      int job = random.nextInt(12) == 0 ? random.nextInt(JOBS.length) : before;
      jobs[gpu] = job;
      for (int metric = 0; metric < 3; metric++) {
        if (random.nextInt(50) == 0) {
          continue; // a reading that failed
        }
        tick.add(new Written(gpu(gpu, metric, job), time, value(metric)));
        boolean toldToEnd = !unruly || random.nextBoolean();
        if (job != before && toldToEnd && isLive(gpu(gpu, metric, before))) {
          tick.add(new Written(gpu(gpu, metric, before), time, new Value(Staleness.MARKER, null)));
        }
        if (unruly && random.nextInt(30) == 0) {
          // A second owner of the same GPU at the same time, as with time slicing.
          tick.add(new Written(gpu(gpu, metric, random.nextInt(JOBS.length)), time, value(metric)));
        }
      }
    }
    for (int i = 0; i < 5; i++) {
      if (i < 3 || random.nextInt(3) == 0) {
        tick.add(new Written(plain(i), time, value(i)));
      }
    }
    for (int i = tick.size() - 1; i > 0; i--) {
      int other = random.nextInt(i + 1);
      Written swapped = tick.get(i);
      tick.set(i, tick.get(other));
      tick.set(other, swapped);
    }
    for (Written each : tick) {
      write(each);
      if (random.nextInt(40) == 0) {
        write(each);
      }
      if (random.nextInt(40) == 0) {
        write(new Written(each.labels, each.time, new Value(-1, null)));
      }
    }
  }

  private boolean isLive(Labels labels) {
    TreeMap<Long, Value> samples = model.get(labels);
    return samples != null && !Staleness.isMarker(samples.lastEntry().getValue().number);
  }

  private void late(long now) {
    long time = now - random.nextInt(700_000);
    Labels labels =
        random.nextBoolean()
            ? plain(random.nextInt(5))
            : gpu(random.nextInt(3), random.nextInt(3), random.nextInt(JOBS.length));
    for (int i = 0; i <= random.nextInt(4); i++) {
      write(new Written(labels, time + i * 1_000, value(random.nextInt(3))));
    }
  }

  private Value value(int kind) {
    return switch (kind) {
      case 0 -> new Value(random.nextInt(101), null);
      case 1 -> new Value(Math.rint(random.nextDouble() * 700_000) / 1000, null);
      case 2 -> new Value(random.nextInt(30) == 0 ? Double.NaN : random.nextDouble(), null);
      case 3 -> random.nextBoolean() ? new Value(7, null) : new Value(Staleness.MARKER, HISTOGRAM);
      default -> new Value(START + random.nextInt(10), null);
    };
  }

  private static Labels gpu(int gpu, int metric, int job) {
    return Labels.of(
        Labels.NAME,
        "gpu_" + metric,
        "Hostname",
        HOST,
        "UUID",
        "GPU-" + gpu,
        "job",
        JOBS[job],
        "tenant",
        job % 2 == 0 ? "" : "blue");
  }

  private static Labels plain(int i) {
    return Labels.of(Labels.NAME, "plain", "Hostname", HOST, "i", "" + i, "job", "scraped");
  }

  private void write(Written each) {
    WriteOutcome outcome = write(Lane.Source.SENDER, each);
    Value there =
        Optional.ofNullable(model.get(each.labels)).map(all -> all.get(each.time)).orElse(null);
    if (outcome.kept() == 1) {
      // A marker that ends nothing is nothing.
      boolean marker = Staleness.isMarker(each.value.number) && each.value.histogram == null;
      boolean replaced =
          there == null || there.histogram == null && Staleness.isMarker(there.number) && !marker;
      if (replaced && (!marker || model.containsKey(each.labels))) {
        model.computeIfAbsent(each.labels, none -> new TreeMap<>()).put(each.time, each.value);
      }
      journal.add(each);
    } else {
      boolean conflict = there != null && !there.equals(each.value);
      boolean tooOld = each.time < lane.newest() - LIMITS.outOfOrder().toMillis();
      boolean sealed = each.time < lane.sealedBefore();
      assertThat(conflict || tooOld || sealed).as("%s %s", each, outcome.refusal()).isTrue();
    }
  }

  private WriteOutcome write(Lane.Source source, Written each) {
    WriteOutcome outcome = new WriteOutcome();
    lane.append(
        source,
        each.time,
        Long.MAX_VALUE,
        new Lane.Handle[] {handles.computeIfAbsent(each.labels, lane::handle)},
        new double[] {each.value.number},
        each.value.histogram == null ? null : new Histogram[] {each.value.histogram},
        outcome);
    outcome.addTo(lane.counts());
    return outcome;
  }

  private void seal(long now) throws IOException {
    for (Optional<Sealing> next = lane.beginSealing(now, 0);
        next.isPresent();
        next = lane.beginSealing(now, 0)) {
      Sealing.SealedBlock sealed = next.get().write(store.folder(HOST));
      if (random.nextBoolean()) {
        // Something comes while the block is being written.
        write(new Written(plain(0), lane.newest() + 1, new Value(1, null)));
      }
      lane.finish(sealed);
    }
  }

  private void compare(long now) throws Exception {
    long from = now - random.nextLong(3 * 3_600_000);
    long to = from + random.nextLong(3 * 3_600_000);
    for (String selector :
        List.of(
            "{Hostname=\"n1\"}",
            "gpu_1{job=\"train\"}",
            "{tenant=\"\",UUID!=\"\",Hostname=\"n1\"}",
            "{job=~\"serve|eval\",UUID=~\".*[12]\"}",
            "{__name__!=\"plain\",job!~\"tr.*\",Hostname=\"n1\"}",
            "plain{i!=\"1\"}")) {
      List<Matcher> matchers = Parser.parseSelector(selector);
      Selection selection = new Selection(matchers, from, to);
      List<Series> expected = expected(selection);
      assertThat(store.select(List.of(HOST), selection, 1 << 30, host -> {}, StopCheck.NEVER))
          .as(selector)
          .containsExactlyElementsOf(expected);
      SeriesSearch search = new SeriesSearch(from + 1, to, 0, List.of(matchers));
      assertThat(store.labelSets(List.of(HOST), search, Assertions::fail))
          .as(selector)
          .isEqualTo(expected.stream().map(Series::labels).toList());
      assertThat(store.labelValues(List.of(HOST), "job", search, Assertions::fail))
          .isEqualTo(values(expected, "job"));
      assertThat(store.labelValues(List.of(HOST), "UUID", search, Assertions::fail))
          .isEqualTo(values(expected, "UUID"));
      compareNewest(selector, selection, expected);
    }
    SeriesSearch all = new SeriesSearch(from + 1, to, 0, List.of());
    List<Series> everything = expected(new Selection(List.of(), from, to));
    assertThat(store.labelValues(List.of(HOST), "i", all, Assertions::fail))
        .isEqualTo(values(everything, "i"));
    assertThat(store.labelValues(List.of(HOST), "job", all, Assertions::fail))
        .isEqualTo(values(everything, "job"));
  }

  /** Kept from one time to the next, as whoever asks again and again keeps them. */
  private final Map<String, NewestSamples<Labels>> newest = new HashMap<>();

  private void compareNewest(String selector, Selection selection, List<Series> expected) {
    NewestSamples<Labels> kept = newest.get(selector);
    if (kept == null || !kept.isOf(lane.view())) {
      kept = new NewestSamples<>(lane.view(), List.of(selection.matchers()), labels -> labels);
      newest.put(selector, kept);
    }
    TreeMap<Labels, String> found = new TreeMap<>();
    kept.read(
        selection.from(),
        selection.to(),
        (labels, time, value) ->
            assertThat(found.put(labels, time + " " + Double.doubleToRawLongBits(value)))
                .as("%s once", labels)
                .isNull());
    TreeMap<Labels, String> wanted = new TreeMap<>();
    for (Series series : expected) {
      int last = series.size() - 1;
      double value = series.values()[last];
      boolean number = series.histograms() == null || series.histograms()[last] == null;
      if (number && !Staleness.isMarker(value)) {
        wanted.put(series.labels(), series.times()[last] + " " + Double.doubleToRawLongBits(value));
      }
    }
    assertThat(found).as(selector).isEqualTo(wanted);
  }

  private static List<String> values(List<Series> series, String label) {
    TreeSet<String> values = new TreeSet<>();
    series.forEach(each -> values.add(each.labels().value(label)));
    values.remove("");
    return List.copyOf(values);
  }

  private List<Series> expected(Selection selection) {
    List<Series> found = new ArrayList<>();
    model.forEach(
        (labels, samples) -> {
          var some = samples.subMap(selection.from(), false, selection.to(), true);
          if (!some.isEmpty()
              && selection.matchers().stream().allMatch(each -> each.matches(labels))) {
            List<Value> values = List.copyOf(some.values());
            boolean mixed = values.stream().anyMatch(each -> each.histogram != null);
            found.add(
                new Series(
                    labels,
                    some.keySet().stream().mapToLong(Long::longValue).toArray(),
                    values.stream().mapToDouble(Value::number).toArray(),
                    mixed
                        ? values.stream().map(Value::histogram).toArray(Histogram[]::new)
                        : null));
          }
        });
    return found;
  }
}
