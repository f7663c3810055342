package io.fleetgauge.query.faults.detect;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.fleetgauge.sample.gpu.FaultKind;
import org.junit.jupiter.api.Test;

class ThresholdsTest {
  @Test
  void aFractionIsRead() {
    assertEquals(0.02, Thresholds.defaults().of(FaultKind.HANG).number("flatness"));
    assertEquals(120_000, Thresholds.defaults().of(FaultKind.HANG).millis("signatureAfter"));
  }

  @Test
  void aSiteReplacesOneOfThem() throws InvalidThresholds {
    Thresholds ours = Thresholds.defaults().with("ours.yaml", "hang:\n  flatness: 0.05\n");
    assertEquals(0.05, ours.of(FaultKind.HANG).number("flatness"));
    assertEquals(30, ours.of(FaultKind.HANG).number("rasAfter"));
  }
}
