package io.fleetgauge.query.clusters;

import io.fleetgauge.query.fleet.Changes;
import java.security.SecureRandom;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;

/**
 * Looks for changes of other clusters, by numbers that stand for where the next look continues.
 * After one that is forgotten, anything may have changed. Thread-safe.
 */
final class Looks {
  private static final int KEPT = 4_096;

  private final SecureRandom random = new SecureRandom();
  private final Map<Long, Changes> looks = new LinkedHashMap<>();

  /** The earlier look that a number stands for, if it is known. */
  synchronized Optional<Changes> find(long number) {
    return Optional.ofNullable(looks.get(number));
  }

  /** The same look for another cluster. */
  synchronized Changes numbered(Changes look) {
    if (looks.size() == KEPT) {
      looks.remove(looks.keySet().iterator().next());
    }
    long number = random.nextLong() | 2;
    looks.put(number, look);
    return new Changes(look.epoch(), look.watermark(), look.all(), look.buckets(), number);
  }
}
