package io.fleetgauge.query.inventory;

import io.fleetgauge.cluster.status.HostSilence;
import io.fleetgauge.promql.expr.Matcher;
import io.fleetgauge.promql.lookup.HostState;
import io.fleetgauge.promql.query.Answer;
import io.fleetgauge.promql.query.Selection;
import io.fleetgauge.query.answer.Evaluated;
import io.fleetgauge.query.answer.Reply;
import io.fleetgauge.query.answer.Request;
import io.fleetgauge.sample.Labels;
import io.fleetgauge.sample.Series;
import io.fleetgauge.sample.Staleness;
import io.fleetgauge.sample.frame.PseudoHosts;
import io.vertx.core.Future;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.TreeSet;

/** Reads what an inventory is made of. */
public final class InventoryReader {
  private static final String NAMES = String.join("|", new TreeSet<>(Observed.METRICS));
  private static final String NOW = "{__name__=~\"" + NAMES + "\"}";
  private static final String PEAKS =
      "max_over_time(" + Inventory.GPUS + "{state=\"present\"}[1d])";
  private static final String DOMAINS = "last_over_time(" + Inventory.DOMAIN_INFO + "[1h])";

  /** A silent host's samples of this long before its last one are read. */
  private static final long LAST_MILLIS = 120_000;

  /** Silent hosts whose last samples are as near as this are read together. */
  private static final long TOGETHER_MILLIS = 60_000;

  private final Duration lookback;
  private final Duration keep;

  /** Makes requests, as the caller that it is for. */
  public interface Source {
    <T> Future<Reply<T>> ask(Request<T> request);
  }

  /**
   * @param lookback maximum age of a newest sample
   * @param keep hosts that have been silent for longer are not read
   */
  public InventoryReader(Duration lookback, Duration keep) {
    this.lookback = lookback;
    this.keep = keep;
  }

  /** Hosts that have been silent for longer are not read. */
  public Duration keep() {
    return keep;
  }

  /**
   * @param now ms since the epoch
   */
  public Future<Observed> read(Source source, long now) {
    Future<Reply<List<HostState>>> states = source.ask(new Request.HostStates());
    Future<Reply<Evaluated>> newest = source.ask(at(NOW, now));
    Future<Reply<Evaluated>> peaks = source.ask(at(PEAKS, now));
    Future<Reply<Evaluated>> domains = source.ask(at(DOMAINS, now));
    return Future.all(states, newest, peaks, domains)
        .compose(all -> source.ask(new Request.Samples(silent(states.result().value(), now))))
        .map(
            last -> {
              List<Answer.Sample> samples = new ArrayList<>(samples(newest.result()));
              last.value().forEach(some -> some.forEach(each -> samples.add(last(each))));
              return new Observed(
                  states.result().value(),
                  samples,
                  peaks(samples(peaks.result())),
                  domains(samples(domains.result())));
            });
  }

  private Request.Promql at(String query, long now) {
    return Request.Promql.of(query, now, now, 0, lookback.toMillis());
  }

  private static List<Answer.Sample> samples(Reply<Evaluated> reply) {
    return ((Answer.Vector) reply.value().result()).samples();
  }

  private static Map<String, Integer> peaks(List<Answer.Sample> samples) {
    Map<String, Integer> peaks = new HashMap<>();
    samples.forEach(
        each -> peaks.merge(each.labels().value("Hostname"), (int) each.value(), Math::max));
    return peaks;
  }

  private static Map<String, String> domains(List<Answer.Sample> samples) {
    Map<String, String> domains = new HashMap<>();
    samples.forEach(
        each -> domains.put(each.labels().value("Hostname"), each.labels().value("domain")));
    return domains;
  }

  /** The last samples of the hosts of which {@code lookback} has none any more. */
  private List<Selection> silent(List<HostState> states, long now) {
    Map<Long, List<String>> byTime = new TreeMap<>();
    for (HostState state : states) {
      long age = now - state.newest();
      boolean isRead = state.newest() != Long.MIN_VALUE && age <= keep.toMillis();
      if (isRead
          && !PseudoHosts.isOne(state.name())
          && !HostSilence.isUp(state.newest(), state.tickMillis(), now)) {
        byTime
            .computeIfAbsent(
                Math.floorDiv(state.newest(), TOGETHER_MILLIS), none -> new ArrayList<>())
            .add(state.name());
      }
    }
    List<Selection> selections = new ArrayList<>();
    byTime.forEach(
        (time, hosts) -> {
          long to = (time + 1) * TOGETHER_MILLIS - 1;
          List<String> quoted = hosts.stream().map(InventoryReader::quoted).toList();
          selections.add(
              new Selection(
                  List.of(
                      Matcher.of(Matcher.Kind.REGEX, Labels.NAME, NAMES),
                      Matcher.of(Matcher.Kind.REGEX, "Hostname", String.join("|", quoted))),
                  to - TOGETHER_MILLIS - LAST_MILLIS,
                  to));
        });
    return selections;
  }

  private static String quoted(String text) {
    return text.replaceAll("[^\\p{Alnum}_-]", "\\\\$0");
  }

  /** The last number of a series. */
  private static Answer.Sample last(Series series) {
    int at = series.size() - 1;
    while (at > 0 && Staleness.isMarker(series.values()[at])) {
      at--;
    }
    return new Answer.Sample(series.labels(), series.values()[at]);
  }
}
