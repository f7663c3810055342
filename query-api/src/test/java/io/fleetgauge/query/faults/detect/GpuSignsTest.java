package io.fleetgauge.query.faults.detect;

import static org.assertj.core.api.Assertions.assertThat;

import io.fleetgauge.query.faults.reading.Signal;
import io.fleetgauge.query.faults.reading.Ticks;
import io.fleetgauge.sample.gpu.FaultKind;
import java.util.ArrayList;
import java.util.List;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class GpuSignsTest {
  /** A fault: the readings that show it. */
  record Case(FaultKind kind, UnaryOperator<Ticks> sign, String text) {
    @Override
    public String toString() {
      return kind.text();
    }

    boolean isRate() {
      return switch (kind) {
        case ECC_STORM, THERMAL_SLOWDOWN, THERMAL_SOFTWARE, POWER_BRAKE, PCIE_REPLAYS -> true;
        default -> false;
      };
    }
  }

  static Stream<Case> cases() {
    return Stream.of(
        new Case(FaultKind.GPU_LOST, t -> t.with(Signal.LOST, 1), "cannot reach"),
        new Case(
            FaultKind.RECOVERY_ACTION,
            t -> t.with(Signal.RECOVERY_ACTION, 2),
            "a reboot of the node"),
        new Case(
            FaultKind.ROW_REMAP_FAILED, t -> t.with(Signal.REMAP_FAILURE, 1), "not be replaced"),
        new Case(FaultKind.ROW_REMAP_PENDING, t -> t.with(Signal.REMAP_PENDING, 1), "next reset"),
        new Case(FaultKind.ROW_SPARE_LOW, t -> t.with(Signal.BANKS_NONE, 1), "1 bank "),
        new Case(FaultKind.ECC_STORM, t -> t.with(Signal.ECC_CORRECTED, 60_000), "4,000 memory"),
        new Case(FaultKind.THERMAL_SLOWDOWN, t -> t.with(Signal.HW_THERMAL_SECONDS, 3), "20 %"),
        new Case(FaultKind.THERMAL_SOFTWARE, t -> t.with(Signal.SW_THERMAL_SECONDS, 6), "40 %"),
        new Case(FaultKind.POWER_BRAKE, t -> t.with(Signal.POWER_BRAKE_SECONDS, 1.5), "10 %"),
        new Case(FaultKind.HOT, t -> t.with(Signal.MARGIN, 3), "3 degrees below"),
        new Case(
            FaultKind.HOT, t -> t.without(Signal.MARGIN).with(Signal.TEMPERATURE, 88), "at 88"),
        new Case(FaultKind.MEMORY_HOT, t -> t.with(Signal.MEMORY_TEMPERATURE, 99), "at 99"),
        new Case(FaultKind.POWER_RANGE, t -> t.with(Signal.POWER, 1_400), "1,400 W"),
        new Case(FaultKind.POWER_RANGE, t -> t.with(Signal.POWER, 0), "is 0 W"),
        new Case(FaultKind.PSTATE_STUCK, t -> t.with(Signal.PERFORMANCE_STATE, 8), "P8"),
        new Case(FaultKind.PCIE_NARROW, t -> t.with(Signal.PCIE_WIDTH, 8), "8 of 16 lanes"),
        new Case(FaultKind.PCIE_SLOW, t -> t.with(Signal.PCIE_GENERATION, 3), "generation 3"),
        new Case(FaultKind.PCIE_REPLAYS, t -> t.with(Signal.PCIE_REPLAYS, 150), "10 PCIe packets"),
        new Case(FaultKind.MEMORY_UNOWNED, t -> t.with(Signal.PROCESSES, 0), "70,000 MiB"));
  }

  private static Ticks healthy() {
    return Ticks.host("h1")
        .gpu(0)
        .job("7")
        .with(Signal.LOST, 0)
        .with(Signal.RECOVERY_ACTION, 0)
        .with(Signal.REMAP_FAILURE, 0)
        .with(Signal.REMAP_PENDING, 0)
        .with(Signal.BANKS_LOW, 0)
        .with(Signal.BANKS_NONE, 0)
        .with(Signal.ECC_CORRECTED, 0)
        .with(Signal.ECC_UNCORRECTED, 0)
        .with(Signal.HW_THERMAL_SECONDS, 0)
        .with(Signal.SW_THERMAL_SECONDS, 1)
        .with(Signal.POWER_BRAKE_SECONDS, 0)
        .with(Signal.MARGIN, 20)
        .with(Signal.TEMPERATURE, 66)
        .with(Signal.MEMORY_TEMPERATURE, 80)
        .with(Signal.POWER, 650)
        .with(Signal.POWER_LIMIT, 700)
        .with(Signal.SM_CLOCK, 1_755)
        .with(Signal.PERFORMANCE_STATE, 0)
        .with(Signal.UTILISATION, 99)
        .with(Signal.PCIE_WIDTH, 16)
        .with(Signal.PCIE_MAX_WIDTH, 16)
        .with(Signal.PCIE_GENERATION, 5)
        .with(Signal.PCIE_MAX_GENERATION, 5)
        .with(Signal.PCIE_REPLAYS, 0)
        .with(Signal.MEMORY_USED, 70_000)
        .with(Signal.PROCESSES, 1)
        .with(Signal.ALLOCATED, 1);
  }

  @ParameterizedTest
  @MethodSource("cases")
  void aFaultIsFoundWithinTwoTicksAndOnlyWhileItsSignIsThere(Case each) {
    Ticks ticks = healthy();
    HostWatch watch = new HostWatch(ticks);
    assertThat(watch.all(20)).isEmpty();
    each.sign().apply(ticks);
    long since = each.isRate() ? watch.time() : watch.time() + Ticks.STEP;
    watch.ticks(2);
    List<Finding> found = watch.next();
    assertThat(HostWatch.kinds(found)).containsExactly(each.kind());
    Finding finding = found.getFirst();
    assertThat(finding.since()).isEqualTo(since);
    assertThat(finding.subject().uuid()).isEqualTo(Ticks.uuid("h1", 0));
    assertThat(finding.subject().labels().value("job")).isEqualTo("7");
    assertThat(finding.text()).contains(each.text()).endsWith(".");
    assertThat(finding.evidence()).isNotEmpty().allMatch(one -> !one.what().isEmpty());
    Evidence first = finding.evidence().getFirst();
    assertThat(first.before()).isNotNaN();
    assertThat(HostWatch.kinds(watch.all(40))).hasSize(40).containsOnly(each.kind());
    HostWatch late = new HostWatch(ticks);
    assertThat(HostWatch.kinds(late.ticks(3)))
        .as("a state that was there at the first tick")
        .containsExactly(each.kind());
    healthyAgain(ticks);
    assertThat(watch.all(20)).isEmpty();
  }

  private static void healthyAgain(Ticks ticks) {
    ticks
        .gpu(0)
        .with(Signal.LOST, 0)
        .with(Signal.RECOVERY_ACTION, 0)
        .with(Signal.REMAP_FAILURE, 0)
        .with(Signal.REMAP_PENDING, 0)
        .with(Signal.BANKS_NONE, 0)
        .with(Signal.ECC_CORRECTED, 0)
        .with(Signal.HW_THERMAL_SECONDS, 0)
        .with(Signal.SW_THERMAL_SECONDS, 0)
        .with(Signal.POWER_BRAKE_SECONDS, 0)
        .with(Signal.MARGIN, 20)
        .with(Signal.TEMPERATURE, 66)
        .with(Signal.MEMORY_TEMPERATURE, 80)
        .with(Signal.POWER, 650)
        .with(Signal.PERFORMANCE_STATE, 0)
        .with(Signal.PCIE_WIDTH, 16)
        .with(Signal.PCIE_GENERATION, 5)
        .with(Signal.PCIE_REPLAYS, 0)
        .with(Signal.PROCESSES, 1);
  }

  @ParameterizedTest
  @MethodSource("cases")
  void whatIsNotReadIsNeitherASignNorARecovery(Case each) {
    Ticks ticks = healthy();
    HostWatch watch = new HostWatch(ticks);
    assertThat(watch.all(4)).isEmpty();
    each.sign().apply(ticks);
    List<Finding> found = watch.ticks(3);
    for (Signal signal : Signal.values()) {
      ticks.without(signal);
    }
    assertThat(watch.all(20)).hasSize(20).allMatch(found.getFirst()::equals);
    assertThat(watch.all(4)).as("nor for ever").isEmpty();
    assertThat(new HostWatch(ticks).all(4)).isEmpty();
  }

  @ParameterizedTest
  @MethodSource("cases")
  void oneReadingIsNotASignThatLasts(Case each) {
    FaultKind kind = each.kind();
    if (!Thresholds.defaults().of(kind).has("after")
        || Thresholds.defaults().of(kind).millis("after") == 0) {
      return;
    }
    Ticks ticks = healthy();
    HostWatch watch = new HostWatch(ticks);
    assertThat(watch.all(4)).isEmpty();
    each.sign().apply(ticks);
    assertThat(watch.next()).isEmpty();
    healthyAgain(ticks);
    assertThat(watch.all(8)).isEmpty();
  }

  /** A class of ticks of 60 s: the increase of a minute stands at every fourth tick. */
  @Test
  void aRateThatIsReadEveryMinuteIsFoundAtItsFirstReading() {
    Ticks ticks = healthy();
    HostWatch watch = new HostWatch(ticks);
    assertThat(watch.all(4)).isEmpty();
    long before = watch.time();
    ticks.without(Signal.ECC_CORRECTED);
    assertThat(watch.all(3)).isEmpty();
    ticks.step(60_000).with(Signal.ECC_CORRECTED, 600);
    List<Finding> found = watch.next();
    assertThat(HostWatch.kinds(found)).containsExactly(FaultKind.ECC_STORM);
    assertThat(found.getFirst().since()).isEqualTo(before);
    ticks.without(Signal.ECC_CORRECTED);
    assertThat(HostWatch.kinds(watch.all(3))).hasSize(3).containsOnly(FaultKind.ECC_STORM);
    ticks.with(Signal.ECC_CORRECTED, 3);
    assertThat(watch.next()).isEmpty();
  }

  @Test
  void heatHasAHysteresis() {
    Ticks ticks = healthy().with(Signal.MARGIN, 4);
    HostWatch watch = new HostWatch(ticks);
    assertThat(watch.ticks(2)).hasSize(1);
    ticks.with(Signal.MARGIN, 6);
    assertThat(watch.ticks(4)).hasSize(1);
    ticks.with(Signal.MARGIN, 7);
    assertThat(watch.next()).isEmpty();
    ticks.with(Signal.MARGIN, 6);
    assertThat(watch.all(4)).isEmpty();
  }

  @Test
  void aMarginOfZeroOrLessIsNoneSoThatTheTemperatureTells() {
    Ticks ticks = healthy().with(Signal.MARGIN, 0).with(Signal.TEMPERATURE, 45);
    HostWatch watch = new HostWatch(ticks);
    assertThat(watch.all(10)).isEmpty();
    ticks.with(Signal.TEMPERATURE, 84); // an A100 under load
    assertThat(watch.all(10)).isEmpty();
    ticks.with(Signal.MARGIN, -2);
    assertThat(watch.all(10)).isEmpty();
    ticks.with(Signal.TEMPERATURE, 86);
    assertThat(HostWatch.kinds(watch.ticks(3))).containsExactly(FaultKind.HOT);
  }

  @Test
  void anIdleGpuInALowStateWithASlowLinkIsHealthy() {
    Ticks ticks =
        healthy()
            .with(Signal.ALLOCATED, 0)
            .with(Signal.UTILISATION, 0)
            .with(Signal.PERFORMANCE_STATE, 8)
            .with(Signal.PCIE_GENERATION, 1)
            .with(Signal.POWER, 70);
    assertThat(new HostWatch(ticks).all(1_000)).isEmpty();
  }

  @Test
  void aStateThatTheDriverDoesNotKnowIsNoIdleState() {
    assertThat(new HostWatch(healthy().with(Signal.PERFORMANCE_STATE, 32)).all(10)).isEmpty();
  }

  @Test
  void anAllocationIsIdleAfterAnHourOfOneOwner() {
    Ticks ticks = healthy().with(Signal.UTILISATION, 0);
    HostWatch watch = new HostWatch(ticks);
    assertThat(watch.all(200)).isEmpty();
    ticks.gpu(0).job("8");
    assertThat(watch.all(240)).isEmpty();
    long since = watch.time() - 239 * Ticks.STEP;
    List<Finding> found = watch.next();
    assertThat(HostWatch.kinds(found)).containsExactly(FaultKind.IDLE_ALLOCATION);
    assertThat(found.getFirst().since()).isEqualTo(since);
    ticks.with(Signal.UTILISATION, 30);
    assertThat(watch.next()).isEmpty();
  }

  @Test
  void aSiteDecidesWhoMayHoldAGpuForHowLongAndDoNothing() throws InvalidThresholds {
    Thresholds own =
        Thresholds.defaults()
            .with(
                "own.yaml",
                """
                idle_allocation:
                  grace: 600
                  interactive: ['{hpc_job=~"9"}', '{job="9"}']
                  interactiveAfter: 7200
                  exempt: ['{job="10"}']
                """,
                none -> {});
    Ticks ticks = healthy().with(Signal.UTILISATION, 0);
    HostWatch watch = new HostWatch(ticks, own);
    assertThat(watch.all(10)).isEmpty();
    ticks.gpu(0).job("8");
    assertThat(watch.all(280)).as("the first 10 minutes do not count").isEmpty();
    assertThat(watch.next()).isNotEmpty();
    ticks.gpu(0).job("9");
    assertThat(watch.all(520)).as("an interactive job").isEmpty();
    assertThat(watch.next().getFirst().text()).contains("2 h");
    ticks.gpu(0).job("10");
    assertThat(watch.all(1_000)).as("one that is exempt").isEmpty();
  }

  @Test
  void anIdleAllocationThatWasFoundBeforeATakeoverIsFoundAtOnce() {
    Ticks ticks = healthy().with(Signal.UTILISATION, 0);
    HostWatch watch = new HostWatch(ticks);
    ticks.at(0);
    Subject subject = Subject.of(ticks.build(), ticks.build().gpus().getFirst());
    watch.restore(FaultKind.IDLE_ALLOCATION, subject, -4 * 3_600_000L);
    assertThat(watch.next().getFirst().since()).isEqualTo(-4 * 3_600_000L);
  }

  @Test
  void aListOfSelectorsThatCannotBeReadIsLeftOut() throws InvalidThresholds {
    List<String> leftOut = new ArrayList<>();
    Thresholds own =
        Thresholds.defaults()
            .with(
                "own.yaml",
                "idle_allocation: {exempt: ['{'], interactive: 3, grace: [1]}\n",
                leftOut::add);
    assertThat(leftOut).hasSize(3);
    assertThat(own.of(FaultKind.IDLE_ALLOCATION).selectors("interactive")).hasSize(2);
  }

  @Test
  void theDriversRecoveryIsNamed() {
    Ticks ticks = healthy().with(Signal.RECOVERY_ACTION, 1);
    HostWatch watch = new HostWatch(ticks);
    assertThat(watch.next().getFirst().cause()).isEqualTo("reset");
    ticks.with(Signal.RECOVERY_ACTION, 4);
    assertThat(watch.next().getFirst().cause()).isEqualTo("drain_and_reset");
  }

  @Test
  void aThresholdOfASiteReplacesOurs() throws InvalidThresholds {
    Thresholds own = Thresholds.defaults().with("own.yaml", "hot: {margin: 1}\n", none -> {});
    Ticks ticks = healthy().with(Signal.MARGIN, 3);
    assertThat(new HostWatch(ticks).ticks(4)).hasSize(1);
    assertThat(new HostWatch(ticks, own).all(4)).isEmpty();
  }
}
