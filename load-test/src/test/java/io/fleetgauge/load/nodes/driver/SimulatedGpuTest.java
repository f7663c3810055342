package io.fleetgauge.load.nodes.driver;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;

/** Figures of a real H200 with driver 580.159.04, measured on 2026-11-27. */
class SimulatedGpuTest {
  private static final int SM_ACTIVE = 2;
  private static final int DRAM_ACTIVE = 10;

  private static SimulatedGpu at(Board board, Work work) {
    SimulatedGpu gpu = new SimulatedGpu(board, 0, "GPU-0", 0, 7);
    for (long time = 0; time <= 60_000; time += 15_000) {
      gpu.turnTo(time, List.of(work), List.of());
    }
    return gpu;
  }

  @Test
  void anH200AtRestHasALowClockAndRefreshesItsMemory() {
    SimulatedGpu gpu = at(Board.H200, Work.NONE);
    assertThat(gpu.milliwatts()).isBetween(79_000L, 80_000L);
    assertThat(gpu.megahertz()).isEqualTo(345);
    assertThat(gpu.videoMegahertz()).isEqualTo(765);
    assertThat(gpu.reasons()).isEqualTo(1 << SimulatedGpu.IDLE);
    assertThat(gpu.profile(SM_ACTIVE, -1)).isZero();
    assertThat(gpu.profile(DRAM_ACTIVE, -1) / 100).isBetween(3.7e-6, 3.9e-6);
  }

  @Test
  void aProcessThatHoldsAnH200KeepsItsClockAndPowerUp() {
    SimulatedGpu gpu = at(Board.H200, Work.idle(0.07));
    assertThat(gpu.milliwatts()).isBetween(121_500L, 124_000L);
    assertThat(gpu.megahertz()).isBetween(1965, 1980);
    assertThat(gpu.reasons()).isZero();
    assertThat(gpu.utilisation()).isZero();
    assertThat(gpu.profile(SM_ACTIVE, -1)).isZero();
    assertThat(gpu.profile(DRAM_ACTIVE, -1) / 100).isBetween(4.9e-6, 5.1e-6);
  }

  @Test
  void aKernelThatSpinsIsActiveOnTheMultiprocessorsOfItsBlocks() {
    Work spins = new Work(true, 1, 24 / 132.0, 0, 5e-6, 0.086, 1, 0.02, 0, 0);
    SimulatedGpu gpu = at(Board.H200, spins);
    assertThat(gpu.profile(SM_ACTIVE, -1) / 100).isBetween(0.18, 0.183);
    assertThat(gpu.milliwatts()).isBetween(131_500L, 134_500L);
    assertThat(gpu.utilisation()).isEqualTo(100);
  }

  @Test
  void anH200LacksWhatARealOneLacks() {
    SimulatedGpu gpu = at(Board.H200, Work.NONE);
    for (int field : new int[] {170, 193, 194, 195, 196}) {
      assertThat(GpuFieldValues.of(gpu, field, 0)).as("%s", field).isNegative();
    }
    for (int id : new int[] {50, 51, 100, 101, 102, 103}) {
      assertThat(gpu.profile(id, -1)).as("%s", id).isZero();
    }
  }

  @Test
  void linksOfNvlink5CountOtherErrorsThanThoseBefore() {
    int[] before = {38, 45, 52, 59, 160, 161, 162, 163};
    int[] nvlink5 = {208, 213, 214, 215, 219};
    SimulatedGpu h200 = at(Board.H200, Work.NONE);
    SimulatedGpu gb200 = at(Board.GB200, Work.NONE);
    SimulatedGpu l40s = at(Board.L40S, Work.NONE);
    for (int field : before) {
      assertThat(GpuFieldValues.of(h200, field, 0)).as("%s", field).isNotNegative();
      assertThat(GpuFieldValues.of(gb200, field, 0)).as("%s", field).isNegative();
      assertThat(GpuFieldValues.of(l40s, field, 0)).as("%s", field).isNegative();
    }
    for (int field : nvlink5) {
      assertThat(GpuFieldValues.of(h200, field, 0)).as("%s", field).isNegative();
      assertThat(GpuFieldValues.of(gb200, field, 0)).as("%s", field).isNotNegative();
      assertThat(GpuFieldValues.of(l40s, field, 0)).as("%s", field).isNegative();
    }
  }
}
