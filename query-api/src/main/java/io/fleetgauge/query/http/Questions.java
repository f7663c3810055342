package io.fleetgauge.query.http;

import io.fleetgauge.cluster.config.QueryConfig;
import io.fleetgauge.promql.expr.Expr;
import io.fleetgauge.promql.expr.Feature;
import io.fleetgauge.promql.plan.Planner;
import io.fleetgauge.promql.query.Query;
import io.fleetgauge.promql.query.QueryFailure;
import io.fleetgauge.promql.syntax.ParseException;
import io.fleetgauge.promql.syntax.ParseOptions;
import io.fleetgauge.promql.syntax.Parser;
import io.fleetgauge.query.answer.Answered;
import io.fleetgauge.query.answer.Answering;
import io.fleetgauge.query.answer.Ask;
import io.fleetgauge.query.answer.Completeness;
import io.fleetgauge.query.fanout.Cancellation;
import io.fleetgauge.query.fanout.Gathered;
import io.vertx.core.Future;
import io.vertx.ext.web.RoutingContext;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.LongSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Has queries answered for whoever asks by whatever face, within the asker's scope and limits. */
public final class Questions {
  private static final Logger LOG = LoggerFactory.getLogger(Questions.class);
  private static final String COMPLETENESS = "X-Fleetgauge-Completeness";
  private static final int MOST_NAMES = 10;

  private final QueryConfig config;
  private final Answering answering;
  private final QueryCounts counts;
  private final LongSupplier clock;
  private final Set<Feature> features;

  /**
   * A query; times and lengths in ms.
   *
   * @param step 0 for an instant query
   * @param cached whether what was answered before may be taken
   * @param strict whether an answer that misses hosts is an error
   */
  public record Question(
      String text,
      long start,
      long end,
      long step,
      long lookback,
      long timeoutMillis,
      Planner.Mode mode,
      boolean cached,
      boolean strict) {}

  public Questions(
      QueryConfig config, Answering answering, QueryCounts counts, LongSupplier clock) {
    this.config = config;
    this.answering = answering;
    this.counts = counts;
    this.clock = clock;
    this.features = Feature.named(config.features());
  }

  /**
   * Says in a header what a scrape or a read covers, whose bodies have no place for it; where that
   * must be all, a hole is an error.
   */
  public static Optional<QueryFailure> complete(
      RoutingContext http, Gathered<?> found, boolean named, boolean strict) {
    int missing = found.missing().size();
    int shown = named ? Math.min(MOST_NAMES, missing) : 0;
    http.response()
        .putHeader(
            COMPLETENESS,
            "hosts="
                + found.hosts()
                + "; answered="
                + (found.hosts() - missing)
                + "; missing="
                + String.join(",", found.missing().subList(0, shown))
                + (missing > shown ? (shown > 0 ? ",..." : "...") : "")
                + "; epoch="
                + found.epoch());
    List<String> holes = found.warnings(named);
    return strict && !holes.isEmpty()
        ? Optional.of(
            new QueryFailure(
                QueryFailure.Kind.UNAVAILABLE,
                String.join("; ", holes) + "; a whole answer was asked for (strict)"))
        : Optional.empty();
  }

  /** What ends the work for a request when whoever sent it goes away. */
  public static Cancellation cancelledWith(RoutingContext http) {
    Cancellation cancellation = new Cancellation();
    http.response().closeHandler(closed -> cancellation.cancel());
    return cancellation;
  }

  public Future<Answered> ask(
      RoutingContext http, Asker asker, Question question, Cancellation cancellation) {
    Ask.Key key =
        new Ask.Key(
            asker.tenant(),
            asker.scope(),
            question.text,
            question.start,
            question.end,
            question.step,
            question.lookback,
            question.mode,
            question.strict);
    long begin = System.nanoTime();
    int connection = System.identityHashCode(http.request().connection());
    Future<Optional<Answered>> known =
        question.cached
            ? answering.known(key, connection)
            : Future.succeededFuture(Optional.empty());
    return known
        .compose(
            found -> {
              if (found.isPresent()) {
                return Future.succeededFuture(found.get());
              }
              try {
                return answering.answer(asked(asker, question), cancellation);
              } catch (QueryFailure e) {
                return Future.failedFuture(e);
              }
            })
        .compose(answered -> complete(http, answered, question.strict, asker.isAll()))
        .onComplete(
            done -> {
              answering.answered(connection);
              account(
                  asker.tenant(),
                  question.text,
                  (System.nanoTime() - begin) / 1_000_000,
                  done.result());
            });
  }

  private Ask asked(Asker asker, Question question) throws QueryFailure {
    Query query =
        new Query(
            question.text,
            parsed(question.text, features, question.end - question.start, question.step),
            question.start,
            question.end,
            question.step,
            Query.Settings.STOCK
                .withLookback(question.lookback)
                .withMaxSamples(asker.grant().limits().samples())
                .withFeatures(features));
    return new Ask(
        asker.tenant(),
        asker.grant().limits(),
        query,
        asker.scope(),
        question.mode,
        question.cached,
        question.strict,
        question.timeoutMillis);
  }

  public static Expr parsed(String text, Set<Feature> features, long range, long step)
      throws QueryFailure {
    try {
      return Parser.parse(text, new ParseOptions(features, range, step));
    } catch (ParseException e) {
      throw Parameters.invalid("query", e.getMessage());
    }
  }

  /**
   * Says what the answer covers; where that must be all, a hole is an error.
   *
   * @param named whether the asker may know the names of all hosts
   */
  private Future<Answered> complete(
      RoutingContext http, Answered answered, boolean strict, boolean named) {
    Completeness of = answered.completeness();
    List<String> names = of.missing();
    int shown = named ? Math.min(MOST_NAMES, names.size()) : 0;
    String missing = String.join(",", names.subList(0, shown));
    http.response()
        .putHeader(
            COMPLETENESS,
            "hosts="
                + of.expected()
                + "; answered="
                + (of.expected() - names.size())
                + "; missing="
                + missing
                + (names.size() > shown ? (shown > 0 ? ",..." : "...") : "")
                + "; watermark-age="
                + (of.watermark() == Long.MIN_VALUE
                    ? "unknown"
                    : Math.max(0, clock.getAsLong() - of.watermark()) + "ms")
                + "; epoch="
                + of.epoch());
    return strict && !of.isWhole()
        ? Future.failedFuture(
            new QueryFailure(
                QueryFailure.Kind.UNAVAILABLE,
                String.join("; ", of.warnings()) + "; a whole answer was asked for (strict)"))
        : Future.succeededFuture(answered);
  }

  private void account(String tenant, String text, long millis, Answered answered) {
    counts.answered(millis);
    if (millis >= config.slowWarn().toMillis()) {
      String cost = answered == null ? "unknown" : answered.trace().estimated().toString();
      String plan = answered == null ? "none" : answered.trace().plan().strip();
      String line = "slow query, {} ms, tenant {}, cost {}: {}; plan: {}";
      if (millis >= config.slowError().toMillis()) {
        LOG.error(line, millis, tenant, cost, text, plan);
      } else {
        LOG.warn(line, millis, tenant, cost, text, plan);
      }
    }
  }
}
