package io.fleetgauge.query.faults.detect;

import static org.assertj.core.api.Assertions.assertThat;

import io.fleetgauge.query.faults.reading.HostTicks;
import io.fleetgauge.query.faults.reading.Signal;
import io.fleetgauge.query.faults.reading.Ticks;
import io.fleetgauge.sample.Labels;
import io.fleetgauge.sample.Series;
import io.fleetgauge.sample.gpu.FaultKind;
import io.fleetgauge.sample.gpu.Severity;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class GpuEventsTest {
  @ParameterizedTest
  @CsvSource({
    "79, XID, '', fallen off the bus",
    "63, XID, WARNING, recorded",
    "94, XID, WARNING, one application",
    "31, XID_APPLICATION, '', not mapped",
    "43, XID_APPLICATION, '', reset",
    "9999, XID, WARNING, not in the catalog"
  })
  void aCodeIsToldWithItsMeaningWhatToDoAndItsSeverity(
      int code, FaultKind kind, String severity, String text) {
    Ticks ticks = Ticks.host("h1").gpu(3).job("7").code(code).with(Signal.XIDS, 0);
    HostWatch watch = new HostWatch(ticks);
    assertThat(watch.all(3)).isEmpty();
    ticks.with(Signal.XIDS, 4);
    Finding found = watch.next().getFirst();
    assertThat(found.kind()).isEqualTo(kind);
    assertThat(found.cause()).isEqualTo(Integer.toString(code));
    assertThat(found.count()).isEqualTo(4);
    assertThat(found.since()).isEqualTo(watch.time());
    assertThat(found.proven()).isTrue();
    assertThat(found.severity().map(Severity::name).orElse("")).isEqualTo(severity);
    assertThat(found.text()).startsWith("XID " + code + ": ").contains(text).endsWith(".");
    ticks.with(Signal.XIDS, 0);
    assertThat(watch.all(3)).isEmpty();
  }

  @Test
  void exceptionsOfSeveralJobsOnOneGpuPointToTheGpu() {
    Ticks ticks = Ticks.host("h1");
    HostWatch watch = new HostWatch(ticks);
    List<Finding> found = new ArrayList<>();
    for (String job : List.of("a", "a", "b", "a", "c", "d")) {
      ticks.gpu(0).job(job).code(13).with(Signal.XIDS, 1);
      found.addAll(watch.next());
      ticks.with(Signal.XIDS, 0);
      watch.ticks(240);
    }
    assertThat(found.stream().map(each -> each.severity().isPresent()))
        .containsExactly(false, false, false, false, true, true);
    assertThat(found.getLast().text()).contains("4 jobs", "suspect the GPU");
    watch.next(24 * 3_600_000);
    ticks.with(Signal.XIDS, 1);
    assertThat(watch.next().getFirst().severity()).as("a day later").isEmpty();
  }

  @Test
  void oneJobThatFailsOnAllItsGpusPointsToNoGpu() {
    Ticks ticks = Ticks.host("h1");
    for (int gpu = 0; gpu < 8; gpu++) {
      ticks.gpu(gpu).job("a").code(31).with(Signal.XIDS, 2);
    }
    HostWatch watch = new HostWatch(ticks);
    assertThat(watch.all(10)).hasSize(80).allMatch(each -> each.severity().isEmpty());
  }

  @Test
  void memoryErrorsThatCannotBeCorrectedAreCounted() {
    Ticks ticks = Ticks.host("h1").gpu(0).with(Signal.ECC_UNCORRECTED, 0);
    HostWatch watch = new HostWatch(ticks);
    assertThat(watch.all(3)).isEmpty();
    ticks.with(Signal.ECC_UNCORRECTED, 2);
    Finding found = watch.next().getFirst();
    assertThat(found.kind()).isEqualTo(FaultKind.ECC_UNCORRECTED);
    assertThat(found.count()).isEqualTo(2);
    assertThat(found.text()).contains("2 errors");
  }

  /** From samples: what was counted before the first, and a counter that begins again. */
  @Test
  void neitherTheFirstReadingNorAResetIsAnEvent() {
    HostTicks ticks = new HostTicks("h1", List.of("job"));
    HostWatch watch = new HostWatch(Ticks.host("h1"));
    List<Finding> found = new ArrayList<>();
    ticks.feed(
        List.of(
            series("gpu_xid_total", "79", 5, 5, 0, 0, 1),
            series("DCGM_FI_DEV_ECC_DBE_VOL_TOTAL", "", 7, 7, 0, 0, 0),
            series("DCGM_FI_DEV_ECC_SBE_VOL_TOTAL", "", 9_000, 9_000, 0, 0, 0)),
        tick -> found.addAll(watch.on(tick)));
    assertThat(HostWatch.kinds(found)).containsExactly(FaultKind.XID);
    assertThat(found.getFirst().count()).isEqualTo(1);
  }

  private static Series series(String metric, String xid, double... values) {
    Labels labels = Labels.of(Labels.NAME, metric, "Hostname", "h1", "UUID", "G0", "gpu", "0");
    return new Series(
        xid.isEmpty() ? labels : labels.with("xid", xid),
        LongStream.rangeClosed(1, values.length).map(i -> i * 15_000).toArray(),
        values);
  }
}
