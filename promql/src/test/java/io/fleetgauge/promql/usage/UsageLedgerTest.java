package io.fleetgauge.promql.usage;

import static org.assertj.core.api.Assertions.assertThat;

import io.fleetgauge.promql.lookup.Extent;
import io.fleetgauge.promql.lookup.Integral;
import io.fleetgauge.promql.lookup.TooManySamples;
import io.fleetgauge.promql.query.Selection;
import io.fleetgauge.sample.Labels;
import io.fleetgauge.sample.Series;
import java.math.BigInteger;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Usage against a plain ledger, from seeds. */
class UsageLedgerTest {
  private static final int END = 1_000;
  private static final UsageTerms TERMS = new UsageTerms(60, 200, 50_000, 160_000);

  /** The last two have gaps of GPUs with instances, after which the owners are the same. */
  static LongStream seeds() {
    return LongStream.of(1, 2, 3, 4, 5, 6, 7, 8, 22, 27);
  }

  static LongStream moreSeeds() {
    return LongStream.rangeClosed(9, 150);
  }

  /** Usage of samples that come in pieces. */
  private static List<UsageRow> usage(List<Series> all, UsagePeriod period, LongStream cuts) {
    HostUsage usage = new HostUsage(period, TERMS, List.of("lbl"));
    long after = HostUsage.after(period, TERMS);
    long end = HostUsage.to(period, TERMS);
    for (long to : LongStream.concat(cuts, LongStream.of(end)).sorted().toArray()) {
      if (to > after && to <= end) {
        usage.feed(to, piece(all, after, to));
        after = to;
      }
    }
    return usage.rows();
  }

  private static List<Series> piece(List<Series> all, long after, long to) {
    List<Series> piece = new ArrayList<>();
    for (Series each : all) {
      int first = Series.firstAfter(each.times(), 0, each.size(), after);
      int end = Series.firstAfter(each.times(), first, each.size(), to);
      if (first < end) {
        piece.add(
            new Series(
                each.labels(),
                Arrays.copyOfRange(each.times(), first, end),
                Arrays.copyOfRange(each.values(), first, end)));
      }
    }
    return piece;
  }

  /** The whole, intervals of one length, or of any. */
  private static UsagePeriod period(Random random, long from, long to) {
    return switch (random.nextInt(3)) {
      case 0 -> UsagePeriod.every(from, to, to - from);
      case 1 -> UsagePeriod.every(from, to, 50 + random.nextInt(400));
      default ->
          UsagePeriod.of(
              LongStream.concat(LongStream.of(from, to), random.longs(random.nextInt(12), from, to))
                  .distinct()
                  .sorted()
                  .boxed()
                  .toList());
    };
  }

  private static void check(long seed) {
    Random random = new Random(seed * 31);
    List<Series> all = new RandomGpus(seed, END).series();
    long from = 200 + random.nextInt(200);
    long to = END - random.nextInt(300);
    UsagePeriod period = period(random, from, to);
    List<UsageRow> rows = usage(all, period, random.longs(random.nextInt(9), from - 100, to + 100));
    PlainUsage ledger = new PlainUsage(all, period, TERMS, Set.of("lbl"), END + 500);
    assertThat(rows).as("seed " + seed).isEqualTo(ledger.rows());
    BigInteger classes = BigInteger.ZERO;
    for (UsageRow row : rows) {
      for (Amount use : List.of(Amount.BUSY, Amount.EXECUTION_IDLE, Amount.IDLE, Amount.UNKNOWN)) {
        classes = classes.add(row.amount(use).toBigInteger());
      }
    }
    assertThat(classes).isEqualTo(ledger.allocated);
  }

  @ParameterizedTest
  @MethodSource("seeds")
  void usageIsThatOfALedgerThatLooksAtEveryMillisecond(long seed) {
    check(seed);
  }

  @Tag("slow")
  @ParameterizedTest
  @MethodSource("moreSeeds")
  void soItIsOfMoreFleets(long seed) {
    check(seed);
  }

  @Test
  void aPeriodIsTheSumOfItsPartsBitForBit() {
    for (long seed = 1; seed <= 60; seed++) {
      Random random = new Random(seed);
      List<Series> all = new RandomGpus(seed, END).series();
      long cut = 400 + random.nextInt(400);
      List<UsageRow> parts = new ArrayList<>();
      for (UsagePeriod part :
          List.of(UsagePeriod.every(300, cut, cut), UsagePeriod.every(cut, 900, 900))) {
        usage(all, part, LongStream.empty()).forEach(row -> parts.add(withoutEnd(row)));
      }
      List<UsageRow> whole =
          usage(all, UsagePeriod.every(300, 900, 600), LongStream.of(cut)).stream()
              .map(UsageLedgerTest::withoutEnd)
              .toList();
      assertThat(summed(parts, List.of())).as("seed " + seed).isEqualTo(whole);
    }
  }

  /** Allocated time by the pod that has it, from samples of a GPU that are there all the time. */
  private static List<String> holders(Labels... ofGpus) {
    long[] times = LongStream.rangeClosed(0, END).toArray();
    double[] values = new double[times.length];
    List<Series> all =
        Arrays.stream(ofGpus)
            .map(
                of ->
                    new Series(
                        of.with(Labels.NAME, "DCGM_FI_DEV_FB_USED").with("Hostname", "n1"),
                        times,
                        values))
            .toList();
    return usage(all, UsagePeriod.every(300, 900, 600), LongStream.empty()).stream()
        .map(row -> row.owner() + (row.isAllocated() ? " allocated" : " free"))
        .toList();
  }

  @Test
  void thePodOfTheExporterThatWasScrapedIsNoOwner() {
    Labels gpu = Labels.of("UUID", "GPU-0", "namespace", "gpus");
    String free = "{namespace=\"gpus\"} free";
    assertThat(holders(gpu.with("pod", "nvidia-dcgm-exporter-x7k2p"))).containsExactly(free);
    assertThat(holders(gpu.with("pod", "gpus-m7").with("container", "nvidia-dcgm-exporter")))
        .containsExactly(free);
    Labels target = gpu.with("service", "probes").with("container", "main");
    assertThat(holders(target.with("pod", "probes-x7k2p"))).containsExactly(free);
    assertThat(holders(target.with("pod", "train-0")))
        .containsExactly("{container=\"main\", namespace=\"gpus\", pod=\"train-0\"} allocated");
    Labels renamed = gpu.with("pod", "dcgm-exporter-x").with("container", "exporter");
    assertThat(holders(renamed.with("exported_pod", "train-0").with("exported_container", "main")))
        .containsExactly(
            "{exported_container=\"main\", exported_pod=\"train-0\", namespace=\"gpus\"}"
                + " allocated");
  }

  @Test
  void aPodThatSeemsToBeTheExportersIsFoundByTheLabelsThatWereRenamedForIt() {
    Labels gpu = Labels.of("UUID", "GPU-0", "Hostname", "n1");
    UsageRow idle = row(gpu, Labels.of("pod", "metrics-x"), 1);
    UsageRow used = row(gpu, Labels.of("pod", "metrics-x", "exported_pod", "train-0"), 1);
    assertThat(UsageLabels.haveGpusOfExporter(List.of(idle, used))).isTrue();
    assertThat(UsageLabels.haveGpusOfExporter(List.of(idle))).isFalse();
    assertThat(UsageLabels.haveGpusOfExporter(List.of(used))).isFalse();
    UsageRow other = row(gpu, Labels.of("pod", "metrics-y"), 1);
    assertThat(UsageLabels.haveGpusOfExporter(List.of(other, used))).isFalse();
    UsageRow free = row(gpu, Labels.of("pod", "metrics-x"), 0);
    assertThat(UsageLabels.haveGpusOfExporter(List.of(free, used))).isFalse();
    UsageRow same = row(gpu, Labels.of("pod", "metrics-x", "exported_pod", "metrics-x"), 1);
    assertThat(UsageLabels.haveGpusOfExporter(List.of(idle, same))).isFalse();
  }

  private static UsageRow row(Labels device, Labels owner, long busy) {
    List<Integral> amounts = new ArrayList<>();
    for (Amount amount : Amount.values()) {
      amounts.add(new Integral(0, amount == Amount.BUSY ? busy : 0));
    }
    return new UsageRow(device, owner, 0, amounts, 0, -1, -1, -1);
  }

  @Test
  void aPieceOfTooManySamplesIsReadInShorterOnes() throws Exception {
    List<Series> all = new RandomGpus(5, END).series();
    UsagePeriod period = UsagePeriod.every(300, 900, 250);
    List<Long> lengths = new ArrayList<>();
    UsageSamples samples =
        new UsageSamples() {
          @Override
          public List<Series> samples(Selection selection, long budget) throws TooManySamples {
            long length = selection.to() - selection.from();
            if (length > 40) {
              throw new TooManySamples(budget);
            }
            lengths.add(length);
            return piece(all, selection.from(), selection.to()).stream()
                .filter(
                    each ->
                        selection.matchers().stream()
                            .allMatch(by -> by.matches(each.labels().value(by.name()))))
                .toList();
          }

          @Override
          public Extent extent(Selection selection) {
            return new Extent(0, 0);
          }
        };
    assertThat(new SampledUsage(samples, TERMS, List.of("lbl"), List.of()).rows(period))
        .isNotEmpty()
        .isEqualTo(usage(all, period, LongStream.empty()));
    assertThat(lengths).hasSizeGreaterThan(20).allMatch(length -> length <= 40);
  }

  private static List<UsageRow> summed(List<UsageRow> rows, List<String> by) {
    UsageSums sums = new UsageSums(List.of(), by);
    rows.forEach(sums::add);
    return sums.rows();
  }

  private static UsageRow withoutEnd(UsageRow row) {
    return new UsageRow(
        row.device(),
        row.owner(),
        0,
        row.amounts(),
        row.counted(),
        row.memoryPeak(),
        -1,
        row.hostMemoryPeak());
  }

  @Test
  void everyGroupingHasTheSameTotal() {
    for (long seed = 1; seed <= 30; seed++) {
      List<UsageRow> rows =
          usage(
              new RandomGpus(seed, END).series(),
              UsagePeriod.every(100, END, 300),
              LongStream.empty());
      for (Amount amount : Amount.values()) {
        Integral total = sum(rows, amount);
        for (List<String> by :
            List.of(List.of("pod"), List.of("tenant"), List.of("UUID", "GPU_I_ID"))) {
          assertThat(sum(summed(rows, by), amount)).isEqualTo(total);
        }
      }
    }
  }

  private static Integral sum(List<UsageRow> rows, Amount amount) {
    return rows.stream().map(row -> row.amount(amount)).reduce(new Integral(), Integral::plus);
  }
}
