package io.fleetgauge.probe.attribution.kubelet;

/** Why the kubelet gave no answer that can be used. */
final class KubeletFailure extends Exception {
  private static final long serialVersionUID = 1L;

  private final Kind kind;

  /** Advice on it. */
  enum Kind {
    /** Nobody listens: the kubelet restarts, or the folder is not mounted. */
    UNREACHABLE,
    /** The connection broke, or the deadline passed. */
    NO_ANSWER,
    /** The kubelet says that it is asked too often. */
    RATE_LIMITED,
    /** The kubelet does not have the call, or it is switched off. */
    UNKNOWN_CALL,
    /** There is no such pod. */
    NOT_FOUND,
    /** Any other status of the kubelet. */
    REFUSED,
    /** The answer is larger than allowed. */
    TOO_LARGE,
    /** The answer is not one of the API. */
    DAMAGED
  }

  KubeletFailure(Kind kind, String message) {
    super(message, null, false, false);
    this.kind = kind;
  }

  Kind kind() {
    return kind;
  }
}
