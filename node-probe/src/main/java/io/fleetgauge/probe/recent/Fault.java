package io.fleetgauge.probe.recent;

import io.fleetgauge.sample.Labels;
import java.util.Locale;

/**
 * A fault of a GPU or of the driver.
 *
 * @param xid the code of an XID; else 0
 * @param gpu its labels; empty for a fault of the driver as a whole
 * @param time when it began, ms since the epoch
 */
public record Fault(Kind kind, int xid, Labels gpu, long time) {
  /** What happened. */
  public enum Kind {
    /** An XID after which the GPU or its node has to be drained. */
    XID,
    /** The driver has lost the GPU, or does not count it any more. */
    GPU_LOST,
    /** A driver call has not returned for a minute. */
    DRIVER_HUNG,
    /** The count of uncorrectable ECC errors rose. */
    ECC_UNCORRECTED,
    /** A row of memory could not be remapped. */
    ROW_REMAP_FAILURE,
    /** The driver asks for a recovery. */
    RECOVERY_ACTION;

    private final String text = name().toLowerCase(Locale.ROOT);

    public String text() {
      return text;
    }
  }

  public String uuid() {
    return gpu.value("UUID");
  }

  boolean isLike(Fault other) {
    return kind == other.kind && xid == other.xid && gpu.equals(other.gpu);
  }
}
