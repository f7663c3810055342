package io.fleetgauge.query.answer;

import io.fleetgauge.query.shards.Coverage;
import java.util.List;

/**
 * Which hosts an answer covers, and how fresh they are.
 *
 * @param expected how many hosts it should cover
 * @param missingCount how many of them it does not cover
 * @param missing their names, sorted; empty when the caller must not see them
 * @param epoch epoch of the table that named the owners
 * @param watermark the time up to which all hosts that send ticks have sent them, ms; {@link
 *     Long#MIN_VALUE} when it is not known
 * @param warnings one for each kind of gap; empty when the answer is whole
 */
public record Completeness(
    int expected,
    int missingCount,
    List<String> missing,
    long epoch,
    long watermark,
    List<String> warnings) {

  static Completeness of(Coverage coverage, boolean named, long watermark) {
    return new Completeness(
        coverage.hosts(),
        coverage.missing().size(),
        named ? coverage.missing() : List.of(),
        coverage.epoch(),
        watermark,
        coverage.warnings(named));
  }

  /** How many hosts the answer covers. */
  public int answered() {
    return expected - missingCount;
  }

  public boolean isWhole() {
    return warnings.isEmpty();
  }
}
