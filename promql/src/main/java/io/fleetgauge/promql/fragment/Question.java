package io.fleetgauge.promql.fragment;

import io.fleetgauge.promql.lookup.TooManySamples;
import io.fleetgauge.promql.query.QueryFailure;
import io.fleetgauge.sample.wire.WireException;
import io.fleetgauge.sample.wire.WireReader;
import io.fleetgauge.sample.wire.WireWriter;

/**
 * One kind of read of a gateway. All of a kind stands in one file: what is asked, the answer, the
 * bytes of both, how a gateway answers it from what it holds, and how the answers of several
 * gateways become one ({@code merged}).
 *
 * @param <A> the answer of a gateway
 */
public sealed interface Question<A extends Result>
    permits SamplesQuestion,
        LabelNamesQuestion,
        LabelValuesQuestion,
        LabelSetsQuestion,
        PartsQuestion,
        ExtentsQuestion,
        ChangesQuestion,
        MetadataQuestion,
        HostsQuestion,
        NewestQuestion,
        ReductionsQuestion,
        OwnersQuestion,
        SeveralQuestion,
        UsageQuestion,
        UsageExtentQuestion,
        RetentionQuestion {

  /** The kinds; the code of a kind never changes its meaning. */
  enum Kind {
    SAMPLES(1, SamplesQuestion::read),
    LABEL_NAMES(2, LabelNamesQuestion::read),
    LABEL_VALUES(3, LabelValuesQuestion::read),
    LABEL_SETS(4, LabelSetsQuestion::read),
    PARTS(5, PartsQuestion::read),
    EXTENTS(6, ExtentsQuestion::read),
    CHANGES(7, ChangesQuestion::read),
    METADATA(8, MetadataQuestion::read),
    HOSTS(9, HostsQuestion::read),
    NEWEST(10, NewestQuestion::read),
    REDUCTIONS(11, ReductionsQuestion::read),
    OWNERS(12, OwnersQuestion::read),
    SEVERAL(14, SeveralQuestion::read),
    USAGE(15, UsageQuestion::read),
    USAGE_EXTENT(16, UsageExtentQuestion::read),
    RETENTION(17, RetentionQuestion::read);

    final int code;
    private final Reader reader;

    /** Reads a question of one kind. */
    @FunctionalInterface
    private interface Reader {
      Question<?> read(WireReader in) throws WireException;
    }

    Kind(int code, Reader reader) {
      this.code = code;
      this.reader = reader;
    }

    static Kind of(int code) throws WireException {
      for (Kind kind : values()) {
        if (kind.code == code) {
          return kind;
        }
      }
      throw new WireException("there is no kind " + code + " of fragments");
    }

    Question<?> question(WireReader in) throws WireException {
      return reader.read(in);
    }
  }

  default Kind kind() {
    return switch (this) {
      case SamplesQuestion _ -> Kind.SAMPLES;
      case LabelNamesQuestion _ -> Kind.LABEL_NAMES;
      case LabelValuesQuestion _ -> Kind.LABEL_VALUES;
      case LabelSetsQuestion _ -> Kind.LABEL_SETS;
      case PartsQuestion _ -> Kind.PARTS;
      case ExtentsQuestion _ -> Kind.EXTENTS;
      case ChangesQuestion _ -> Kind.CHANGES;
      case MetadataQuestion _ -> Kind.METADATA;
      case HostsQuestion _ -> Kind.HOSTS;
      case NewestQuestion _ -> Kind.NEWEST;
      case ReductionsQuestion _ -> Kind.REDUCTIONS;
      case OwnersQuestion _ -> Kind.OWNERS;
      case SeveralQuestion _ -> Kind.SEVERAL;
      case UsageQuestion _ -> Kind.USAGE;
      case UsageExtentQuestion _ -> Kind.USAGE_EXTENT;
      case RetentionQuestion _ -> Kind.RETENTION;
    };
  }

  void write(WireWriter out);

  /**
   * An answer from its bytes.
   *
   * @param bytes the array that {@code in} reads; an answer may keep it
   */
  A answer(WireReader in, byte[] bytes) throws WireException;

  /**
   * The answer of a gateway.
   *
   * @throws TooManySamples if there is more than the question allows
   * @throws QueryFailure if it was stopped
   */
  A answer(Holdings holdings) throws TooManySamples, QueryFailure;

  /** Returns true if the result is computed from samples or an index, so that it may take long. */
  default boolean isWork() {
    return true;
  }

  /** After this time nobody waits for the answer, ms; {@link Long#MAX_VALUE} if not known. */
  default long timeoutMillis() {
    return Long.MAX_VALUE;
  }
}
