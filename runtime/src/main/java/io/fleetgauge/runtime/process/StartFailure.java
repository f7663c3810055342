package io.fleetgauge.runtime.process;

/** Why a process cannot start, in words for the person who started it. */
public final class StartFailure extends Exception {
  private static final long serialVersionUID = 1L;

  public StartFailure(String message) {
    super(message);
  }

  public StartFailure(String message, Throwable cause) {
    super(message, cause);
  }
}
