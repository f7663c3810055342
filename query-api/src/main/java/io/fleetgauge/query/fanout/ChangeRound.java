package io.fleetgauge.query.fanout;

import io.fleetgauge.cluster.table.ClusterView;
import io.fleetgauge.promql.fragment.FragmentAnswer;
import io.fleetgauge.query.shards.Changes;
import io.vertx.core.Future;
import java.net.URI;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Asks every gateway once what has changed there, and makes one report of it. */
final class ChangeRound {
  private static final Logger LOG = LoggerFactory.getLogger(ChangeRound.class);
  private static final Cursor START = new Cursor(0, 0);

  private final Source source;

  /** Asks one gateway. */
  @FunctionalInterface
  interface Source {
    /**
     * @param incarnation of the gateway, as it reported last; 0 at first
     * @param since the cursor that it reported last
     */
    Future<FragmentAnswer.Changes> ask(URI gateway, long incarnation, long since);
  }

  /** What a gateway reported last. */
  private record Cursor(long incarnation, long cursor) {}

  /**
   * Where the next look continues.
   *
   * @param view that the gateways were asked by
   * @param cursors of the gateways that answered
   * @param readers the gateway that is read first, by host
   */
  private record Position(ClusterView view, Map<URI, Cursor> cursors, Map<String, URI> readers) {
    static final Position FIRST = new Position(ClusterView.EMPTY, Map.of(), Map.of());
  }

  ChangeRound(Source source) {
    this.source = source;
  }

  Future<Changes> look(ClusterView view, Optional<Changes> last) {
    Position before = last.map(each -> (Position) each.position()).orElse(Position.FIRST);
    // A gateway that is gone is not read any more, though the table may still name it.
    Map<String, URI> readers = view == before.view ? before.readers : firstReaders(view);
    List<URI> gateways = List.copyOf(view.gateways().values());
    List<Future<FragmentAnswer.Changes>> asked = new ArrayList<>();
    for (URI gateway : gateways) {
      Cursor cursor = before.cursors.getOrDefault(gateway, START);
      asked.add(source.ask(gateway, cursor.incarnation, cursor.cursor));
    }
    return Future.join(asked)
        .transform(done -> Future.succeededFuture(report(view, gateways, asked, before, readers)));
  }

  private static Map<String, URI> firstReaders(ClusterView view) {
    Map<String, URI> first = new HashMap<>();
    for (String host : view.table().hosts()) {
      List<URI> all = view.readers(host);
      if (!all.isEmpty()) {
        first.put(host, all.getFirst());
      }
    }
    return first;
  }

  private static Changes report(
      ClusterView view,
      List<URI> gateways,
      List<Future<FragmentAnswer.Changes>> asked,
      Position before,
      Map<String, URI> readers) {
    boolean all = !readers.equals(before.readers);
    long watermark = Long.MAX_VALUE;
    List<Long> buckets = new ArrayList<>();
    Map<URI, Cursor> cursors = new HashMap<>();
    for (int i = 0; i < gateways.size(); i++) {
      URI gateway = gateways.get(i);
      if (asked.get(i).failed()) {
        LOG.debug("gateway {} did not say what changed", gateway, asked.get(i).cause());
        // What changes there meanwhile is not known.
        all = true;
        continue;
      }
      FragmentAnswer.Changes answer = asked.get(i).result();
      Cursor last = before.cursors.get(gateway);
      cursors.put(gateway, new Cursor(answer.incarnation(), answer.cursor()));
      all |= last == null || last.incarnation != answer.incarnation();
      if (answer.watermark() != Long.MIN_VALUE) {
        watermark = Math.min(watermark, answer.watermark());
      }
      for (FragmentAnswer.Changed host : answer.hosts()) {
        // Of the holders of a host, the samples of its first reader are in the answers.
        if (gateway.equals(readers.get(host.host()))) {
          all |= host.all();
          buckets.addAll(host.buckets());
        }
      }
    }
    return new Changes(
        view.table().epoch(),
        watermark == Long.MAX_VALUE ? Long.MIN_VALUE : watermark,
        all,
        buckets,
        new Position(view, cursors, readers));
  }
}
