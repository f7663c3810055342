package io.fleetgauge.query.admission;

/** The places of all lanes. */
public record Lanes(Admission queries, Admission rules, Admission faults) {
  public Admission of(QueryLane lane) {
    return switch (lane) {
      case QUERIES -> queries;
      case RULES -> rules;
      case FAULTS -> faults;
    };
  }
}
