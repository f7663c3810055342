package io.fleetgauge.probe.sampling;

import java.time.Duration;

/**
 * Series that are read together.
 *
 * @param period time between two readings; at the first tick after it has passed they are due
 */
public record TickClass(Duration period) {
  boolean isDue(long time, long lastRead) {
    long millis = period.toMillis();
    return Math.floorDiv(time, millis) != Math.floorDiv(lastRead, millis);
  }
}
