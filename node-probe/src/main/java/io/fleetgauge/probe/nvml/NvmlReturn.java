package io.fleetgauge.probe.nvml;

/** Return codes of the driver that are handled differently. */
public final class NvmlReturn {
  public static final int SUCCESS = 0;
  public static final int UNINITIALIZED = 1;
  public static final int INVALID_ARGUMENT = 2;
  public static final int NOT_SUPPORTED = 3;
  public static final int NO_PERMISSION = 4;
  public static final int NOT_FOUND = 6;
  public static final int INSUFFICIENT_SIZE = 7;
  public static final int DRIVER_NOT_LOADED = 9;
  public static final int TIMEOUT = 10;
  public static final int FUNCTION_NOT_FOUND = 13;
  public static final int GPU_IS_LOST = 15;
  public static final int LIB_RM_VERSION_MISMATCH = 18;
  public static final int ARGUMENT_VERSION_MISMATCH = 25;
  public static final int DEPRECATED = 26;
  public static final int UNKNOWN = 999;

  private NvmlReturn() {}

  /**
   * Tells whether the same call on the same GPU would answer the same for as long as it is there.
   */
  public static boolean isForGood(int code) {
    return switch (code) {
      case INVALID_ARGUMENT,
          NOT_SUPPORTED,
          FUNCTION_NOT_FOUND,
          ARGUMENT_VERSION_MISMATCH,
          DEPRECATED ->
          true;
      default -> false;
    };
  }

  /** Tells whether the library as a whole must be initialised anew. */
  public static boolean isLibraryWide(int code) {
    return switch (code) {
      case UNINITIALIZED, DRIVER_NOT_LOADED, LIB_RM_VERSION_MISMATCH -> true;
      default -> false;
    };
  }
}
