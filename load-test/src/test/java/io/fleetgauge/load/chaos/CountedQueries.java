package io.fleetgauge.load.chaos;

import io.fleetgauge.cluster.limits.LocalQueries;
import io.vertx.core.json.JsonArray;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Map;

/**
 * Queries of one tenant that take a while and do nothing else. Notes when how many of them ran, by
 * the clock that all processes of a machine share.
 */
final class CountedQueries implements LocalQueries {
  static final int QUERY_MILLIS = 40;
  private static final int MAX_LINES = 100_000;

  private record Line(long nanos, int count) {}

  private final Deque<Long> ends = new ArrayDeque<>();
  private final Deque<Line> timeline = new ArrayDeque<>();
  private int wanted;

  synchronized void wants(int queries) {
    wanted = queries;
  }

  /** Ends what is done and starts what is allowed. */
  synchronized void run(int allowed) {
    long now = System.nanoTime();
    while (!ends.isEmpty() && ends.element() <= now) {
      ends.remove();
    }
    while (ends.size() < Math.min(wanted, allowed)) {
      ends.add(now + QUERY_MILLIS * 1_000_000L);
    }
    if (timeline.isEmpty() || timeline.getLast().count != ends.size()) {
      timeline.add(new Line(now, ends.size()));
      if (timeline.size() > MAX_LINES) {
        timeline.remove();
      }
    }
  }

  synchronized int count() {
    return ends.size();
  }

  /** Pairs of a time in ns and how many ran from then on. */
  synchronized JsonArray timeline() {
    JsonArray lines = new JsonArray();
    timeline.forEach(line -> lines.add(new JsonArray().add(line.nanos).add(line.count)));
    return lines;
  }

  @Override
  public synchronized Map<String, Use> uses() {
    return wanted == 0 && ends.isEmpty()
        ? Map.of()
        : Map.of(BusMember.TENANT, new Use(ends.size(), Math.max(0, wanted - ends.size())));
  }

  @Override
  public synchronized Use all() {
    return new Use(ends.size(), 0);
  }

  @Override
  public void sharesChanged() {}
}
