package io.fleetgauge.cluster.bus;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.CopyOnWriteArrayList;

/** The queries of one query API in a test: one tenant always wants to run some at once. */
final class QueryLoad implements LocalQueries {
  static final String TENANT = "a";

  private final Random random;
  private final List<Long> ends = new ArrayList<>();
  private final List<RemoteQuery> listed = new CopyOnWriteArrayList<>();
  private final List<String> cancelledBy = new CopyOnWriteArrayList<>();
  private int wanted;
  private long runs;

  QueryLoad(long seed) {
    this.random = new Random(seed);
  }

  synchronized void wants(int queries) {
    wanted = queries;
  }

  /** Ends what is done and starts what is allowed. */
  synchronized void run(QueryPeers peers, int limit) {
    runs++;
    ends.removeIf(end -> end <= runs);
    while (ends.size() < Math.min(wanted, peers.running(TENANT, limit))) {
      ends.add(runs + 1 + random.nextInt(20));
    }
  }

  synchronized int count() {
    return ends.size();
  }

  void lists(RemoteQuery query) {
    listed.add(query);
  }

  List<String> cancelledBy() {
    return cancelledBy;
  }

  @Override
  public synchronized Map<String, Use> uses() {
    return wanted == 0 && ends.isEmpty()
        ? Map.of()
        : Map.of(TENANT, new Use(ends.size(), Math.max(0, wanted - ends.size())));
  }

  @Override
  public synchronized Use all() {
    return new Use(ends.size(), 0);
  }

  @Override
  public List<RemoteQuery> running() {
    return List.copyOf(listed);
  }

  @Override
  public boolean cancel(long query, String askedBy) {
    boolean found = listed.removeIf(each -> each.id() == query);
    if (found) {
      cancelledBy.add(askedBy);
    }
    return found;
  }

  @Override
  public void sharesChanged() {}
}
