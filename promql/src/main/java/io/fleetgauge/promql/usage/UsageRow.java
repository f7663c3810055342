package io.fleetgauge.promql.usage;

import io.fleetgauge.promql.lookup.Integral;
import io.fleetgauge.sample.Labels;
import java.util.ArrayList;
import java.util.Collection;
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

  /** Both rows as one of the same device, owner and interval, such as those of two hosts. */
  UsageRow plus(UsageRow other) {
    List<Integral> sums = new ArrayList<>(amounts.size());
    for (int i = 0; i < amounts.size(); i++) {
      sums.add(amounts.get(i).plus(other.amounts.get(i)));
    }
    long most = Math.max(memoryPeak, other.memoryPeak);
    boolean isAtEnd = memoryAtEnd >= 0 || other.memoryAtEnd >= 0;
    long atEnd = Math.max(0, memoryAtEnd) + Math.max(0, other.memoryAtEnd);
    long mostOfHost = Math.max(hostMemoryPeak, other.hostMemoryPeak);
    int either = counted | other.counted;
    return new UsageRow(
        device, owner, interval, sums, either, most, isAtEnd ? atEnd : -1, mostOfHost);
  }

  /**
   * The row as a part of another interval.
   *
   * @param isEnd whether it is the part at the end of the interval
   */
  UsageRow in(int newInterval, boolean isEnd) {
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

  /** The row with some of its labels only. */
  public UsageRow only(Collection<String> labels) {
    return new UsageRow(
        device.only(labels),
        owner.only(labels),
        interval,
        amounts,
        counted,
        memoryPeak,
        memoryAtEnd,
        hostMemoryPeak);
  }

  /** Rows in order, each device, owner and interval once. */
  public static List<UsageRow> joined(List<UsageRow> rows) {
    List<UsageRow> sorted = new ArrayList<>(rows);
    sorted.sort(ORDER);
    List<UsageRow> joined = new ArrayList<>(sorted.size());
    for (UsageRow row : sorted) {
      boolean isNext = joined.isEmpty() || ORDER.compare(joined.getLast(), row) != 0;
      joined.add(isNext ? row : joined.removeLast().plus(row));
    }
    return joined;
  }
}
