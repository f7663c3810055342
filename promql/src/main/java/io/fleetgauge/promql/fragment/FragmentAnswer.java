package io.fleetgauge.promql.fragment;

import java.util.List;

/**
 * The answer of a gateway to a {@link Fragment}.
 *
 * @param epoch of the gateway's table
 * @param covered the hosts that this answer is complete for; hosts asked for but not listed are not
 */
public record FragmentAnswer(long epoch, List<String> covered, Result result) {
  /** The hosts that the answer has data of; they are not asked again. */
  public List<String> read() {
    return result.read(covered);
  }
}
