package io.fleetgauge.cluster.bus;

/**
 * A query that some query API runs.
 *
 * @param id unique in the cluster
 * @param text the query, cut to {@link #MAX_TEXT} characters
 * @param state planning, waiting or running
 * @param millis how long it has been running
 * @param series how many series it reads
 * @param samples how many samples it reads
 */
public record RemoteQuery(
    long id, String tenant, String text, String state, long millis, long series, long samples) {
  /** Longer queries are cut. */
  public static final int MAX_TEXT = 2_000;

  public RemoteQuery {
    text = text.length() > MAX_TEXT ? text.substring(0, MAX_TEXT) : text;
  }
}
