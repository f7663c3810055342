package io.fleetgauge.load.chaos;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** Queries the number of hosts continuously and keeps every answer that misses some. */
final class Watch implements AutoCloseable {
  private static final long PAUSE_MILLIS = 40;

  /**
   * The answers of an interval.
   *
   * @param queries how many queries were sent
   * @param failed how many failed
   * @param silent how many missed a host without a warning
   * @param said how many missed a host and had a warning
   * @param longestMillis the longest duration of a query
   */
  record Observation(long queries, long failed, long silent, long said, long longestMillis) {
    /** Tells whether no query failed, and none missed a host without saying so. */
    boolean isHonest() {
      return failed == 0 && silent == 0;
    }

    boolean isWhole() {
      return isHonest() && said == 0;
    }

    @Override
    public String toString() {
      return queries
          + " queries: "
          + failed
          + " failed, "
          + silent
          + " silently incomplete, "
          + said
          + " incomplete with a warning, longest "
          + longestMillis
          + " ms";
    }
  }

  private final ChaosFleet fleet;
  private final String query;
  private final int hosts;
  private final Thread thread;
  private final List<String> notes = new ArrayList<>();
  private volatile boolean closing;
  private Observation seen = new Observation(0, 0, 0, 0, 0);

  /**
   * @param query the id of the query API
   * @param hosts how many hosts an answer should count
   */
  Watch(ChaosFleet fleet, String query, int hosts) {
    this.fleet = fleet;
    this.query = query;
    this.hosts = hosts;
    this.thread = Thread.ofPlatform().daemon().name("watch").start(this::run);
  }

  private void run() {
    while (!closing) {
      long began = System.nanoTime();
      try {
        JsonNode answer = fleet.query(query, "count(chaos_value)");
        long count = ChaosFleet.value(answer);
        boolean warned = answer.has("warnings");
        note(began, false, count != hosts, warned, answer.toString());
        TimeUnit.MILLISECONDS.sleep(PAUSE_MILLIS);
      } catch (IOException e) {
        note(began, true, false, false, e.toString());
      } catch (InterruptedException e) {
        return;
      }
    }
  }

  private synchronized void note(
      long began, boolean failed, boolean shorter, boolean warned, String text) {
    long millis = TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - began);
    seen =
        new Observation(
            seen.queries + 1,
            seen.failed + (failed ? 1 : 0),
            seen.silent + (shorter && !warned ? 1 : 0),
            seen.said + (warned ? 1 : 0),
            Math.max(seen.longestMillis, millis));
    if ((failed || shorter || warned) && notes.size() < 5) {
      notes.add(text);
    }
  }

  /** The answers since the last call. */
  synchronized Observation take() {
    Observation before = seen;
    seen = new Observation(0, 0, 0, 0, 0);
    return before;
  }

  /** The longest duration of a query since the last call of {@link #take}, ms. */
  synchronized long longestMillis() {
    return seen.longestMillis;
  }

  /** Some of the incomplete answers. */
  synchronized List<String> notes() {
    List<String> all = List.copyOf(notes);
    notes.clear();
    return all;
  }

  @Override
  public void close() {
    closing = true;
    thread.interrupt();
  }
}
