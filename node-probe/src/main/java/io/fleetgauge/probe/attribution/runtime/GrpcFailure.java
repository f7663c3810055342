package io.fleetgauge.probe.attribution.runtime;

import java.nio.file.Path;

/** Why a call gave no answer that can be used. */
public final class GrpcFailure extends Exception {
  private static final long serialVersionUID = 1L;

  private final Kind kind;
  private final int status;

  /** Where it went wrong. */
  public enum Kind {
    /** Nobody listens. */
    UNREACHABLE,
    /** The connection broke, or the deadline passed. */
    NO_ANSWER,
    /** The other side answered with a status. */
    STATUS,
    /** The answer is larger than allowed. */
    TOO_LARGE,
    /** The answer is not one of gRPC. */
    DAMAGED
  }

  /** The status of a method that is not there. */
  public static final int UNIMPLEMENTED = 12;

  private GrpcFailure(Kind kind, int status, String message, Throwable cause) {
    super(message, cause, false, false);
    this.kind = kind;
    this.status = status;
  }

  public static GrpcFailure of(Kind kind, String message) {
    return new GrpcFailure(kind, 0, message, null);
  }

  static GrpcFailure unreachable(Path socket, Throwable cause) {
    return new GrpcFailure(Kind.UNREACHABLE, 0, socket + " cannot be reached: " + cause, cause);
  }

  static GrpcFailure ofStatus(int status, String message) {
    return new GrpcFailure(Kind.STATUS, status, message, null);
  }

  /** The same of a certain call. */
  GrpcFailure in(String call) {
    return new GrpcFailure(kind, status, call + ": " + getMessage(), getCause());
  }

  public Kind kind() {
    return kind;
  }

  /** The status of gRPC, of a failure of the kind {@link Kind#STATUS}. */
  public int status() {
    return status;
  }
}
