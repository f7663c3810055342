package io.fleetgauge.query.rules.template;

/** A template asks a query whose answer is not known yet. */
public final class Unanswered extends Exception {
  private static final long serialVersionUID = 1L;

  private final String query;

  public Unanswered(String query) {
    super(query, null, false, false);
    this.query = query;
  }

  /** The text of the query. */
  public String query() {
    return query;
  }
}
