package io.fleetgauge.gateway.store.block;

/** Bytes on disk that are not what was written; the message names the file and where in it. */
public final class DamagedBlock extends Exception {
  private static final long serialVersionUID = 1L;

  public DamagedBlock(String message) {
    super(message);
  }
}
