package io.fleetgauge.cluster.limits;

import io.fleetgauge.sample.wire.WireException;
import io.fleetgauge.sample.wire.WireReader;
import io.fleetgauge.sample.wire.WireWriter;
import java.util.Map;
import java.util.TreeMap;

/**
 * Note of a query API to the others about its use of shared limits, as the package draws it.
 *
 * @param isWaiting true if it has just joined, and takes only what the others do not use
 * @param budgets by key; those that it neither uses nor lends are left out
 */
record ShareNote(boolean isWaiting, Map<String, Budget> budgets) {
  static final String TOPIC = "limits";

  static final ShareNote NONE = new ShareNote(false, Map.of());

  /** Most limits in a note; those beyond are divided evenly. */
  static final int MAX_BUDGETS = 2_000;

  private static final int VERSION = 1;
  private static final int MAX_NAME = 300;
  private static final int MAX_COUNT = 1_000_000;

  /** Fewest bytes of a budget, and of a loan. */
  private static final int BUDGET_BYTES = 7;

  private static final int LOAN_BYTES = 9;

  /**
   * Use of one limit.
   *
   * @param demand number of queries that would run at once if they could
   * @param running number of queries that run
   * @param allowed number of queries that it lets run at most
   * @param beyond number of queries that run in places that are neither its own nor lent, since
   *     shares shrank
   * @param lent places that others may use, by life
   * @param held places of others that it may use, or that are still in use, by life
   */
  record Budget(
      int demand,
      int running,
      int allowed,
      int beyond,
      Map<Long, Integer> lent,
      Map<Long, Integer> held) {
    static final Budget NONE = new Budget(0, 0, 0, 0, Map.of(), Map.of());
  }

  /** Its budget of one limit. */
  Budget of(String key) {
    return budgets.getOrDefault(key, Budget.NONE);
  }

  byte[] toBytes() {
    WireWriter out = new WireWriter(256).u8(VERSION).u8(isWaiting ? 1 : 0).uvar(budgets.size());
    new TreeMap<>(budgets)
        .forEach(
            (key, budget) -> {
              out.string(key);
              out.uvar(budget.demand()).uvar(budget.running()).uvar(budget.allowed());
              out.uvar(budget.beyond());
              write(out, budget.lent());
              write(out, budget.held());
            });
    return out.toBytes();
  }

  private static void write(WireWriter out, Map<Long, Integer> places) {
    out.uvar(places.size());
    new TreeMap<>(places).forEach((life, count) -> out.u64(life).uvar(count));
  }

  /**
   * @throws WireException if the bytes are not a note of this version
   */
  static ShareNote fromBytes(byte[] bytes) throws WireException {
    WireReader in = new WireReader(bytes);
    in.version(VERSION, "a note");
    boolean isWaiting = in.flag("whether it waits");
    Map<String, Budget> budgets = new TreeMap<>();
    int count = in.count(BUDGET_BYTES, "the number of budgets");
    if (count > MAX_BUDGETS) {
      throw new WireException(count + " budgets in a note; at most " + MAX_BUDGETS);
    }
    for (int i = 0; i < count; i++) {
      String key = in.string("a budget's key");
      if (key.length() > MAX_NAME) {
        throw new WireException("a key of " + key.length() + " characters; at most " + MAX_NAME);
      }
      budgets.put(
          key,
          new Budget(
              in.uint(MAX_COUNT, "a demand"),
              in.uint(MAX_COUNT, "a number of running queries"),
              in.uint(MAX_COUNT, "a share"),
              in.uint(MAX_COUNT, "a number of queries beyond it"),
              places(in),
              places(in)));
    }
    in.end("the note");
    return new ShareNote(isWaiting, budgets);
  }

  private static Map<Long, Integer> places(WireReader in) throws WireException {
    Map<Long, Integer> places = new TreeMap<>();
    for (int i = in.count(LOAN_BYTES, "the number of loans"); i > 0; i--) {
      places.put(in.u64("a life"), in.uint(MAX_COUNT, "a number of places"));
    }
    return places;
  }
}
