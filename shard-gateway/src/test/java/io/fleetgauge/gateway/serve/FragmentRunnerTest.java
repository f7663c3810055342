package io.fleetgauge.gateway.serve;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fleetgauge.cluster.table.ClusterView;
import io.fleetgauge.cluster.table.OwnershipTable;
import io.fleetgauge.gateway.ownership.Ownership;
import io.fleetgauge.gateway.store.HostWriter;
import io.fleetgauge.gateway.store.Lane;
import io.fleetgauge.gateway.store.Store;
import io.fleetgauge.gateway.store.StoreLimits;
import io.fleetgauge.gateway.store.WriteOutcome;
import io.fleetgauge.gateway.store.owner.Dimensions;
import io.fleetgauge.promql.expr.Matcher;
import io.fleetgauge.promql.fair.Load;
import io.fleetgauge.promql.fragment.Fragment;
import io.fleetgauge.promql.fragment.FragmentAnswer;
import io.fleetgauge.promql.fragment.FragmentCodec;
import io.fleetgauge.promql.fragment.LabelNamesQuestion;
import io.fleetgauge.promql.fragment.LabelSetsQuestion;
import io.fleetgauge.promql.fragment.LabelValuesQuestion;
import io.fleetgauge.promql.fragment.PartsQuestion;
import io.fleetgauge.promql.fragment.Question;
import io.fleetgauge.promql.fragment.Result;
import io.fleetgauge.promql.fragment.SamplesQuestion;
import io.fleetgauge.promql.fragment.SeveralQuestion;
import io.fleetgauge.promql.fragment.Strings;
import io.fleetgauge.promql.lookup.SeriesSearch;
import io.fleetgauge.promql.lookup.TooManySamples;
import io.fleetgauge.promql.plan.PartText;
import io.fleetgauge.promql.query.Grid;
import io.fleetgauge.promql.query.Query;
import io.fleetgauge.promql.query.Selection;
import io.fleetgauge.promql.query.StopCheck;
import io.fleetgauge.promql.syntax.Parser;
import io.fleetgauge.sample.Labels;
import io.fleetgauge.sample.Series;
import io.fleetgauge.sample.frame.HostLabels;
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
            new WriteOutcome());
      }
    }
  }

  private FragmentAnswer run(List<String> hosts, Question<?> question, StopCheck stop)
      throws Exception {
    return runner.run(new Fragment(Load.OWN, 3, hosts, question), stop);
  }

  private FragmentAnswer run(Question<?> question) throws Exception {
    return run(BOTH, question, StopCheck.NEVER);
  }

  private byte[] alone(Question<?> question) throws Exception {
    return FragmentCodec.encode(run(question), question);
  }

  private static byte[] one(FragmentAnswer several, int place, Question<?> question) {
    Result result = ((SeveralQuestion.Answer) several.result()).answers().get(place).result();
    return FragmentCodec.encode(
        new FragmentAnswer(several.epoch(), several.covered(), result), question);
  }

  @Test
  void onlyOwnHostsAreAnsweredForAlsoWhenSamplesOfOthersAreHere() throws Exception {
    FragmentAnswer answer =
        run(
            List.of("n1", "n2", "n3"),
            new SamplesQuestion(10, List.of(new Selection(up, 0, 9), new Selection(up, 2, 9))),
            StopCheck.NEVER);
    assertThat(answer.covered()).containsExactly("n1");
    assertThat(answer.epoch()).isEqualTo(3);
    List<List<Series>> series = ((SamplesQuestion.Answer) answer.result()).series();
    assertThat(series).hasSize(2);
    assertThat(series.getFirst())
        .singleElement()
        .satisfies(each -> assertThat(each.labels().value("Hostname")).isEqualTo("n1"));
    assertThat(series.getLast()).singleElement().satisfies(s -> assertThat(s.size()).isOne());
  }

  private SamplesQuestion samples(long budget) {
    return new SamplesQuestion(budget, List.of(new Selection(up, 0, 9)));
  }

  private static PartsQuestion part(String text, Grid grid, boolean partial) {
    return new PartsQuestion(
        grid.start(),
        grid.end(),
        0,
        Query.Settings.STOCK,
        1_000,
        List.of(new PartsQuestion.Part(new PartText(text, List.of()), grid, partial, false)),
        Optional.empty());
  }

  private static PartsQuestion parts() {
    return part("sum(up)", new Grid(3, 1, 3), true);
  }

  @Test
  void severalReadsAreAnsweredAsEachAloneIs() throws Exception {
    SamplesQuestion samples = samples(10);
    SamplesQuestion tooMany = samples(2);
    FragmentAnswer answer = run(new SeveralQuestion(List.of(samples, parts(), tooMany)));
    assertThat(answer.covered()).containsExactly("n1");
    assertThat(one(answer, 0, samples)).isEqualTo(alone(samples));
    assertThat(one(answer, 1, parts())).isEqualTo(alone(parts()));
    List<SeveralQuestion.One> all = ((SeveralQuestion.Answer) answer.result()).answers();
    assertThat(all.get(1).result()).isInstanceOf(PartsQuestion.Results.class);
    assertThatThrownBy(() -> run(tooMany))
        .isInstanceOf(TooManySamples.class)
        .hasMessage(((SeveralQuestion.Refusal) all.get(2).result()).reason());
  }

  @Test
  void oneOfSeveralReadsThatFailsLeavesTheOthersAlone() throws Exception {
    SamplesQuestion samples = samples(10);
    // The first checks of each kind of read are those of a program with a bug.
    SeveralQuestion both = new SeveralQuestion(List.of(parts(), samples, samples));
    AtomicInteger checks = new AtomicInteger();
    StopCheck wrong =
        () -> {
          if (checks.incrementAndGet() <= 2) {
            throw new IllegalStateException("a bug");
          }
          return Optional.empty();
        };
    FragmentAnswer answer = run(BOTH, both, wrong);
    List<SeveralQuestion.One> all = ((SeveralQuestion.Answer) answer.result()).answers();
    assertThat(all.get(0).result()).isInstanceOf(PartsQuestion.Unfit.class);
    assertThat(all.get(1).result())
        .isInstanceOfSatisfying(
            SeveralQuestion.Refusal.class,
            refused -> assertThat(refused.reason()).contains("a bug"));
    assertThat(one(answer, 2, samples)).isEqualTo(alone(samples));
  }

  @Test
  void noHostIsAnsweredForWhileThePastIsComingBack() throws Exception {
    whole = false;
    SeriesSearch all = new SeriesSearch(0, 9, 0, List.of());
    assertThat(run(List.of("n1"), new LabelNamesQuestion(all), StopCheck.NEVER))
        .isEqualTo(new FragmentAnswer(3, List.of(), new Strings(List.of())));
  }

  @Test
  void labelsAreThoseOfOwnHosts() throws Exception {
    SeriesSearch all = new SeriesSearch(0, 9, 0, List.of());
    assertThat(run(new LabelValuesQuestion("Hostname", all)))
        .isEqualTo(new FragmentAnswer(3, List.of("n1"), new Strings(List.of("n1"))));
    assertThat(run(new LabelNamesQuestion(all)))
        .isEqualTo(
            new FragmentAnswer(3, List.of("n1"), new Strings(List.of("Hostname", "__name__"))));
    assertThat(run(List.of("n2"), new LabelSetsQuestion(all), StopCheck.NEVER))
        .isEqualTo(new FragmentAnswer(3, List.of(), new LabelSetsQuestion.Answer(List.of())));
  }

  @Test
  void theBudgetIsThatOfAllSelectionsTogether() {
    List<Selection> twice = List.of(new Selection(up, 0, 9), new Selection(up, 1, 9));
    assertThatThrownBy(() -> run(List.of("n1"), new SamplesQuestion(4, twice), StopCheck.NEVER))
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
    return new Fragment(Load.OWN, 3, List.of("n1"), part(text, new Grid(time, 1, time), false));
  }
}
