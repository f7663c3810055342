package io.fleetgauge.query.answer;

import static io.fleetgauge.query.answer.TestQuerier.END;
import static io.fleetgauge.query.answer.TestQuerier.LOOKBACK;
import static io.fleetgauge.query.answer.TestQuerier.RACK_0;
import static io.fleetgauge.query.answer.TestQuerier.ROOT;
import static io.fleetgauge.query.answer.TestQuerier.START;
import static io.fleetgauge.query.answer.TestQuerier.STEP;
import static io.fleetgauge.query.answer.TestQuerier.assertFails;
import static io.fleetgauge.query.answer.TestQuerier.await;
import static io.fleetgauge.query.answer.TestQuerier.equal;
import static org.assertj.core.api.Assertions.assertThat;

import io.fleetgauge.promql.expr.Matcher;
import io.fleetgauge.promql.fair.Load;
import io.fleetgauge.promql.lookup.Extent;
import io.fleetgauge.promql.query.QueryFailure;
import io.fleetgauge.promql.query.Selection;
import io.fleetgauge.query.fleet.GpuSeries;
import io.fleetgauge.query.fold.PieceWalk;
import io.fleetgauge.query.fold.SampleFold;
import io.fleetgauge.query.fold.SampleSource;
import io.fleetgauge.query.source.Cancellation;
import io.fleetgauge.query.source.Gathered;
import io.fleetgauge.query.source.ReadOptions;
import io.fleetgauge.runtime.config.TenantLimits;
import io.fleetgauge.sample.Labels;
import io.fleetgauge.sample.Series;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.junit5.VertxExtension;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** Samples that are read piece by piece. */
@ExtendWith(VertxExtension.class)
class FoldedTest {
  private static final List<List<Matcher>> POWER =
      List.of(List.of(equal(Labels.NAME, "power")), List.of(equal("gpu", "1")));

  private Vertx vertx;
  private TestQuerier test;

  @BeforeEach
  void start(Vertx started) throws Exception {
    vertx = started;
    test = new TestQuerier(vertx);
  }

  /** Puts the pieces together again, and notes where they end. */
  private static final class Joined implements SampleFold<Joined> {
    final List<Long> ends = new ArrayList<>();
    final List<Map<Labels, Series>> series = List.of(new TreeMap<>(), new TreeMap<>());

    @Override
    public void add(long to, List<List<Series>> samples) {
      for (int i = 0; i < samples.size(); i++) {
        for (Series each : samples.get(i)) {
          assertThat(each.times()[0]).isGreaterThan(ends.isEmpty() ? 0 : ends.getLast());
          assertThat(each.times()[each.size() - 1]).isLessThanOrEqualTo(to);
          series.get(i).merge(each.labels(), each, Series::union);
        }
      }
      ends.add(to);
    }

    @Override
    public Joined value() {
      return this;
    }
  }

  private static Request.Folded<Joined> joined(long after, long to) {
    return new Request.Folded<>("all of it", POWER, after, to, Joined::new);
  }

  private static Ask<Joined> ask(Caller caller, long after, long to) {
    return Ask.of(caller, joined(after, to), 120_000);
  }

  /** Samples without a scope, a place, an estimate and limits. */
  private record All(TestQuerier test, Cancellation cancellation) implements SampleSource {
    @Override
    public Future<Gathered<List<List<Series>>>> read(long after, long to, long budget) {
      return test.shards.samples(
          POWER.stream().map(each -> new Selection(each, after, to)).toList(),
          budget,
          new ReadOptions(new Load("root", 1, 1), 20_000, cancellation));
    }

    @Override
    public int shards() {
      return 3;
    }

    @Override
    public void check(long series, long samples) throws QueryFailure {
      if (cancellation.isCancelled()) {
        throw new QueryFailure(QueryFailure.Kind.CANCELED, "canceled");
      }
    }
  }

  private Future<Joined> inPieces(long samples, long to, Cancellation cancellation) {
    return new PieceWalk<>(
            new All(test, cancellation),
            new Joined(),
            vertx.createSharedWorkerExecutor("light", 2),
            samples)
        .walk(START - 1, to, OptionalLong.empty())
        .map(Gathered::value);
  }

  private List<Series> everything(String metric) {
    return test.fleet.allSeries().stream()
        .filter(each -> each.labels().metric().equals(metric))
        .toList();
  }

  @Test
  void aFoldGetsEverySampleOnceInOrderOfTime() throws Exception {
    Reply<Joined> reply = test.answer(ask(ROOT, START - 1, END));
    assertThat(reply.value().series.getFirst().values())
        .containsExactlyElementsOf(everything("power"));
    assertThat(reply.value().series.getLast()).hasSize(12);
    assertThat(reply.value().ends).as("few samples are one piece").containsExactly(END);
    assertThat(reply.completeness().expected()).isEqualTo(6);
    Joined joined = await(inPieces(200, END, new Cancellation()));
    assertThat(joined.series.getFirst().values()).containsExactlyElementsOf(everything("power"));
    assertThat(joined.ends).hasSizeGreaterThan(10).isSorted().endsWith(END);
  }

  @Test
  void aPieceWithTooManySamplesIsReadAgainInShorterOnes() throws Exception {
    // Nothing for most of the time, and then everything at once.
    long first = END + 400 * STEP;
    for (int i = 0; i < 300; i++) {
      test.fleet.add(GpuSeries.labels("power", 0, 0), first + i * 100, i);
    }
    Joined joined = await(inPieces(15, first + 30_000, new Cancellation()));
    assertThat(joined.series.getFirst().get(GpuSeries.labels("power", 0, 0)).size()).isEqualTo(500);
    assertThat(test.shards.count("samples"))
        .as("reads for %d pieces", joined.ends.size())
        .isGreaterThan(joined.ends.size())
        .isLessThan(1_000);
  }

  @Test
  void theScopeIsAddedToEverySelector() throws Exception {
    Reply<Joined> reply = test.answer(ask(RACK_0, START - 1, END));
    for (Map<Labels, Series> selected : reply.value().series) {
      assertThat(selected).isNotEmpty();
      assertThat(selected.keySet()).allMatch(labels -> labels.value("rack").equals("r0"));
    }
    assertThat(reply.completeness().expected()).isEqualTo(3);
  }

  private static Caller limited(long samples, long series, Duration range) {
    return new Caller(
        "few",
        List.of(),
        true,
        new TenantLimits(1, 20, 200, samples, series, range, 11_001, false));
  }

  @Test
  void theLimitsOfTheTenantHoldForTheWhole() throws Exception {
    Duration long_ = Duration.ofDays(400);
    String over = "the query of tenant few is over its limit ";
    assertFails(
        test.begin(ask(limited(4_799, 100, long_), START - 1, END)),
        QueryFailure.Kind.EXECUTION,
        over + "samples: 4800 of at most 4799");
    assertFails(
        test.begin(ask(limited(10_000, 23, long_), START - 1, END)),
        QueryFailure.Kind.EXECUTION,
        over + "series: 24 of at most 23");
    assertFails(
        test.begin(ask(limited(10_000, 100, Duration.ofMinutes(49)), START - 1, END)),
        QueryFailure.Kind.EXECUTION,
        over + "range: 2985 s of at most 2940 s");
    assertThat(test.shards.count("samples")).isZero();
    // What the estimate does not see is found by counting.
    test.shards.pretend(new Extent(1, 1));
    assertFails(
        test.begin(ask(limited(4_799, 100, long_), START - 2, END)),
        QueryFailure.Kind.EXECUTION,
        over + "samples: 4800 of at most 4799");
    assertThat(test.answer(ask(limited(4_800, 24, long_), START - 1, END)).value().ends)
        .isNotEmpty();
  }

  @Test
  void whoLeavesEndsItBetweenTwoPieces() throws Exception {
    Cancellation cancellation = new Cancellation();
    test.shards.hold("samples");
    Future<Joined> folded = inPieces(200, END, cancellation);
    cancellation.cancel();
    test.shards.release();
    assertFails(folded, QueryFailure.Kind.CANCELED, "canceled");
    assertThat(test.shards.count("samples")).isEqualTo(1);
  }

  @Test
  void aFoldThatFailsFailsTheRequest() {
    AtomicReference<QueryFailure> failure =
        new AtomicReference<>(new QueryFailure(QueryFailure.Kind.LIMITED, "too many rows"));
    SampleFold<String> failing =
        new SampleFold<>() {
          @Override
          public void add(long to, List<List<Series>> samples) throws QueryFailure {
            throw failure.get();
          }

          @Override
          public String value() {
            return "";
          }
        };
    assertFails(
        test.begin(
            Ask.of(
                ROOT,
                new Request.Folded<>("failing", POWER, START - 1, END, () -> failing),
                LOOKBACK)),
        QueryFailure.Kind.LIMITED,
        "too many rows");
  }

  @Test
  void aHostThatIsMissingIsNamed() throws Exception {
    test.fleet.stop("g0");
    test.fleet.stop("g1");
    Reply<Joined> reply = test.answer(ask(ROOT, START - 1, END));
    assertThat(reply.completeness().missing()).containsExactly("n0", "n3");
    assertThat(reply.warnings().getFirst()).contains("2 of 6 hosts are missing: n0, n3");
  }
}
