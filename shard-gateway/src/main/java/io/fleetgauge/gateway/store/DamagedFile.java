package io.fleetgauge.gateway.store;

/** Bytes on disk that are not what was written; the message names the file and where in it. */
final class DamagedFile extends Exception {
  private static final long serialVersionUID = 1L;

  DamagedFile(String message) {
    super(message);
  }
}
