package io.fleetgauge.query.answer;

import java.util.List;

/**
 * What an answer covers.
 *
 * @param expected how many hosts should be in it
 * @param missing those that are not, sorted
 * @param epoch of the table that said whom to ask
 * @param watermark the time up to which all hosts that send ticks have sent them, ms; {@link
 *     Long#MIN_VALUE} when not known
 * @param warnings what to tell the asker about holes; empty when there are none
 */
public record Completeness(
    int expected, List<String> missing, long epoch, long watermark, List<String> warnings) {

  public boolean isWhole() {
    return warnings.isEmpty();
  }
}
