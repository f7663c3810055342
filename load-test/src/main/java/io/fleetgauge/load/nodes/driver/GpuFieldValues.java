package io.fleetgauge.load.nodes.driver;

/** The fields of {@code nvmlDeviceGetFieldValues}. */
final class GpuFieldValues {
  private static final long NONE = -1;
  private static final int ALL = -1;

  private GpuFieldValues() {}

  /**
   * The value of a field; below 0 for one that the GPU has not.
   *
   * @param scope a link, or all of them
   */
  static long of(SimulatedGpu gpu, int field, int scope) {
    return switch (field) {
      case 3, 5 -> gpu.corrected();
      case 4, 6 -> gpu.uncorrected();
      case 38, 45, 52, 59, 160, 161, 162, 163 -> errors(gpu, field, scope);
      case 208, 213, 214, 215, 219 -> errorsOfNvlink5(gpu, field, scope);
      case 82 -> gpu.board.hasMemorySensor() ? gpu.memoryCelsius() : NONE;
      case 91 -> gpu.board.links;
      case 138, 139, 140, 141 -> traffic(gpu, field, scope);
      case 164 -> gpu.board.links > 0 ? 26_562 : NONE;
      case 165 -> gpu.board.links == 0 ? NONE : gpu.isActive(scope) ? 1 : 0;
      case 170 -> gpu.board == Board.GB200 ? 1 : NONE;
      case 142, 143, 144, 145 -> rows(gpu, field);
      case 74, 75, 76, 77, 78, 79, 269, 270, 271 -> nanos(gpu, field);
      case 169, 173, 174, 175, 176, 177, 178, 179, 180, 181, 182, 183 ->
          gpu.board.hasMargin() ? 0 : NONE;
      case 186 -> scope == 0 ? gpu.milliwatts() : NONE;
      case 193, 194, 195, 196 -> gpu.board.hasLimitsOfMargin() ? field == 193 ? 0 : 2 : NONE;
      case 197 -> gpu.board.hasMargin() ? gpu.pcieSent() : NONE;
      case 198 -> gpu.board.hasMargin() ? gpu.pcieReceived() : NONE;
      case 230 -> !gpu.board.hasMargin() ? NONE : gpu.has(Fault.RESET_NEEDED) ? 1 : 0;
      default -> NONE;
    };
  }

  /** Errors of links up to NVLink 4. */
  private static long errors(SimulatedGpu gpu, int field, int scope) {
    if (gpu.board.links == 0 || gpu.board.hasNvlink5()) {
      return NONE;
    }
    return switch (field) {
      case 38 -> gpu.linkCrcErrors(ALL);
      case 52 -> gpu.linkReplays(ALL);
      case 59 -> gpu.linkRecoveries(ALL);
      case 161 -> gpu.linkReplays(scope);
      case 162 -> gpu.linkRecoveries(scope);
      case 163 -> gpu.linkCrcErrors(scope);
      default -> 0;
    };
  }

  private static long errorsOfNvlink5(SimulatedGpu gpu, int field, int scope) {
    if (!gpu.board.hasNvlink5()) {
      return NONE;
    }
    return switch (field) {
      case 213, 215 -> gpu.linkRecoveries(scope);
      case 208, 219 -> gpu.linkCrcErrors(scope);
      default -> 0;
    };
  }

  /** KiB; of a link its share. */
  private static long traffic(SimulatedGpu gpu, int field, int scope) {
    if (gpu.board.links == 0) {
      return NONE;
    }
    long all = field % 2 == 0 ? gpu.sentKib() : gpu.receivedKib();
    return scope == ALL ? all : all / gpu.board.links;
  }

  private static long rows(SimulatedGpu gpu, int field) {
    if (!gpu.board.hasMemorySensor()) {
      return NONE;
    }
    return switch (field) {
      case 144 -> gpu.has(Fault.REMAP_PENDING) ? 1 : 0;
      case 145 -> gpu.has(Fault.REMAP_FAILED) ? 1 : 0;
      default -> 0;
    };
  }

  private static long nanos(SimulatedGpu gpu, int field) {
    return switch (field) {
      case 74 -> gpu.reasonNanos(SimulatedGpu.POWER_CAP);
      case 75 ->
          gpu.reasonNanos(SimulatedGpu.SOFTWARE_THERMAL)
              + gpu.reasonNanos(SimulatedGpu.HARDWARE_THERMAL);
      case 78 -> gpu.reasonNanos(SimulatedGpu.IDLE);
      case 269 -> gpu.reasonNanos(SimulatedGpu.SOFTWARE_THERMAL);
      case 270 -> gpu.reasonNanos(SimulatedGpu.HARDWARE_THERMAL);
      case 271 -> gpu.reasonNanos(SimulatedGpu.POWER_BRAKE);
      default -> 0;
    };
  }
}
