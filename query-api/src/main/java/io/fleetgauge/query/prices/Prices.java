package io.fleetgauge.query.prices;

import java.math.BigDecimal;
import java.time.Instant;
import java.time.LocalDate;
import java.time.ZoneId;
import java.time.zone.ZoneOffsetTransition;
import java.util.List;
import java.util.Optional;
import java.util.SortedSet;
import java.util.TreeSet;

/**
 * Prices of GPU hours, and of what their owners use of hosts. Immutable.
 *
 * @param currency as reports name it; may be empty
 * @param zone of the hours of the day and of dates without a time
 * @param cpu of an hour of CPU time; empty if it costs nothing
 * @param memory of a GiB of a host's memory for an hour; empty if it costs nothing
 * @param rules the first that applies counts
 */
public record Prices(
    String currency,
    ZoneId zone,
    Optional<BigDecimal> cpu,
    Optional<BigDecimal> memory,
    List<PriceRule> rules) {
  static final ZoneId UTC = ZoneId.of("UTC");
  static final Prices NONE = new Prices("", UTC, Optional.empty(), Optional.empty(), List.of());

  public Prices {
    rules = List.copyOf(rules);
  }

  /** True if not only hours of GPUs have a price. */
  public boolean hasParts() {
    return cpu.isPresent() || memory.isPresent();
  }

  /** The rules that apply at a time, in their order. */
  public List<PriceRule> at(long time) {
    int hour = Instant.ofEpochMilli(time).atZone(zone).getHour();
    return rules.stream().filter(each -> each.isAt(time, hour)).toList();
  }

  /** The times after {@code from} and before {@code to} at which other rules begin to apply. */
  public SortedSet<Long> changes(long from, long to) {
    SortedSet<Long> candidates = new TreeSet<>();
    for (PriceRule rule : rules) {
      candidates.add(rule.from());
      candidates.add(rule.to());
      if (!rule.hours().equals(HoursOfDay.ALL) && rule.to() > from && rule.from() < to) {
        addHours(rule.hours(), Math.max(from, rule.from()), Math.min(to, rule.to()), candidates);
      }
    }
    SortedSet<Long> changes = new TreeSet<>();
    for (long time : candidates) {
      if (time > from && time < to && !at(time - 1).equals(at(time))) {
        changes.add(time);
      }
    }
    return changes;
  }

  private void addHours(HoursOfDay hours, long from, long to, SortedSet<Long> candidates) {
    LocalDate last = Instant.ofEpochMilli(to).atZone(zone).toLocalDate();
    for (LocalDate day = Instant.ofEpochMilli(from).atZone(zone).toLocalDate();
        !day.isAfter(last);
        day = day.plusDays(1)) {
      for (int hour : new int[] {hours.from(), hours.to()}) {
        candidates.add(day.atStartOfDay().plusHours(hour).atZone(zone).toInstant().toEpochMilli());
      }
    }
    // Clocks that are put forward or back change the hour too.
    ZoneOffsetTransition next = zone.getRules().nextTransition(Instant.ofEpochMilli(from));
    while (next != null && next.getInstant().toEpochMilli() < to) {
      candidates.add(next.getInstant().toEpochMilli());
      next = zone.getRules().nextTransition(next.getInstant());
    }
  }
}
