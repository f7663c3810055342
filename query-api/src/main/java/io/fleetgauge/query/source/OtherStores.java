package io.fleetgauge.query.source;

import io.fleetgauge.promql.query.Answer;
import io.fleetgauge.promql.query.Query;
import io.fleetgauge.promql.query.SamplesRead;
import io.fleetgauge.sample.prometheus.MetricMetadata;
import io.vertx.core.Future;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Stores that a {@link Source} reads besides the gateways. What gateways evaluate lacks their
 * samples. Safe for all threads.
 */
public interface OtherStores {
  /** Where the samples of a query are. */
  enum Place {
    /** All are at the gateways. */
    GATEWAYS,
    /** Some are, or may be, in other stores. */
    BOTH,
    /** None is at the gateways. */
    STORES
  }

  /**
   * Where the samples of a query are, as far as that is known.
   *
   * @param lacks stores of which it is not known
   */
  record Placed(Place place, List<Coverage.Lack> lacks) {
    public static final Placed AT_GATEWAYS = new Placed(Place.GATEWAYS, List.of());
  }

  /** There are none. */
  OtherStores NONE =
      new OtherStores() {
        @Override
        public boolean isNone() {
          return true;
        }

        @Override
        public Future<View> view() {
          return Future.succeededFuture(reads -> Placed.AT_GATEWAYS);
        }

        @Override
        public Future<Gathered<Map<String, MetricMetadata>>> metadata(ReadOptions options) {
          return Future.succeededFuture(new Gathered<>(Map.of(), Coverage.NONE));
        }
      };

  /** Returns true if there is none. */
  default boolean isNone() {
    return false;
  }

  /** What is known of them at one time. */
  @FunctionalInterface
  interface View {
    /** Where the samples of reads are. */
    Placed place(List<SamplesRead> reads);

    /**
     * A query that one of the stores can evaluate alone, because it has all samples; empty if it
     * has to be evaluated here.
     */
    default Optional<PushDown> pushDown(Query query, List<SamplesRead> reads) {
      return Optional.empty();
    }
  }

  /** A query that a store evaluates. */
  interface PushDown {
    /** The name of the store. */
    String source();

    /**
     * The result; empty if it turns out that the query has to be evaluated from samples. Fails when
     * the store cannot be reached.
     */
    Future<Optional<Gathered<Answer.Result>>> run(ReadOptions options);
  }

  /** What is known of them now. As a rule this costs no request. Never fails. */
  Future<View> view();

  /** Metadata of their metrics. */
  Future<Gathered<Map<String, MetricMetadata>>> metadata(ReadOptions options);
}
