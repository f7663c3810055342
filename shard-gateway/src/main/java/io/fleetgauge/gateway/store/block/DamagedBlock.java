package io.fleetgauge.gateway.store.block;

/** A file whose bytes are not those that were written; the message names file and position. */
public final class DamagedBlock extends Exception {
  private static final long serialVersionUID = 1L;

  public DamagedBlock(String message) {
    super(message);
  }
}
