package io.fleetgauge.query.answer;

import io.fleetgauge.query.fanout.Cancellation;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.atomic.AtomicLong;

/** The queries that are being answered. Safe for all threads. */
public final class Running {
  private final AtomicLong last = new AtomicLong();
  private final Map<Long, Entry> entries = new ConcurrentSkipListMap<>();

  /** A query that is being answered. */
  public static final class Entry {
    private final long id;
    private final Ask ask;
    private final long begun;
    private final Cancellation cancellation;
    private volatile Cost cost = Cost.NONE;
    private volatile String state = "planning";

    private Entry(long id, Ask ask, long begun, Cancellation cancellation) {
      this.id = id;
      this.ask = ask;
      this.begun = begun;
      this.cancellation = cancellation;
    }

    public long id() {
      return id;
    }

    public Ask ask() {
      return ask;
    }

    /** As {@link System#nanoTime} counts. */
    public long begun() {
      return begun;
    }

    public Cost cost() {
      return cost;
    }

    /** planning, waiting or running. */
    public String state() {
      return state;
    }

    void is(String newState) {
      state = newState;
    }

    void costs(Cost newCost) {
      cost = newCost;
    }
  }

  Entry begin(Ask ask, Cancellation cancellation) {
    Entry entry = new Entry(last.incrementAndGet(), ask, System.nanoTime(), cancellation);
    entries.put(entry.id, entry);
    return entry;
  }

  void end(Entry entry) {
    entries.remove(entry.id);
  }

  /** In the order of their coming. */
  public List<Entry> all() {
    return List.copyOf(entries.values());
  }

  /** Ends a query for all who wait for it. Says whether there was one of this number. */
  public boolean cancel(long id) {
    Entry entry = entries.get(id);
    if (entry != null) {
      entry.cancellation.cancel();
    }
    return entry != null;
  }
}
