package io.fleetgauge.query.prices;

/**
 * Hours of the day, past midnight if the end is before the start.
 *
 * @param from first hour, 0 to 23
 * @param to the hour after the last one, 0 to 24
 */
public record HoursOfDay(int from, int to) {
  public static final HoursOfDay ALL = new HoursOfDay(0, 24);

  boolean contains(int hour) {
    return from < to ? hour >= from && hour < to : hour >= from || hour < to;
  }

  @Override
  public String toString() {
    return from + "-" + to;
  }
}
