package io.fleetgauge.gateway.serve;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fleetgauge.cluster.table.ClusterView;
import io.fleetgauge.cluster.table.OwnershipTable;
import io.fleetgauge.gateway.ownership.HostLabels;
import io.fleetgauge.gateway.ownership.Ownership;
import io.fleetgauge.gateway.store.HostWriter;
import io.fleetgauge.gateway.store.Lane;
import io.fleetgauge.gateway.store.Outcome;
import io.fleetgauge.gateway.store.Store;
import io.fleetgauge.gateway.store.StoreLimits;
import io.fleetgauge.gateway.store.owner.Dimensions;
import io.fleetgauge.gateway.store.read.TooManySamples;
import io.fleetgauge.promql.expr.Matcher;
import io.fleetgauge.promql.fragment.Fragment;
import io.fleetgauge.promql.fragment.FragmentAnswer;
import io.fleetgauge.promql.fragment.form.FragmentCodec;
import io.fleetgauge.promql.query.Grid;
import io.fleetgauge.promql.query.Query;
import io.fleetgauge.promql.query.QueryText;
import io.fleetgauge.promql.query.Selection;
import io.fleetgauge.promql.query.StopCheck;
import io.fleetgauge.promql.syntax.Parser;
import io.fleetgauge.sample.Labels;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class FragmentRunnerTest {
  private static final List<String> BOTH = List.of("n1", "n2");
  private static final ClusterView VIEW =
      new ClusterView(OwnershipTable.ofOwners(3, Map.of("n1", "g1", "n2", "g2")), Map.of(), false);

  private final Store store =
      new Store(
          Path.of("nowhere"),
          new StoreLimits(
              Duration.ofHours(1),
              1 << 20,
              Duration.ofHours(1),
              Duration.ofMinutes(30),
              Duration.ofMinutes(10),
              1_000,
              1_000,
              1_000),
          Dimensions.DEFAULT);
  private boolean whole = true;
  private final FragmentRunner runner =
      new FragmentRunner(
          store,
          new HostLabels(List.of("Hostname")),
          new Ownership("g1"),
          () -> VIEW,
          (host, since) -> false,
          () -> whole,
          tenants -> Map.of());
  private List<Matcher> up;

  @BeforeEach
  void fill() throws Exception {
    up = Parser.parseSelector("up");
    for (String host : List.of("n1", "n2")) {
      Lane lane = store.lane(host);
      Lane.Handle handle = lane.handle(Labels.of(Labels.NAME, "up", "Hostname", host));
      for (int i = 1; i <= 3; i++) {
        lane.append(
            Lane.Source.SENDER,
            i,
            Long.MAX_VALUE,
            new Lane.Handle[] {handle},
            new double[] {i},
            null,
            new Outcome());
      }
    }
  }

  @Test
  void onlyOwnHostsAreAnsweredForAlsoWhenSamplesOfOthersAreHere() throws Exception {
    FragmentAnswer.Samples answer =
        (FragmentAnswer.Samples)
            runner.run(
                new Fragment.Samples(
                    3,
                    List.of("n1", "n2", "n3"),
                    10,
                    List.of(new Selection(up, 0, 9), new Selection(up, 2, 9))),
                StopCheck.NEVER);
    assertThat(answer.covered()).containsExactly("n1");
    assertThat(answer.epoch()).isEqualTo(3);
    assertThat(answer.series()).hasSize(2);
    assertThat(answer.series().getFirst())
        .singleElement()
        .satisfies(series -> assertThat(series.labels().value("Hostname")).isEqualTo("n1"));
    assertThat(answer.series().getLast())
        .singleElement()
        .satisfies(s -> assertThat(s.size()).isOne());
  }

  private Fragment samples(long budget) {
    return new Fragment.Samples(3, BOTH, budget, List.of(new Selection(up, 0, 9)));
  }

  private static Fragment parts() {
    return new Fragment.Parts(
        3,
        BOTH,
        new QueryText("sum(up) + 1", 3, 3, 0, Query.Settings.STOCK),
        List.of(),
        1_000,
        List.of(new Fragment.Part(1, new Grid(3, 1, 3), true, false)));
  }

  @Test
  void severalReadsAreAnsweredAsEachAloneIs() throws Exception {
    Fragment samples = samples(10);
    Fragment parts = parts();
    Fragment tooMany = samples(2);
    FragmentAnswer.Several answer =
        (FragmentAnswer.Several)
            runner.run(
                new Fragment.Several(3, BOTH, List.of(samples, parts, tooMany)), StopCheck.NEVER);
    assertThat(answer.covered()).containsExactly("n1");
    assertThat(FragmentCodec.encode(answer.answers().get(0)))
        .isEqualTo(FragmentCodec.encode(runner.run(samples, StopCheck.NEVER)));
    assertThat(FragmentCodec.encode(answer.answers().get(1)))
        .isEqualTo(FragmentCodec.encode(runner.run(parts, StopCheck.NEVER)));
    assertThat(answer.answers().get(1)).isInstanceOf(FragmentAnswer.Parts.class);
    assertThatThrownBy(() -> runner.run(tooMany, StopCheck.NEVER))
        .isInstanceOf(TooManySamples.class)
        .hasMessage(((FragmentAnswer.Refused) answer.answers().get(2)).reason());
  }

  @Test
  void oneOfSeveralReadsThatFailsLeavesTheOthersAlone() throws Exception {
    Fragment samples = samples(10);
    Fragment parts = parts();
    // The first checks of each kind of read are those of a program with a bug.
    Fragment.Several both = new Fragment.Several(3, BOTH, List.of(parts, samples, samples));
    AtomicInteger checks = new AtomicInteger();
    StopCheck wrong =
        () -> {
          if (checks.incrementAndGet() <= 2) {
            throw new IllegalStateException("a bug");
          }
          return Optional.empty();
        };
    List<FragmentAnswer> answers = ((FragmentAnswer.Several) runner.run(both, wrong)).answers();
    assertThat(answers.get(0)).isInstanceOf(FragmentAnswer.Unfit.class);
    assertThat(answers.get(1))
        .isInstanceOfSatisfying(
            FragmentAnswer.Refused.class,
            refused -> assertThat(refused.reason()).contains("a bug"));
    assertThat(FragmentCodec.encode(answers.get(2)))
        .isEqualTo(FragmentCodec.encode(runner.run(samples, StopCheck.NEVER)));
  }

  @Test
  void noHostIsAnsweredForWhileThePastIsComingBack() throws Exception {
    whole = false;
    Fragment.Search all = new Fragment.Search(0, 9, 0, List.of());
    assertThat(runner.run(new Fragment.LabelNames(3, List.of("n1"), all), StopCheck.NEVER))
        .isEqualTo(new FragmentAnswer.Strings(3, List.of(), List.of()));
  }

  @Test
  void labelsAreThoseOfOwnHosts() throws Exception {
    Fragment.Search all = new Fragment.Search(0, 9, 0, List.of());
    List<String> both = List.of("n1", "n2");
    assertThat(runner.run(new Fragment.LabelValues(3, both, "Hostname", all), StopCheck.NEVER))
        .isEqualTo(new FragmentAnswer.Strings(3, List.of("n1"), List.of("n1")));
    assertThat(runner.run(new Fragment.LabelNames(3, both, all), StopCheck.NEVER))
        .isEqualTo(new FragmentAnswer.Strings(3, List.of("n1"), List.of("Hostname", "__name__")));
    assertThat(runner.run(new Fragment.LabelSets(3, List.of("n2"), all), StopCheck.NEVER))
        .isEqualTo(new FragmentAnswer.LabelSets(3, List.of(), List.of()));
  }

  @Test
  void theBudgetIsThatOfAllSelectionsTogether() {
    List<Selection> twice = List.of(new Selection(up, 0, 9), new Selection(up, 1, 9));
    assertThatThrownBy(
            () -> runner.run(new Fragment.Samples(3, List.of("n1"), 4, twice), StopCheck.NEVER))
        .isInstanceOf(TooManySamples.class);
  }

  @Test
  void onlyReadsOfWhatNoBlockHasAreInMemory(@TempDir Path folder) throws Exception {
    HostWriter writer = new HostWriter(folder, "n1");
    long last = 4 * HostWriter.BLOCK_MILLIS;
    for (long time = 0; time <= last; time += 60_000) {
      writer.send(time, writer.series("up"), time);
    }
    FragmentRunner ofBlocks =
        new FragmentRunner(
            writer.store(),
            new HostLabels(List.of("Hostname")),
            new Ownership("g1"),
            () -> VIEW,
            (host, since) -> false,
            () -> true,
            tenants -> Map.of());
    assertThat(ofBlocks.isInMemory(part("rate(up[5m])", last))).isTrue();
    assertThat(ofBlocks.isInMemory(part("rate(up[100m])", last))).isTrue();
    writer.sealAll(last);
    assertThat(writer.lane().sealedBefore()).isGreaterThan(0);
    assertThat(ofBlocks.isInMemory(part("rate(up[5m])", last))).isTrue();
    assertThat(ofBlocks.isInMemory(part("rate(up[100m])", last))).isFalse();
    assertThat(ofBlocks.isInMemory(part("rate(up[5m])", 0))).isFalse();
  }

  private static Fragment part(String text, long time) {
    return new Fragment.Parts(
        3,
        List.of("n1"),
        new QueryText(text, time, time, 0, Query.Settings.STOCK),
        List.of(),
        1_000,
        List.of(new Fragment.Part(0, new Grid(time, 0, time), false, false)));
  }
}
