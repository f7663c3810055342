package io.fleetgauge.promql.query;

/** Why a query has no answer. */
public final class QueryFailure extends Exception {
  private static final long serialVersionUID = 1L;

  /**
   * The catalogue of failures: Prometheus's {@code errorType}, HTTP status, and after how long the
   * same request may succeed.
   */
  public enum Kind {
    /** A parameter or the text of a query is wrong. */
    BAD_DATA("bad_data", 400, 0),
    /** The body of a request is over its limit. */
    TOO_LARGE("bad_data", 413, 0),
    /** The body of a request arrives too slowly. */
    SLOW_BODY("timeout", 408, 0),
    /** The query cannot be evaluated over the data, or would read more than its limit. */
    EXECUTION("execution", 422, 0),
    /** The client has closed its connection, or an operator cancelled the query. */
    CANCELED("canceled", 499, 0),
    /** There is nothing of that name. */
    NOT_FOUND("not_found", 404, 0),
    /** The token lacks a right. */
    FORBIDDEN("forbidden", 403, 0),
    /** The query ran until its deadline. */
    TIMEOUT("timeout", 503, 1),
    /** The process is at a limit, or hosts are missing from an answer that has to be complete. */
    UNAVAILABLE("unavailable", 503, 1),
    /** Too much of a tenant waits or is under way; Prometheus has no such failure. */
    LIMITED("unavailable", 429, 1),
    /** A defect of this product. */
    INTERNAL("internal", 500, 0);

    /** The {@code errorType} of the HTTP API. */
    public final String errorType;

    public final int httpStatus;

    /** Seconds after which the request may be repeated, for {@code Retry-After}; 0 for never. */
    public final int retryAfterSeconds;

    Kind(String errorType, int httpStatus, int retryAfterSeconds) {
      this.errorType = errorType;
      this.httpStatus = httpStatus;
      this.retryAfterSeconds = retryAfterSeconds;
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

  /** The message when two series of a vector have the same label set. */
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
