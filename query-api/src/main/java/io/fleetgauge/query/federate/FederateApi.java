package io.fleetgauge.query.federate;

import io.fleetgauge.cluster.config.QueryConfig;
import io.fleetgauge.promql.expr.Matcher;
import io.fleetgauge.promql.fragment.Fragment;
import io.fleetgauge.promql.fragment.FragmentAnswer;
import io.fleetgauge.promql.fragment.ReductionNames;
import io.fleetgauge.promql.query.QueryFailure;
import io.fleetgauge.promql.syntax.ParseException;
import io.fleetgauge.promql.syntax.Parser;
import io.fleetgauge.query.fanout.Fanout;
import io.fleetgauge.query.fanout.Gathered;
import io.fleetgauge.query.http.ApiRoutes;
import io.fleetgauge.query.http.Asker;
import io.fleetgauge.query.http.Body;
import io.fleetgauge.query.http.ConcurrencyLimit;
import io.fleetgauge.query.http.Parameters;
import io.fleetgauge.query.http.Questions;
import io.fleetgauge.sample.gzip.GzipPiece;
import io.fleetgauge.sample.gzip.GzipStream;
import io.fleetgauge.sample.prometheus.ExpositionLine;
import io.fleetgauge.sample.prometheus.ExpositionLines;
import io.vertx.core.Future;
import io.vertx.core.WorkerExecutor;
import io.vertx.core.buffer.Buffer;
import io.vertx.ext.web.RoutingContext;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeSet;
import java.util.function.LongSupplier;

/**
 * {@code GET /federate}: the newest sample of series and of reductions, for another Prometheus to
 * scrape.
 *
 * <p>{@code match[]} as in Prometheus; a selector whose name has a colon means reductions, as
 * {@link ReductionNames} names them. {@code shard=i/n} gives the i-th of n parts, counted from 0.
 */
public final class FederateApi {
  private static final int MOST_AT_ONCE = 8;
  private static final long MARGIN_MILLIS = 250;

  private final QueryConfig config;
  private final Fanout fanout;
  private final WorkerExecutor workers;
  private final LongSupplier clock;
  private final ReductionLines reductionLines = new ReductionLines();
  private final ConcurrencyLimit atOnce = new ConcurrencyLimit(MOST_AT_ONCE, "scrapes");

  /** Part {@code index} of {@code count}. */
  private record Shard(int index, int count) {
    boolean has(String name) {
      return count == 1 || Math.floorMod(name.hashCode() * 0x9E3779B9 >>> 7, count) == index;
    }
  }

  /**
   * @param workers where reductions are written
   */
  public FederateApi(
      QueryConfig config, Fanout fanout, WorkerExecutor workers, LongSupplier clock) {
    this.workers = workers;
    this.config = config;
    this.fanout = fanout;
    this.clock = clock;
  }

  /** What takes lines as gateways sent them. */
  private interface Pieces {
    void write(GzipPiece piece) throws IOException;
  }

  /** All lines of a scrape. */
  private interface Lines {
    /**
     * @param out for what was written here
     * @param pieces for what gateways sent, in the same order
     */
    void write(OutputStream out, Pieces pieces) throws IOException;

    /**
     * @param gzip whether the pieces are packed, and all is to be
     */
    default Body.Encoding writing(boolean gzip) {
      return out -> {
        if (gzip) {
          try (GzipStream packed = new GzipStream(out)) {
            write(packed, packed::write);
          }
        } else {
          write(out, piece -> out.write(piece.bytes(), piece.from(), piece.length()));
        }
      };
    }
  }

  public void mount(ApiRoutes routes) {
    routes.getText("/federate", this::federate);
  }

  private Future<Body> federate(RoutingContext http, Parameters parameters) throws QueryFailure {
    Asker asker = Asker.of(http);
    Shard shard = shard(parameters.text("shard"));
    List<List<Matcher>> selectors = new ArrayList<>();
    List<List<Matcher>> ofReductions = new ArrayList<>();
    for (String text : parameters.selectors()) {
      if (text.replace(" ", "").equals("{}")) {
        continue; // as Prometheus does, when there is nothing else
      }
      try {
        List<Matcher> selector = Parser.parseSelector(text);
        if (ReductionNames.isOfReductions(selector)) {
          ofReductions.add(selector);
        }
        List<Matcher> scoped = new ArrayList<>(asker.scope());
        scoped.addAll(selector);
        selectors.add(scoped);
      } catch (ParseException e) {
        throw Parameters.invalid("match[]", e.getMessage());
      }
    }
    boolean utf8 = takesUtf8(http.request().getHeader("Accept"));
    boolean gzip = ApiRoutes.acceptsGzip(http);
    http.response()
        .putHeader(
            "Content-Type",
            "text/plain; version=0.0.4; charset=utf-8; escaping="
                + (utf8 ? "allow-utf-8" : "underscores"));
    if (selectors.isEmpty()) {
      return Future.succeededFuture(Body.small(Buffer::buffer));
    }
    long now = clock.getAsLong();
    long after = now - config.lookback().toMillis();
    long timeout = timeout(http.request().getHeader("X-Prometheus-Scrape-Timeout-Seconds"));
    Fragment.Newest newest =
        new Fragment.Newest(
            0,
            List.of(),
            selectors,
            after,
            now,
            utf8,
            gzip,
            config.federateSeries(),
            (int) Math.min(Integer.MAX_VALUE, config.federateBytes()));
    Fragment.Reduced reductions =
        new Fragment.Reduced(0, List.of(), ofReductions, asker.scope(), after, now);
    boolean strict = asker.isStrict(parameters);
    return atOnce.run(
        () -> {
          var raw = fanout.newest(newest, shard::has, timeout);
          var reduced =
              ofReductions.isEmpty()
                  ? Future.<Gathered<List<FragmentAnswer.Reductions>>>succeededFuture(null)
                  : fanout.reduced(reductions, timeout);
          return Future.all(raw, reduced)
              .compose(
                  both -> {
                    // Reductions are of all hosts, also in one of several parts.
                    Gathered<?> widest = reduced.result() == null ? raw.result() : reduced.result();
                    Optional<QueryFailure> hole =
                        Questions.complete(http, widest, asker.isAll(), strict);
                    if (hole.isPresent()) {
                      return Future.failedFuture(hole.get());
                    }
                    List<FragmentAnswer.Reductions> found =
                        reduced.result() == null ? List.of() : reduced.result().value();
                    return workers
                        .executeBlocking(
                            () -> lines(raw.result().value(), found, ofReductions, shard, utf8),
                            false)
                        .map(lines -> new Body.Streamed(lines.writing(gzip), gzip));
                  });
        });
  }

  private static Shard shard(String text) throws QueryFailure {
    if (text.isEmpty()) {
      return new Shard(0, 1);
    }
    if (text.matches("\\d{1,4}/\\d{1,4}")) {
      String[] parts = text.split("/");
      Shard shard = new Shard(Integer.parseInt(parts[0]), Integer.parseInt(parts[1]));
      if (shard.index < shard.count) {
        return shard;
      }
    }
    throw Parameters.invalid("shard", "it is \"" + text + "\"; parts are 0/4, 1/4, 2/4 and 3/4");
  }

  private static boolean takesUtf8(String accept) {
    return accept != null && accept.contains("escaping=allow-utf-8");
  }

  /** Whoever scrapes gives up after its timeout; an answer should be there before. */
  private long timeout(String seconds) {
    long most = config.timeout().toMillis();
    if (seconds == null || !seconds.matches("\\d{1,6}(\\.\\d{1,9})?")) {
      return most;
    }
    long millis = (long) (Double.parseDouble(seconds) * 1_000);
    return Math.clamp(millis - Math.min(MARGIN_MILLIS, millis / 10), 1, most);
  }

  /**
   * @throws QueryFailure if it is more than a scrape may have
   */
  private Lines lines(
      SortedMap<String, List<FragmentAnswer.Family>> families,
      List<FragmentAnswer.Reductions> reductions,
      List<List<Matcher>> wanted,
      Shard shard,
      boolean utf8)
      throws QueryFailure {
    long series = 0;
    long bytes = 0;
    SortedMap<String, ExpositionLines> reduced =
        reductionLines.of(reductions, wanted, shard::has, utf8);
    for (ExpositionLines lines : reduced.values()) {
      series += lines.count();
      bytes += lines.size();
    }
    for (List<FragmentAnswer.Family> pieces : families.values()) {
      for (FragmentAnswer.Family piece : pieces) {
        series += piece.series();
        bytes += piece.lines().plainLength();
      }
    }
    if (series > config.federateSeries() || bytes > config.federateBytes()) {
      throw new QueryFailure(
          QueryFailure.Kind.EXECUTION,
          "a scrape of "
              + series
              + " series and "
              + bytes
              + " bytes is more than federate.maxSeries "
              + config.federateSeries()
              + " and federate.maxBytes "
              + config.federateBytes()
              + " allow; match less, or split it with shard=0/2 and shard=1/2");
    }
    TreeSet<String> names = new TreeSet<>(families.keySet());
    names.addAll(reduced.keySet());
    return (out, pieces) -> {
      for (String name : names) {
        out.write(ExpositionLine.type(name, utf8).getBytes(StandardCharsets.UTF_8));
        for (FragmentAnswer.Family piece : families.getOrDefault(name, List.of())) {
          pieces.write(piece.lines());
        }
        ExpositionLines lines = reduced.get(name);
        if (lines != null) {
          out.write(lines.array(), 0, lines.size());
        }
      }
    };
  }
}
