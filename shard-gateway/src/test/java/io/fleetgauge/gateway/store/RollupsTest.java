package io.fleetgauge.gateway.store;

import static org.assertj.core.api.Assertions.assertThat;

import io.fleetgauge.gateway.rollup.RollupForm;
import io.fleetgauge.gateway.rollup.RollupKey;
import io.fleetgauge.gateway.rollup.RollupPage;
import io.fleetgauge.gateway.rollup.RollupRules;
import io.fleetgauge.gateway.store.owner.Dimensions;
import io.fleetgauge.promql.expr.Matcher;
import io.fleetgauge.promql.plan.RollupShape;
import io.fleetgauge.sample.Labels;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.SplittableRandom;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class RollupsTest {
  private static final long STEP = 15_000;
  private static final long HOUR = 3_600_000;
  private static final int GPUS = 4;
  private static final int ALL = Integer.MAX_VALUE;
  private static final RollupKey POWER = new RollupKey("power", RollupShape.Kind.LATEST, 0);
  private static final RollupKey RATE = new RollupKey("energy", RollupShape.Kind.RATE, 60_000);
  private static final RollupRules RULES = new RollupRules(STEP, 300_000, List.of(rule()));

  @TempDir private Path folder;

  private record Fact(Labels labels, long time, double value) {}

  private Store store(String name) {
    return store(name, RULES);
  }

  private Store store(String name, RollupRules rules) {
    return new Store(
        folder.resolve(name),
        new StoreLimits(
            Duration.ofDays(7),
            1L << 40,
            Duration.ofHours(2),
            Duration.ofHours(1),
            StoreLimits.DEFAULT_FUTURE,
            1_000,
            1_000,
            1_000),
        Dimensions.DEFAULT,
        rules);
  }

  private static List<Fact> facts(long seed, long from, long to) {
    return facts(seed, GPUS, from, to);
  }

  private static List<Fact> facts(long seed, int gpus, long from, long to) {
    SplittableRandom random = new SplittableRandom(seed);
    List<Fact> facts = new ArrayList<>();
    double[] energy = new double[gpus];
    for (long time = from; time < to; time += STEP) {
      for (int gpu = 0; gpu < gpus; gpu++) {
        Labels labels =
            Labels.of(
                "Hostname",
                "n1",
                "rack",
                "r1",
                "UUID",
                "GPU-" + gpu,
                "gpu",
                "" + gpu,
                "tenant",
                gpu < gpus / 2 ? "a" : "b");
        energy[gpu] += random.nextInt(1_000);
        if (random.nextInt(10) > 0) {
          double watts = random.nextInt(700_000) / 1000.0;
          facts.add(new Fact(labels.with(Labels.NAME, "power"), time, watts));
          facts.add(new Fact(labels.with(Labels.NAME, "energy"), time, energy[gpu]));
        }
      }
    }
    return facts;
  }

  private static Lane filled(Store store, List<Fact> facts) {
    Lane lane = store.lane("n1");
    Map<Labels, Lane.Handle> handles = new TreeMap<>();
    for (Fact fact : facts) {
      Lane.Handle handle = handles.computeIfAbsent(fact.labels, lane::handle);
      lane.append(
          Lane.Source.SENDER,
          fact.time,
          Long.MAX_VALUE,
          new Lane.Handle[] {handle},
          new double[] {fact.value},
          null,
          new WriteOutcome());
    }
    return lane;
  }

  /** All cells of all pages, as text: by time and group. */
  private static TreeMap<String, String> cells(Lane lane, RollupKey key) {
    TreeMap<String, String> cells = new TreeMap<>();
    for (RollupPage page : lane.rollups(key, 0, Long.MAX_VALUE / 2, ALL).orElseThrow()) {
      for (RollupPage.Group group : page.groups()) {
        for (int i = 0; i < page.steps(); i++) {
          if (group.count()[i] > 0) {
            double carry = group.carry() == null ? 0 : group.carry()[i];
            cells.put(
                String.format("%09d ", page.first() + i * STEP) + group.labels(),
                group.count()[i]
                    + " "
                    + group.sum()[i]
                    + " "
                    + carry
                    + " "
                    + group.min()[i]
                    + " "
                    + group.max()[i]);
          }
        }
      }
    }
    return cells;
  }

  @Test
  void aStepHoldsWhatAnInstantSelectorSeesThere() {
    Labels a = Labels.of(Labels.NAME, "power", "Hostname", "n1", "rack", "r1", "gpu", "0");
    Labels b = Labels.of(Labels.NAME, "power", "Hostname", "n1", "rack", "r1", "gpu", "1");
    Lane lane =
        filled(
            store("a"),
            List.of(
                new Fact(a, 14_000, 100.25), new Fact(b, 16_000, 300.5), new Fact(a, 45_000, 50)));
    Labels group = Labels.of("Hostname", "n1", "rack", "r1");
    assertThat(cells(lane, POWER))
        .containsExactly(
            Map.entry("000015000 " + group, "1 100.25 0.0 100.25 100.25"),
            Map.entry("000030000 " + group, "2 400.75 0.0 100.25 300.5"),
            Map.entry("000045000 " + group, "2 350.5 0.0 50.0 300.5"));
  }

  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3})
  void theOrderInWhichSamplesCameMakesNoDifference(long seed) {
    List<Fact> facts = facts(seed, 0, HOUR);
    Lane inOrder = filled(store("owner"), facts);
    // The copy gets some late, and is asked in between.
    List<Fact> early = new ArrayList<>(facts);
    List<Fact> late = new ArrayList<>();
    Random random = new Random(seed);
    early.removeIf(fact -> random.nextInt(8) == 0 && late.add(fact));
    Collections.shuffle(late, random);
    Store copyStore = store("copy");
    Lane copy = filled(copyStore, early);
    cells(copy, POWER);
    int half = late.size() / 2;
    filled(copyStore, late.subList(0, half));
    cells(copy, POWER);
    filled(copyStore, late.subList(half, late.size()));
    for (RollupKey key : List.of(POWER, RATE)) {
      assertThat(cells(inOrder, key)).isNotEmpty();
      assertThat(cells(copy, key)).isEqualTo(cells(inOrder, key));
    }
  }

  @Test
  void aLateSampleChangesTheStepsThatSeeIt() {
    List<Fact> facts = facts(4, 0, HOUR);
    Labels labels = facts.getFirst().labels;
    // So that the next tick does not stand before it at the first step.
    facts.removeIf(fact -> fact.labels.equals(labels) && fact.time == 1_815_000);
    Store store = store("a");
    Lane lane = filled(store, facts);
    TreeMap<String, String> before = cells(lane, POWER);
    filled(store, List.of(new Fact(labels, 1_801_000, 1)));
    TreeMap<String, String> after = cells(lane, POWER);
    assertThat(after.keySet()).isEqualTo(before.keySet());
    List<String> changed = new ArrayList<>();
    after.forEach(
        (cell, value) -> {
          if (!value.equals(before.get(cell))) {
            changed.add(cell);
          }
        });
    assertThat(changed).hasSize(1).first().asString().startsWith("001815000");
  }

  /** Whoever asks in between, pages are those of a store that is asked once. */
  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3, 4, 5, 6})
  void pagesAreTheSameHoweverOftenTheyAreAskedWhileSamplesCome(long seed) throws Exception {
    SplittableRandom random = new SplittableRandom(seed);
    List<Fact> facts = facts(seed, 0, 3 * HOUR);
    Collections.swap(facts, 200, 900);
    Collections.swap(facts, 300, 2_000);
    Store asked = store("asked");
    Lane lane = asked.lane("n1");
    List<Fact> soFar = new ArrayList<>();
    int round = 0;
    while (soFar.size() < facts.size()) {
      int some = 1 + random.nextInt(random.nextInt(4) == 0 ? 2_000 : 50);
      List<Fact> more = facts.subList(soFar.size(), Math.min(facts.size(), soFar.size() + some));
      filled(asked, more);
      soFar.addAll(more);
      RollupKey key = random.nextBoolean() ? POWER : RATE;
      long from = random.nextLong(3 * HOUR) / STEP * STEP;
      long to = from + random.nextLong(HOUR);
      lane.rollups(key, from, to, random.nextInt(300));
      if (round++ % 20 == 0 || soFar.size() == facts.size()) {
        Lane fresh = filled(store("fresh-" + round), soFar);
        for (RollupKey each : List.of(POWER, RATE)) {
          assertThat(cells(lane, each)).as("round %s", round).isEqualTo(cells(fresh, each));
        }
      }
    }
  }

  @Test
  void noMoreStepsAreComputedThanAllowed() {
    Store store = store("a");
    Lane lane = filled(store, facts(1, 0, HOUR));
    assertThat(lane.rollups(POWER, 0, HOUR, 239)).isEmpty();
    assertThat(lane.rollups(POWER, 0, HOUR, 240)).isPresent();
    assertThat(lane.rollups(POWER, 0, HOUR, 0)).as("they are kept").isPresent();
    assertThat(store.computedRollupUse().hits()).isPositive();
    Labels power = facts(1, 0, HOUR).getFirst().labels;
    filled(store, List.of(new Fact(power, HOUR, 1)));
    assertThat(lane.rollups(POWER, 0, HOUR, 0)).isEmpty();
    assertThat(lane.rollups(POWER, 0, HOUR, 1)).as("the step of the tick alone").isPresent();
    filled(store, List.of(new Fact(power, HOUR - 30 * STEP + 1, 1)));
    assertThat(lane.rollups(POWER, 0, HOUR, 28)).isEmpty();
    assertThat(lane.rollups(POWER, 0, HOUR, 29)).as("the steps after it").isPresent();
  }

  @Test
  void nothingIsComputedOfAMetricWithoutARule() {
    Lane lane = filled(store("a"), facts(1, 0, HOUR));
    RollupKey other = new RollupKey("temperature", RollupShape.Kind.LATEST, 0);
    RollupKey window = new RollupKey("energy", RollupShape.Kind.RATE, 300_000);
    assertThat(lane.rollups(other, 0, HOUR, 0).orElseThrow()).isEmpty();
    assertThat(lane.rollups(window, 0, HOUR, 0).orElseThrow()).isEmpty();
    assertThat(store("b").lane("n1").rollups(POWER, 0, HOUR, 0).orElseThrow()).isEmpty();
  }

  private Lane sealed(Store store, List<Fact> facts) throws Exception {
    Lane lane = filled(store, facts);
    Sealing sealing = lane.beginSealing(3 * HOUR, 0).orElseThrow();
    lane.finish(sealing.write(store.folder("n1")));
    return lane;
  }

  /** A rollup that is not much smaller than its samples is computed when it is asked for. */
  @Test
  void aBlockHasTheRollupsThatAreMuchSmallerThanTheirSamples() throws Exception {
    Lane few = sealed(store("few"), facts(5, 0, HOUR + 600_000));
    Lane many = sealed(store("many"), facts(5, 64, 0, HOUR + 600_000));
    assertThat(few.blocks().getFirst().rollupBytes(RULES.kept(POWER))).isEmpty();
    assertThat(few.blocks().getFirst().rollupBytes(RULES.kept(RATE))).isEmpty();
    assertThat(many.blocks().getFirst().rollupBytes(RULES.kept(POWER))).isPresent();
    assertThat(many.blocks().getFirst().rollupBytes(RULES.kept(RATE)))
        .as("a rate has as many digits as a double can have")
        .isEmpty();
    for (RollupKey key : List.of(POWER, RATE)) {
      assertThat(cells(few, key)).isNotEmpty();
      assertThat(cells(many, key)).isNotEmpty();
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {GPUS, 64})
  void sealingChangesNoRollup(int gpus) throws Exception {
    List<Fact> facts = facts(7, gpus, 0, HOUR + 600_000);
    Lane inMemory = filled(store("memory"), facts);
    Lane inBlock = sealed(store("block"), facts);
    for (RollupKey key : List.of(POWER, RATE)) {
      assertThat(cells(inBlock, key)).isNotEmpty().isEqualTo(cells(inMemory, key));
    }
  }

  @Test
  void ownerAndReplicaSealTheSameBytes() throws Exception {
    List<Fact> facts = facts(5, 64, 0, HOUR + 600_000);
    Lane owner = sealed(store("owner"), facts);
    List<Fact> mixed = new ArrayList<>(facts);
    Collections.swap(mixed, 40, 200);
    Collections.swap(mixed, 41, 300);
    Lane copy = sealed(store("copy"), mixed);
    assertThat(owner.blocks()).hasSize(1);
    byte[] bytes = owner.blocks().getFirst().rollupBytes(RULES.kept(POWER)).orElseThrow();
    assertThat(copy.blocks().getFirst().rollupBytes(RULES.kept(POWER)).orElseThrow())
        .isEqualTo(bytes);
    assertThat(RollupForm.encode(RollupForm.decode(bytes))).isEqualTo(bytes);
  }

  @Test
  void whatIsSealedIsBackWithItsBlock() throws Exception {
    Store store = store("a");
    List<Fact> facts = facts(6, 0, HOUR + 600_000);
    TreeMap<String, String> before = cells(filled(store("other"), facts), POWER);
    sealed(store, facts);
    Store again = store("a");
    again.restore("n1");
    TreeMap<String, String> after = cells(again.lane("n1"), POWER);
    assertThat(after).isNotEmpty();
    assertThat(before).containsAllEntriesOf(after);
    assertThat(after.lastKey()).startsWith("003585000");
  }

  @Test
  void pagesThatOtherRulesMadeAreNotUsed() throws Exception {
    List<Fact> facts = facts(9, 64, 0, HOUR + 600_000);
    sealed(store("a"), facts);
    RollupRules.Rule bySlot =
        new RollupRules.Rule(
            Matcher.equal(Labels.NAME, "power"), List.of("rack", "gpu"), true, List.of());
    for (RollupRules others :
        List.of(
            new RollupRules(STEP, 300_000, List.of(bySlot)),
            new RollupRules(4 * STEP, 300_000, List.of(rule())),
            new RollupRules(STEP, 15_000, List.of(rule())))) {
      Store again = store("a", others);
      again.restore("n1");
      TreeMap<String, String> found = cells(again.lane("n1"), POWER);
      assertThat(found).isNotEmpty();
      assertThat(cells(filled(store("fresh", others), facts), POWER)).containsAllEntriesOf(found);
    }
  }

  private static RollupRules.Rule rule() {
    return new RollupRules.Rule(
        Matcher.of(Matcher.Kind.REGEX, Labels.NAME, "power|energy"),
        List.of("rack", "tenant", "Hostname"),
        true,
        List.of(60_000L));
  }

  @Test
  void samplesThatAreTakenInBeforeABlockAreSeenAtItsFirstSteps() throws Exception {
    List<Fact> facts = facts(11, 64, 0, 2 * HOUR + 600_000);
    Store later = store("later");
    Lane lane = filled(later, facts.stream().filter(each -> each.time >= HOUR).toList());
    lane.finish(lane.beginSealing(4 * HOUR, 0).orElseThrow().write(later.folder("n1")));
    assertThat(lane.blocks().getFirst().rollupBytes(RULES.kept(POWER))).isPresent();
    Store earlier = store("earlier");
    sealed(earlier, facts.stream().filter(each -> each.time < HOUR + 600_000).toList());
    assertThat(later.adopt("n1", earlier.blockFiles("n1"))).containsExactly(Store.Adoption.ADOPTED);
    for (RollupKey key : List.of(POWER, RATE)) {
      assertThat(cells(lane, key)).isEqualTo(cells(filled(store("all"), facts), key));
    }
  }

  @Test
  void thePageIsHeldByItsBytes() {
    RollupPage page =
        new RollupPage(
            30_000,
            2,
            List.of("gpu"),
            List.of(
                new RollupPage.Group(
                    Labels.of("rack", "r1"),
                    new int[] {2, 2},
                    new double[] {3, 5},
                    null,
                    null,
                    new double[] {1, 2},
                    new double[] {2, 3}),
                new RollupPage.Group(
                    Labels.EMPTY,
                    new int[] {1, 0},
                    new double[] {7, 0},
                    null,
                    null,
                    new double[] {7, 0},
                    new double[] {7, 0})));
    assertThat(HexFormat.of().formatHex(RollupForm.encode(page)))
        .isEqualTo(
            "e0d4030201036770750201047261636b02723100000204020006040401010202040101040200010102010402000e0d");
  }
}
