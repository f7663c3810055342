package io.fleetgauge.query.peers;

import io.fleetgauge.query.answer.RunningQuery;
import io.fleetgauge.sample.wire.WireException;
import io.fleetgauge.sample.wire.WireReader;
import io.fleetgauge.sample.wire.WireWriter;
import java.util.ArrayList;
import java.util.List;

/**
 * A query that some query API runs.
 *
 * <pre>
 * queries = count:uvar (id:uvar tenant:string text:string state:string
 *           millis:uvar series:uvar samples:uvar)*
 * </pre>
 *
 * @param id unique in the cluster
 * @param text the query, cut to {@link #MAX_TEXT} characters
 * @param state planning, waiting or running
 * @param millis time for which it has been running
 * @param series number of series that it reads
 * @param samples number of samples that it reads
 */
public record RemoteQuery(
    long id, String tenant, String text, String state, long millis, long series, long samples) {
  /** Longer queries are cut. */
  public static final int MAX_TEXT = 2_000;

  /** Most queries that one query API tells another. */
  static final int MAX_QUERIES = 200;

  private static final int QUERY_BYTES = 7;

  public RemoteQuery {
    text = text.length() > MAX_TEXT ? text.substring(0, MAX_TEXT) : text;
  }

  /**
   * A query of this process as others see it.
   *
   * @param now as {@link System#nanoTime} counts
   */
  public static RemoteQuery of(RunningQuery query, long now) {
    return new RemoteQuery(
        query.id(),
        query.tenant(),
        query.text(),
        query.state().text,
        Math.max(0, (now - query.begun()) / 1_000_000),
        query.cost().series(),
        query.cost().samples());
  }

  /** The bytes of queries; of too many, those that come first. */
  public static byte[] toBytes(List<RemoteQuery> queries) {
    int count = Math.min(queries.size(), MAX_QUERIES);
    WireWriter out = new WireWriter(256).uvar(count);
    for (RemoteQuery query : queries.subList(0, count)) {
      out.uvar(query.id).string(query.tenant).string(query.text).string(query.state);
      out.uvar(query.millis).uvar(query.series).uvar(query.samples);
    }
    return out.toBytes();
  }

  /**
   * @throws WireException if the bytes are not queries
   */
  public static List<RemoteQuery> fromBytes(byte[] bytes) throws WireException {
    WireReader in = new WireReader(bytes);
    List<RemoteQuery> queries = new ArrayList<>();
    for (int i = in.count(QUERY_BYTES, "the number of queries"); i > 0; i--) {
      queries.add(
          new RemoteQuery(
              in.uvar("a query's id"),
              in.string("a tenant"),
              in.string("a query"),
              in.string("a state"),
              in.uvar("a duration"),
              in.uvar("a number of series"),
              in.uvar("a number of samples")));
    }
    in.end("the queries");
    return queries;
  }
}
