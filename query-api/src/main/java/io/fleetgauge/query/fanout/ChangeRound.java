package io.fleetgauge.query.fanout;

import io.fleetgauge.cluster.table.ClusterView;
import io.fleetgauge.promql.fragment.ChangesQuestion;
import io.fleetgauge.query.fleet.Changes;
import io.fleetgauge.sample.frame.SilentHosts;
import io.vertx.core.Future;
import java.net.URI;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Asks every gateway once what has changed there, and makes one report of what they answer. */
final class ChangeRound {
  private static final Logger LOG = LoggerFactory.getLogger(ChangeRound.class);

  private final Asking asking;

  /** Asks one gateway. */
  @FunctionalInterface
  interface Asking {
    Future<ChangesQuestion.Answer> ask(URI gateway, ChangesQuestion.Since since);
  }

  /** Last report of a gateway. */
  private record Said(ChangesQuestion.Since since, long watermark) {}

  /**
   * Where the next look continues.
   *
   * @param view that the gateways were asked by
   * @param said last reports of the gateways, without those that failed
   * @param readers the gateway that is read first, by host
   */
  private record Position(ClusterView view, Map<URI, Said> said, Map<String, URI> readers) {
    static final Position FIRST = new Position(ClusterView.EMPTY, Map.of(), Map.of());

    static Position of(Optional<Changes> last) {
      return last.map(each -> (Position) each.position()).orElse(FIRST);
    }

    /** A gateway that is gone is not read any more, though the table may still name it. */
    Map<String, URI> readers(ClusterView now) {
      return view == now ? readers : firstReaders(now);
    }
  }

  ChangeRound(Asking asking) {
    this.asking = asking;
  }

  /** Where a gateway's next answer has to begin. */
  static ChangesQuestion.Since since(Optional<Changes> last, URI gateway) {
    Said said = Position.of(last).said.get(gateway);
    return said == null ? ChangesQuestion.Since.START : said.since;
  }

  Future<Changes> look(ClusterView view, Optional<Changes> last) {
    List<URI> gateways = List.copyOf(view.gateways().values());
    List<Future<ChangesQuestion.Answer>> asked = new ArrayList<>();
    for (URI gateway : gateways) {
      asked.add(asking.ask(gateway, since(last, gateway)));
    }
    return Future.join(asked)
        .transform(
            done -> {
              Map<URI, ChangesQuestion.Answer> answers = new HashMap<>();
              List<URI> failed = new ArrayList<>();
              for (int i = 0; i < gateways.size(); i++) {
                if (asked.get(i).succeeded()) {
                  answers.put(gateways.get(i), asked.get(i).result());
                } else {
                  LOG.debug(
                      "gateway {} did not report changes", gateways.get(i), asked.get(i).cause());
                  failed.add(gateways.get(i));
                }
              }
              return Future.succeededFuture(report(view, answers, failed, last));
            });
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

  /**
   * One report.
   *
   * @param view that the gateways were asked by
   * @param answers by gateway; those that are not here were not asked
   * @param failed the gateways that were asked and did not answer
   * @param last the look that they were asked to continue
   */
  static Changes report(
      ClusterView view,
      Map<URI, ChangesQuestion.Answer> answers,
      Collection<URI> failed,
      Optional<Changes> last) {
    Position before = Position.of(last);
    Map<String, URI> readers = before.readers(view);
    // What changes meanwhile at a gateway that does not answer is not known.
    boolean all = !readers.equals(before.readers) || !failed.isEmpty();
    List<Long> buckets = new ArrayList<>();
    Map<URI, Said> said = new HashMap<>(before.said);
    said.keySet().retainAll(view.gateways().values());
    said.keySet().removeAll(failed);
    for (Map.Entry<URI, ChangesQuestion.Answer> each : answers.entrySet()) {
      URI gateway = each.getKey();
      ChangesQuestion.Answer answer = each.getValue();
      ChangesQuestion.Since now = new ChangesQuestion.Since(answer.incarnation(), answer.cursor());
      Said known = said.put(gateway, new Said(now, answer.watermark()));
      all |= known == null || known.since.incarnation() != answer.incarnation();
      for (ChangesQuestion.OfHost host : answer.hosts()) {
        // Of the holders of a host, the samples of its first reader are in the answers.
        if (gateway.equals(readers.get(host.host()))) {
          all |= host.all();
          buckets.addAll(host.buckets());
        }
      }
    }
    return new Changes(
        view.table().epoch(), watermark(said), all, buckets, new Position(view, said, readers));
  }

  /** That of a gateway of which no host sends any more does not count. */
  private static long watermark(Map<URI, Said> said) {
    long most = Long.MIN_VALUE;
    for (Said each : said.values()) {
      most = Math.max(most, each.watermark);
    }
    long watermark = Long.MAX_VALUE;
    for (Said each : said.values()) {
      if (each.watermark != Long.MIN_VALUE && each.watermark > most - SilentHosts.MOST_MILLIS) {
        watermark = Math.min(watermark, each.watermark);
      }
    }
    return watermark == Long.MAX_VALUE ? Long.MIN_VALUE : watermark;
  }
}
