package io.fleetgauge.query.clusters;

import java.util.LinkedHashMap;
import java.util.Map;

/** One number for the epochs of several clusters, and a choice of hosts. Thread-safe. */
final class Epochs {
  private static final int KEPT = 256;

  private final Map<State, Long> numbers = new LinkedHashMap<>();
  private long last;

  /** Epochs by cluster, and the number of a choice. */
  private record State(Map<String, Long> epochs, long choice) {}

  /** The number: the same for the same epochs, as long as few others come between. */
  synchronized long of(Map<String, Long> epochs, long choice) {
    Long known = numbers.get(new State(epochs, choice));
    if (known != null) {
      return known;
    }
    if (numbers.size() == KEPT) {
      numbers.remove(numbers.keySet().iterator().next());
    }
    numbers.put(new State(Map.copyOf(epochs), choice), ++last);
    return last;
  }
}
