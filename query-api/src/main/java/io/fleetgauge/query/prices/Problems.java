package io.fleetgauge.query.prices;

import java.util.ArrayList;
import java.util.List;

/** What of a file is left out: the first ones by name, and how many. */
final class Problems {
  private static final int MOST_NAMED = 20;

  private final List<String> named = new ArrayList<>();
  private int count;

  void add(String problem) {
    count++;
    if (named.size() < MOST_NAMED) {
      named.add(problem);
    }
  }

  <T> RateFile.Content<T> content(T value) {
    return new RateFile.Content<>(value, count, named);
  }
}
