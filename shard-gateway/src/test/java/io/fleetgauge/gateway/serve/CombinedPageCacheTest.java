package io.fleetgauge.gateway.serve;

import static org.assertj.core.api.Assertions.assertThat;

import io.fleetgauge.gateway.rollup.RollupKey;
import io.fleetgauge.gateway.rollup.RollupRules;
import io.fleetgauge.gateway.store.HostWriter;
import io.fleetgauge.gateway.store.Lane;
import io.fleetgauge.gateway.store.Store;
import io.fleetgauge.gateway.store.WriteOutcome;
import io.fleetgauge.promql.expr.Matcher;
import io.fleetgauge.promql.plan.RollupShape;
import io.fleetgauge.sample.Labels;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** When a merged page of several hosts is still valid. */
class CombinedPageCacheTest {
  private static final long STEP = 15_000;
  private static final RollupKey POWER = new RollupKey("power", RollupShape.Kind.LATEST, 0);
  private static final RollupRules RULES =
      new RollupRules(
          STEP,
          60_000,
          List.of(
              new RollupRules.Rule(
                  Matcher.equal(Labels.NAME, "power"), List.of("rack"), true, List.of())));

  private static final int ALL = Integer.MAX_VALUE;

  @TempDir private Path folder;
  private Store store;
  private CombinedPages pages;
  private long begin;

  @BeforeEach
  void open() {
    store = new HostWriter(folder, "n1", HostWriter.limits(100), RULES).store();
    pages = new CombinedPages(store);
    begin = pages.begin(10);
  }

  private void send(String host, long from, long to) {
    Lane lane = store.lane(host);
    Lane.Handle[] handles = {
      lane.handle(Labels.of(Labels.NAME, "power", "Hostname", host, "rack", "r1"))
    };
    for (long tick = from; tick < to; tick++) {
      lane.append(
          Lane.Source.SENDER,
          begin + tick * STEP,
          Long.MAX_VALUE,
          handles,
          new double[] {tick},
          null,
          new WriteOutcome());
    }
  }

  private CombinedPages.Key key(String... hosts) {
    return new CombinedPages.Key(POWER, List.of("rack"), List.of(hosts), 10);
  }

  private Optional<CombinedPages.Combined> find(CombinedPages.Key key, long step) {
    return pages.find(key, begin + step * STEP);
  }

  @Test
  void aStretchIsAHundredAndTwentySteps() {
    assertThat(pages.begin(11) - pages.begin(10)).isEqualTo(120 * STEP);
    assertThat(pages.stretch(begin)).isEqualTo(10);
    assertThat(pages.stretch(begin - 1)).isEqualTo(9);
    assertThat(pages.stretch(pages.begin(11) - 1)).isEqualTo(10);
  }

  @Test
  void aPageMergesTheHostsAndIsFoundAgain() {
    send("n1", 0, 60);
    send("n2", 0, 60);
    CombinedPages.Key key = key("n1", "n2");
    assertThat(find(key, 59)).isEmpty();
    CombinedPages.Combined made = pages.compute(key, ALL).orElseThrow();
    assertThat(made.separate()).isEmpty();
    assertThat(made.page().steps()).isEqualTo(60);
    assertThat(made.page().groups().getFirst().count()[30]).isEqualTo(2);
    assertThat(made.page().groups().getFirst().sum()[30]).isEqualTo(60);
    assertThat(find(key, 59)).containsSame(made);
    assertThat(pages.use().hits()).isEqualTo(1);
    assertThat(pages.use().misses()).isEqualTo(1);
  }

  @Test
  void aChangeThatItsStepsCanSeeMakesItInvalid() {
    send("n1", 0, 60);
    send("n2", 0, 60);
    CombinedPages.Key key = key("n1", "n2");
    pages.compute(key, ALL);
    send("n2", 200, 201);
    assertThat(find(key, 59)).as("a later sample is outside its steps").isPresent();
    store.lane("n2").missing().gap(begin, begin + 1);
    assertThat(find(key, 59)).isEmpty();
  }

  @Test
  void aHostThatCameAfterwardsMakesItInvalid() {
    send("n1", 0, 60);
    CombinedPages.Key key = key("n1", "n2");
    assertThat(pages.compute(key, ALL)).isPresent();
    assertThat(find(key, 59)).isPresent();
    send("n2", 0, 60);
    assertThat(find(key, 59)).isEmpty();
    assertThat(pages.compute(key, ALL).orElseThrow().page().groups().getFirst().count()[0])
        .isEqualTo(2);
  }

  @Test
  void aHostThatWentAwayMakesItInvalid() {
    send("n1", 0, 60);
    send("n2", 0, 60);
    CombinedPages.Key key = key("n1", "n2");
    pages.compute(key, ALL);
    store.forget("n2");
    send("n1", 60, 61);
    assertThat(find(key, 59)).isEmpty();
  }

  @Test
  void aPageThatIsMuchShorterThanItCouldBeIsComputedAgain() {
    send("n1", 0, 60);
    send("n2", 0, 60);
    CombinedPages.Key key = key("n1", "n2");
    pages.compute(key, ALL);
    send("n1", 60, 70);
    send("n2", 60, 70);
    assertThat(find(key, 67)).as("a few steps are read host by host").isPresent();
    assertThat(find(key, 68)).isEmpty();
    assertThat(pages.compute(key, ALL).orElseThrow().page().steps()).isEqualTo(70);
  }

  @Test
  void aHostThatIsFarBehindIsReadSeparately() {
    send("n1", 0, 60);
    send("n2", 0, 59);
    send("n3", 0, 40);
    CombinedPages.Combined made = pages.compute(key("n1", "n2", "n3"), ALL).orElseThrow();
    assertThat(made.separate()).containsExactly("n3");
    assertThat(made.page().steps()).isEqualTo(59);
  }

  @Test
  void hostsWithoutRollupsHaveNoPage() {
    assertThat(pages.compute(key("n1", "n2"), ALL)).isEmpty();
    store.lane("n1");
    assertThat(pages.compute(key("n1", "n2"), ALL)).isEmpty();
  }

  @Test
  void aPageIsNotMadeWhereTooManyStepsWouldBeComputed() {
    send("n1", 0, 60);
    send("n2", 0, 60);
    CombinedPages.Key key = key("n1", "n2");
    assertThat(pages.compute(key, 59)).isEmpty();
    assertThat(pages.compute(key, 60)).isPresent();
  }
}
