package io.fleetgauge.query.faults.reading;

import static org.assertj.core.api.Assertions.assertThat;

import io.fleetgauge.sample.Labels;
import io.fleetgauge.sample.Series;
import io.fleetgauge.sample.Staleness;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class HostTicksTest {
  private final HostTicks ticks = new HostTicks("h1", List.of("job", "tenant", "pod"));
  private final List<HostTick> out = new ArrayList<>();

  private static Series series(Labels labels, Object... timesAndValues) {
    long[] times = new long[timesAndValues.length / 2];
    double[] values = new double[times.length];
    for (int i = 0; i < times.length; i++) {
      times[i] = ((Number) timesAndValues[2 * i]).longValue() * 1_000;
      values[i] = ((Number) timesAndValues[2 * i + 1]).doubleValue();
    }
    return new Series(labels, times, values);
  }

  private static Labels gpu(String metric, String... more) {
    Labels labels =
        Labels.of(
            Labels.NAME,
            metric,
            "Hostname",
            "h1",
            "rack",
            "r1",
            "UUID",
            "GPU-1",
            "gpu",
            "0",
            "modelName",
            "H100");
    for (int i = 0; i < more.length; i += 2) {
      labels = labels.with(more[i], more[i + 1]);
    }
    return labels;
  }

  private static final String POWER = "DCGM_FI_DEV_POWER_USAGE";
  private static final String PCIE = "gpu_pcie_bytes_total";
  private static final String XIDS = "gpu_xid_total";

  private void feed(Series... series) {
    ticks.feed(List.of(series), out::add);
  }

  private GpuTick last() {
    return out.getLast().gpus().getFirst();
  }

  @Test
  void theSamplesOfOneTimeMakeOneTick() {
    feed(series(gpu(POWER), 15, 500, 30, 510), series(gpu("DCGM_FI_DEV_SM_CLOCK"), 30, 1980));
    assertThat(out).extracting(HostTick::time).containsExactly(15_000L, 30_000L);
    assertThat(last().get(Signal.POWER)).isEqualTo(510);
    assertThat(last().get(Signal.SM_CLOCK)).isEqualTo(1980);
    assertThat(last().uuid()).isEqualTo("GPU-1");
    assertThat(last().model()).isEqualTo("H100");
    assertThat(out.getLast().place()).isEqualTo(Labels.of("Hostname", "h1", "rack", "r1"));
  }

  @Test
  void samplesOfTimesThatHavePassedAreLeftOut() {
    feed(series(gpu(POWER), 30, 500));
    feed(series(gpu(POWER), 15, 100, 30, 100));
    assertThat(out).hasSize(1);
    assertThat(last().get(Signal.POWER)).isEqualTo(500);
  }

  @Test
  void aGaugeThatIsReadSeldomStandsForFiveMinutes() {
    feed(series(gpu(POWER), 0, 500), series(gpu("DCGM_FI_DEV_GPU_TEMP"), 0, 60, 300, 61, 315, 61));
    assertThat(out.get(1).gpus().getFirst().get(Signal.POWER)).isEqualTo(500);
    assertThat(last().has(Signal.POWER)).isFalse();
  }

  @Test
  void processesOfInstancesAreThoseOfTheirGpuAndTheirOwnersAreNot() {
    Labels instance = gpu("gpu_processes").with("GPU_I_ID", "1").with("job", "of-an-instance");
    feed(
        series(gpu(POWER), 0, 500),
        series(gpu("gpu_processes"), 0, 0),
        series(instance, 0, 1),
        series(instance.with("GPU_I_ID", "2"), 0, 1),
        series(gpu(POWER).with("GPU_I_ID", "1"), 0, 250));
    assertThat(last().get(Signal.PROCESSES)).isEqualTo(2);
    assertThat(last().get(Signal.POWER)).isEqualTo(500);
    assertThat(last().job()).isEmpty();
  }

  @Test
  void aGaugeThatEndedHasNoValue() {
    feed(
        series(gpu(POWER), 0, 500, 15, Staleness.MARKER),
        series(gpu("DCGM_FI_DEV_GPU_TEMP"), 15, 60));
    assertThat(last().has(Signal.POWER)).isFalse();
  }

  @Test
  void aCounterHasItsIncreaseSinceItWasReadBefore() {
    feed(series(gpu(PCIE), 0, 100, 15, 1_600, 30, 1_600));
    assertThat(out.get(0).gpus().getFirst().has(Signal.PCIE_BYTES)).isFalse();
    assertThat(out.get(1).gpus().getFirst().get(Signal.PCIE_BYTES)).isEqualTo(1_500);
    assertThat(out.get(1).gpus().getFirst().rate(Signal.PCIE_BYTES)).isEqualTo(100);
    assertThat(last().get(Signal.PCIE_BYTES)).isZero();
  }

  @Test
  void aCounterThatFellHasBegunAgain() {
    feed(series(gpu(PCIE), 0, 1_000, 15, 30));
    assertThat(last().get(Signal.PCIE_BYTES)).isEqualTo(30);
  }

  @Test
  void aCounterThatWasNotReadAtATickHasNoIncreaseThere() {
    feed(series(gpu(PCIE), 0, 0, 30, 3_000), series(gpu(POWER), 0, 1, 15, 1, 30, 1));
    assertThat(out.get(1).gpus().getFirst().has(Signal.PCIE_BYTES)).isFalse();
    assertThat(last().rate(Signal.PCIE_BYTES)).isEqualTo(100);
  }

  @Test
  void increasesOfOneGpuMayTakeTimesThatDiffer() {
    feed(
        series(gpu(PCIE), 0, 0, 30, 3_000),
        series(gpu("gpu_nvlink_bytes_total"), 15, 0, 30, 3_000));
    assertThat(last().rate(Signal.PCIE_BYTES)).isEqualTo(100);
    assertThat(last().rate(Signal.NVLINK_BYTES)).isEqualTo(200);
  }

  @Test
  void aCounterGoesOnWhenItsGpuChangesHands() {
    feed(
        series(gpu(PCIE, "job", "a"), 0, 100, 15, Staleness.MARKER),
        series(gpu(PCIE, "job", "b"), 15, 1_600));
    assertThat(last().get(Signal.PCIE_BYTES)).isEqualTo(1_500);
    assertThat(last().job()).isEqualTo("b");
    assertThat(out.getFirst().gpus().getFirst().job()).isEqualTo("a");
  }

  @Test
  void seriesWithoutOwnerDoNotTakeAGpuFromItsOwner() {
    feed(
        series(gpu(XIDS, "xid", "48"), 15, 0),
        series(gpu(POWER, "job", "a", "tenant", "t"), 15, 500),
        series(gpu("gpu_lost"), 15, 0));
    assertThat(last().owner()).isEqualTo(Labels.of("job", "a", "tenant", "t"));
  }

  @Test
  void aGpuThatNobodyHasAnyMoreHasNoOwner() {
    feed(series(gpu(POWER, "job", "a"), 15, 500), series(gpu(POWER), 30, 50));
    assertThat(last().job()).isEmpty();
  }

  @Test
  void aCodeThatIsReportedForTheFirstTimeHasBeenCountedFromNothing() {
    feed(series(gpu(POWER), 0, 1, 15, 1), series(gpu(XIDS, "xid", "79"), 15, 2));
    assertThat(last().codes().get("79").get(Signal.XIDS)).isEqualTo(2);
  }

  @Test
  void codesOfBeforeTheFirstTickAreNotNew() {
    feed(series(gpu(POWER), 0, 1), series(gpu(XIDS, "xid", "79"), 0, 2, 15, 2));
    assertThat(last().codes().get("79").get(Signal.XIDS)).isZero();
  }

  @Test
  void codesThatAreTheSameAfterALongSilenceAreNotNew() {
    feed(series(gpu(POWER), 0, 1), series(gpu(XIDS, "xid", "79"), 0, 2));
    feed(series(gpu(POWER), 7_200, 1), series(gpu(XIDS, "xid", "79"), 7_200, 2, 7_215, 3));
    assertThat(out.get(1).gpus().getFirst().codes().get("79").get(Signal.XIDS)).isZero();
    assertThat(last().codes().get("79").get(Signal.XIDS)).isEqualTo(1);
  }

  @Test
  void whatOthersWroteForTheHostMakesNoTick() {
    Labels expected = Labels.of(Labels.NAME, "gpu_expected", "Hostname", "h1");
    feed(series(gpu(POWER), 0, 1), series(expected, 5, 8, 10, 8));
    assertThat(out).extracting(HostTick::time).containsExactly(0L);
    feed(series(gpu(POWER), 15, 1));
    assertThat(out.getLast().get(Signal.EXPECTED)).isEqualTo(8);
  }

  @Test
  void seriesThatASignalSelectsAreAddedUp() {
    Labels cpu = Labels.of(Labels.NAME, "node_cpu_seconds_total", "Hostname", "h1", "cpu", "0");
    feed(
        series(cpu.with("mode", "idle"), 0, 0, 15, 10),
        series(cpu.with("mode", "user"), 0, 0, 15, 5),
        series(cpu.with("mode", "idle").with("cpu", "1"), 0, 0, 15, 15));
    assertThat(out.getLast().get(Signal.CPU_SECONDS)).isEqualTo(30);
    assertThat(out.getLast().get(Signal.CPU_IDLE_SECONDS)).isEqualTo(25);
    assertThat(out.getLast().place()).isEqualTo(Labels.of("Hostname", "h1"));
  }

  @Test
  void linksAndRanksAreToldApart() {
    feed(
        series(gpu("gpu_nvlink_state", "nvlink", "0"), 0, 1),
        series(gpu("gpu_nvlink_state", "nvlink", "1"), 0, 0),
        series(gpu("gpu_nccl_operations_total", "communicator", "c"), 0, 7),
        series(gpu("gpu_nvlink_bytes_total", "nvlink", "1"), 0, 7));
    assertThat(last().links().keySet()).containsExactly("0", "1");
    assertThat(last().links().get("1").get(Signal.LINK_STATE)).isZero();
    assertThat(last().ranks().get("c").get(Signal.OPERATIONS)).isEqualTo(7);
  }

  @Test
  void partsOfAGpuAreLeftOut() {
    feed(series(gpu(POWER, "GPU_I_ID", "1"), 0, 500));
    assertThat(out).isEmpty();
  }

  @Test
  void gpusAreInOrderOfTheirIndex() {
    feed(
        series(gpu(POWER, "gpu", "10", "UUID", "GPU-a"), 0, 1),
        series(gpu(POWER, "gpu", "9", "UUID", "GPU-b"), 0, 1));
    assertThat(out.getLast().gpus()).extracting(GpuTick::uuid).containsExactly("GPU-b", "GPU-a");
  }
}
