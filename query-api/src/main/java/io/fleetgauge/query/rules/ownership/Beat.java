package io.fleetgauge.query.rules.ownership;

import java.util.List;

/**
 * What a query API tells the others once a second.
 *
 * @param from its name, which it keeps over restarts
 * @param life tells its starts apart
 * @param sequence rises with each beat of a life
 * @param answers the life of the receiver whose beat this one answers; 0 if it answers none
 * @param answered the sequence of that beat
 * @param serving whether it takes groups; not while it stops, and not before it has heard from the
 *     others
 * @param groups those that it knows
 */
public record Beat(
    String from,
    long life,
    long sequence,
    long answers,
    long answered,
    boolean serving,
    List<Known> groups) {
  public Beat {
    groups = List.copyOf(groups);
  }

  /**
   * A group that a query API knows.
   *
   * @param group as {@link GroupKey#of}
   * @param definition as {@link GroupKey#ofDefinition}
   * @param weight how much work it is
   * @param slot of the newest state that can be fetched, ms; 0 if there is none
   */
  public record Known(long group, long definition, int weight, long slot) {}
}
