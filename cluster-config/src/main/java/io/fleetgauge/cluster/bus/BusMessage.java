package io.fleetgauge.cluster.bus;

import java.util.List;

/** What processes tell each other. Each message is a hint: losing it costs time, never data. */
sealed interface BusMessage {
  /** Every process may send and receive these. */
  sealed interface Hint extends BusMessage {}

  /** Query APIs send these to each other. */
  sealed interface AmongQueryApis extends BusMessage {}

  /** The ownership table has changed. */
  record TableChanged(long epoch) implements Hint {}

  /** The tenants file of the sender has changed. */
  record TenantsChanged() implements Hint {}

  /**
   * What one query API uses of shared limits.
   *
   * @param clock the sender's own clock in ms, which the dealer sends back
   * @param dealer the life of the query API whose grants the sender uses, itself included; 0 while
   *     it uses nobody's
   * @param applied the newest version of that one's grants that the sender has applied before it
   *     counted
   * @param budgets what it uses; those it does not use are left out
   */
  record UsageReport(long clock, long dealer, long applied, List<BudgetUse> budgets)
      implements AmongQueryApis {}

  /**
   * Use of one shared limit.
   *
   * @param key the tenant, or empty for the queries of all tenants
   * @param demand how many queries would run at once if they could
   * @param running how many run
   * @param allowed how many the sender lets run at most
   */
  record BudgetUse(String key, int demand, int running, int allowed) {}

  /**
   * How the dealer has divided the limits.
   *
   * @param version rises with each change
   * @param peers the query APIs that use them
   * @param budgets the limits that are not divided evenly
   */
  record UsageGrants(long version, List<HeardPeer> peers, List<BudgetGrants> budgets)
      implements AmongQueryApis {}

  /**
   * A query API that uses grants.
   *
   * @param life names it
   * @param clock the newest clock that it sent
   */
  record HeardPeer(long life, long clock) {}

  /**
   * The shares of one limit.
   *
   * @param key the tenant, or empty for the queries of all tenants
   * @param shares for each of {@link UsageGrants#peers}, in that order
   */
  record BudgetGrants(String key, List<Integer> shares) {}

  /** Asks all query APIs which queries they run. */
  record QueriesAsked(long request) implements AmongQueryApis {}

  /**
   * Answers {@link QueriesAsked}.
   *
   * @param queries at most {@link MessageForm#MAX_QUERIES}
   */
  record QueriesTold(long request, List<RemoteQuery> queries) implements AmongQueryApis {}

  /**
   * Asks for the query with an id to be cancelled.
   *
   * @param askedBy the tenant of the operator who asks; the sender has checked the right to operate
   */
  record CancelAsked(long request, long query, String askedBy) implements AmongQueryApis {}

  /** Answers {@link CancelAsked}: whether the sender ran that query. */
  record CancelTold(long request, boolean found) implements AmongQueryApis {}

  /** The sender stops. */
  record Leaving() implements AmongQueryApis {}
}
