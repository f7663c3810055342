package io.fleetgauge.runtime.terminal;

/** Ends a command; the message says what is wrong, and what to do. */
public class CommandFailure extends Exception {
  private static final long serialVersionUID = 1L;

  public CommandFailure(String message) {
    super(message);
  }

  public CommandFailure(String message, Throwable cause) {
    super(message, cause);
  }
}
