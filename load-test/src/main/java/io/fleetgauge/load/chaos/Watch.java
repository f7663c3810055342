package io.fleetgauge.load.chaos;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** Asks all the time how many hosts there are, and remembers every answer that is not all. */
final class Watch implements AutoCloseable {
  private static final long PAUSE_MILLIS = 40;

  /**
   * What was seen since a moment.
   *
   * @param queries how many were asked
   * @param failed were no answers
   * @param silent missed a host and did not say so
   * @param said missed a host and said so
   * @param longestMillis the longest that one took
   */
  record Seen(long queries, long failed, long silent, long said, long longestMillis) {
    boolean isWhole() {
      return failed == 0 && silent == 0 && said == 0;
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
          + " short and said so, longest "
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
  private Seen seen = new Seen(0, 0, 0, 0, 0);

  /**
   * @param query the id of the query API that is asked
   * @param hosts how many there should be
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
        int count = answer.path("data").path("result").path(0).path("value").path(1).asInt();
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
        new Seen(
            seen.queries + 1,
            seen.failed + (failed ? 1 : 0),
            seen.silent + (shorter && !warned ? 1 : 0),
            seen.said + (warned ? 1 : 0),
            Math.max(seen.longestMillis, millis));
    if ((failed || shorter || warned) && notes.size() < 5) {
      notes.add(text);
    }
  }

  /** What was seen since this was called before. */
  synchronized Seen take() {
    Seen before = seen;
    seen = new Seen(0, 0, 0, 0, 0);
    return before;
  }

  /** The longest that a query took since all was taken last, ms. */
  synchronized long longestMillis() {
    return seen.longestMillis;
  }

  /** Some of the answers that were not whole. */
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
