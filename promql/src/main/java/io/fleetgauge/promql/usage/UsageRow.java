package io.fleetgauge.promql.usage;

import io.fleetgauge.promql.lookup.Integral;
import io.fleetgauge.sample.Labels;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;

/**
 * What one owner had of one device in one interval of time.
 *
 * @param device the labels of the device: its host, GPU, MIG instance, model, place; those of a
 *     host alone for what the owner has of the host's memory
 * @param owner the labels of the owner; empty while nobody has it
 * @param interval number of the interval
 * @param amounts one for each {@link Amount}, in its order
 * @param counted bits of the counters that have been counted, even if they have not increased
 * @param memoryPeak most memory at one time, bytes; negative if it is not known
 * @param memoryAtEnd memory at the end of the interval, bytes; negative if it has none then
 * @param hostMemoryPeak most memory of one host at one time, bytes; negative if it is not known
 */
public record UsageRow(
    Labels device,
    Labels owner,
    int interval,
    List<Integral> amounts,
    int counted,
    long memoryPeak,
    long memoryAtEnd,
    long hostMemoryPeak) {
  /** Nothing of an amount; nobody adds to it. */
  static final Integral ZERO = new Integral();

  /** By device, owner and interval. */
  public static final Comparator<UsageRow> ORDER =
      Comparator.comparing(UsageRow::device)
          .thenComparing(UsageRow::owner)
          .thenComparing(UsageRow::interval);

  public UsageRow {
    amounts = List.copyOf(amounts);
    if (amounts.size() != Amount.values().length) {
      throw new IllegalArgumentException("a row has " + amounts.size() + " amounts");
    }
  }

  public Integral amount(Amount amount) {
    return amounts.get(amount.ordinal());
  }

  /** Returns true if a counter has been counted, so that zero of it is known. */
  public boolean isCounted(Amount amount) {
    return (counted & amount.bit()) != 0;
  }

  /** Returns true if its owner had the device for some time. */
  boolean isAllocated() {
    return Stream.of(Amount.BUSY, Amount.EXECUTION_IDLE, Amount.IDLE, Amount.UNKNOWN)
        .anyMatch(use -> !amount(use).isZero());
  }

  /** The value of a label of the owner, or else of the device; the empty text if it has none. */
  public String value(String label) {
    String value = owner.value(label);
    return value.isEmpty() ? device.value(label) : value;
  }

  /**
   * The row as a part of another interval.
   *
   * @param isEnd whether it is the part at the end of the interval
   */
  public UsageRow in(int newInterval, boolean isEnd) {
    return newInterval == interval && (isEnd || memoryAtEnd < 0)
        ? this
        : new UsageRow(
            device,
            owner,
            newInterval,
            amounts,
            counted,
            memoryPeak,
            isEnd ? memoryAtEnd : -1,
            hostMemoryPeak);
  }
}
