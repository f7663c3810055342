package io.fleetgauge.probe.gpu.reading;

import io.fleetgauge.probe.nvml.NvmlReturn;

/**
 * Support of a GPU for one question. What it does not support is not asked again; what is denied is
 * asked again after a while, because an operator can grant it.
 */
final class Support {
  static final long RETRY_DENIED_NANOS = 300_000_000_000L;

  private boolean unsupported;
  private boolean denied;
  private long deniedAt;

  boolean isUnsupported() {
    return unsupported;
  }

  boolean isDenied() {
    return denied;
  }

  /** Tells whether asking now has a point. */
  boolean isWorthAsking(long now) {
    return !unsupported && (!denied || now - deniedAt >= RETRY_DENIED_NANOS);
  }

  /** Takes the code of an answer. */
  void answered(int code, long now) {
    if (NvmlReturn.isForGood(code)) {
      unsupported = true;
    }
    denied = code == NvmlReturn.NO_PERMISSION;
    if (denied) {
      deniedAt = now;
    }
  }

  void unsupported() {
    unsupported = true;
  }
}
