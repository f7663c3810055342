package io.fleetgauge.probe.attribution.kubelet;

import io.fleetgauge.probe.attribution.runtime.GrpcFailure;
import java.util.Locale;

/**
 * The meaning of the kubelet's statuses. It reports what is off or absent with the status of
 * unknown errors, and says it in the message.
 */
final class KubeletStatus {
  private static final int UNKNOWN = 2;
  private static final int NOT_FOUND = 5;

  private KubeletStatus() {}

  /** Tells whether there is no such pod. */
  static boolean isNotFound(Throwable failure) {
    return says(failure, NOT_FOUND, "not found");
  }

  /** Tells whether the kubelet does not have the call, or has it switched off. */
  static boolean isUnknownCall(Throwable failure) {
    return says(failure, GrpcFailure.UNIMPLEMENTED, "disabled") && !isNotFound(failure);
  }

  private static boolean says(Throwable failure, int status, String words) {
    return failure instanceof GrpcFailure known
        && (known.status() == status
            || known.status() == UNKNOWN
                && known.getMessage().toLowerCase(Locale.ROOT).contains(words));
  }
}
