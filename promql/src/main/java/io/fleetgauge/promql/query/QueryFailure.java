package io.fleetgauge.promql.query;

/** Why a query has no answer. */
public final class QueryFailure extends Exception {
  private static final long serialVersionUID = 1L;

  /** What kind of failure, with Prometheus's word and HTTP status for it. */
  public enum Kind {
    BAD_DATA("bad_data", 400),
    EXECUTION("execution", 422),
    CANCELED("canceled", 499),
    FORBIDDEN("forbidden", 403),
    TIMEOUT("timeout", 503),
    UNAVAILABLE("unavailable", 503),
    /** A limit of whoever asks; Prometheus has none such, so the word is that for "not now". */
    LIMITED("unavailable", 429),
    INTERNAL("internal", 500);

    /** The {@code errorType} of the HTTP API. */
    public final String text;

    public final int httpStatus;

    Kind(String text, int httpStatus) {
      this.text = text;
      this.httpStatus = httpStatus;
    }
  }

  private final Kind kind;

  public QueryFailure(Kind kind, String message) {
    super(message);
    this.kind = kind;
  }

  public Kind kind() {
    return kind;
  }

  /** What is said when two series of a vector have become one. */
  public static final String SAME_LABEL_SET =
      "vector cannot contain metrics with the same labelset";

  public static QueryFailure sameLabelSet() {
    return new QueryFailure(Kind.EXECUTION, SAME_LABEL_SET);
  }

  public static QueryFailure tooManySamples(long limit) {
    return new QueryFailure(
        Kind.EXECUTION,
        "query processing would load too many samples into memory in query execution; the limit is "
            + limit);
  }
}
