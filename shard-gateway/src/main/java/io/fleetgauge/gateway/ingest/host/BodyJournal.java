package io.fleetgauge.gateway.ingest.host;

import java.util.function.Consumer;

/** The journal as one host writes to it. */
interface BodyJournal {
  /**
   * Appends what the session just took.
   *
   * @param newest time of its newest sample, ms
   * @param forced whether it counts as kept only when it is on the disk
   * @param done is given, on any thread, whether it is kept
   */
  void write(byte[] body, long newest, boolean forced, Consumer<Boolean> done);

  /**
   * Waits until all that was taken before is on the disk, so that another gateway may remove it.
   *
   * @param done is given, on any thread, whether it is
   */
  void barrier(Consumer<Boolean> done);
}
