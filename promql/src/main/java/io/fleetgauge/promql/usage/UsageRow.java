package io.fleetgauge.promql.usage;

import io.fleetgauge.promql.lookup.Integral;
import io.fleetgauge.sample.Labels;
import java.util.List;

/**
 * What one owner had of one device in one interval of time.
 *
 * @param device the labels of the device: its host, GPU, MIG instance, model, place
 * @param owner the labels of the owner; empty while nobody has it
 * @param interval number of the interval
 * @param amounts one for each {@link Amount}, in its order
 * @param memoryPeak most memory at one time, bytes; negative if it is not known
 * @param memoryAtEnd memory at the end of the interval, bytes; negative if it has none then
 */
public record UsageRow(
    Labels device,
    Labels owner,
    int interval,
    List<Integral> amounts,
    long memoryPeak,
    long memoryAtEnd) {
  public UsageRow {
    amounts = List.copyOf(amounts);
  }

  public Integral amount(Amount amount) {
    return amounts.get(amount.ordinal());
  }
}
