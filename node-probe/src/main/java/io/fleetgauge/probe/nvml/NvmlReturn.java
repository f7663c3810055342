package io.fleetgauge.probe.nvml;

/** Return codes of the driver that are handled differently. */
final class NvmlReturn {
  static final int SUCCESS = 0;
  static final int UNINITIALIZED = 1;
  static final int NOT_SUPPORTED = 3;
  static final int NO_PERMISSION = 4;
  static final int DRIVER_NOT_LOADED = 9;
  static final int FUNCTION_NOT_FOUND = 13;
  static final int GPU_IS_LOST = 15;
  static final int LIB_RM_VERSION_MISMATCH = 18;
  static final int ARGUMENT_VERSION_MISMATCH = 25;
  static final int DEPRECATED = 26;

  private NvmlReturn() {}

  /** Whether the same call on the same GPU would answer the same for as long as it is there. */
  static boolean isForGood(int code) {
    return switch (code) {
      case NOT_SUPPORTED,
          NO_PERMISSION,
          FUNCTION_NOT_FOUND,
          ARGUMENT_VERSION_MISMATCH,
          DEPRECATED ->
          true;
      default -> false;
    };
  }

  /** Whether the library as a whole must be initialised anew. */
  static boolean isLibraryWide(int code) {
    return switch (code) {
      case UNINITIALIZED, DRIVER_NOT_LOADED, LIB_RM_VERSION_MISMATCH -> true;
      default -> false;
    };
  }
}
