package io.fleetgauge.gateway.ingest.host;

/**
 * Limits of the memory that dictionaries of runs take, bytes.
 *
 * @param ofHost above it the dictionaries of the host that were used longest ago are dropped; their
 *     senders send them again
 * @param ofIdle above it, on all hosts of this gateway, dictionaries that have not been used for
 *     {@link SenderRuns#IDLE_MILLIS} are dropped
 * @param ofAll above it, on all hosts of this gateway, what would add to a dictionary has to wait
 */
record DictionaryLimits(long ofHost, long ofIdle, long ofAll) {
  private static final long LEAST_OF_HOST = 64L << 20;

  static final DictionaryLimits OF_HEAP = ofHeap(Runtime.getRuntime().maxMemory());

  private static DictionaryLimits ofHeap(long heap) {
    return new DictionaryLimits(Math.max(LEAST_OF_HOST, heap / 16), heap / 8, heap / 2);
  }
}
