package io.fleetgauge.cluster.limits;

import java.util.Map;

/** The queries of this query API. Its methods are called on an event loop and must not wait. */
public interface LocalQueries {
  /** Numbers of queries that run and wait now, by tenant; tenants without any are left out. */
  Map<String, Use> uses();

  /**
   * Number of queries of all tenants that are accepted now, and of those that were refused for lack
   * of a place since this was last asked.
   */
  Use all();

  /** More queries may be allowed now: those that wait are to be looked at again. */
  void sharesChanged();

  /**
   * Use of a limit.
   *
   * @param running queries that count against the limit now
   * @param waiting queries that would count too if they were allowed
   */
  record Use(int running, int waiting) {}
}
