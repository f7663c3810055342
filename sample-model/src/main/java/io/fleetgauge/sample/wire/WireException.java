package io.fleetgauge.sample.wire;

/** Bytes that are not what their format says; the message names what, where and which value. */
public class WireException extends Exception {
  private static final long serialVersionUID = 1L;

  public WireException(String message) {
    super(message);
  }
}
