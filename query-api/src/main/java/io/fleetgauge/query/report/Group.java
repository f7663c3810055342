package io.fleetgauge.query.report;

import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.TreeMap;

/** Accounts of one group, one for each measure. */
final class Group {
  private static final double HOUR_MILLIS = 3_600_000;

  private final List<String> values;
  private final Period period;
  private final Map<Measure, Account> accounts = new EnumMap<>(Measure.class);

  Group(List<String> values, Period period) {
    this.values = values;
    this.period = period;
    for (Measure measure : Measure.values()) {
      accounts.put(measure, new Account(period));
    }
  }

  Account account(Measure measure) {
    return accounts.get(measure);
  }

  void settle() {
    accounts.values().forEach(Account::settle);
  }

  /** Least number of rows that it has. */
  int rows() {
    return accounts.values().stream().mapToInt(Account::intervals).max().orElse(0);
  }

  /** Its rows, in order of time. */
  List<Row> finish() {
    Map<Integer, Map<Measure, Account.Cell>> byInterval = new TreeMap<>();
    accounts.forEach(
        (measure, account) ->
            account
                .finish()
                .forEach(
                    cell ->
                        byInterval
                            .computeIfAbsent(cell.interval(), none -> new EnumMap<>(Measure.class))
                            .put(measure, cell)));
    List<Row> rows = new ArrayList<>();
    byInterval.forEach(
        (interval, cells) ->
            rows.add(
                new Row(
                    values,
                    period.start(interval),
                    period.end(interval),
                    Optional.ofNullable(cells.get(Measure.MEMORY)).map(Group::memory),
                    Optional.ofNullable(cells.get(Measure.UTILIZATION)).map(Group::utilization),
                    Optional.ofNullable(cells.get(Measure.ALLOCATION)).map(Group::hours))));
    return rows;
  }

  private static Row.Memory memory(Account.Cell cell) {
    return new Row.Memory(
        cell.isAtEnd() ? OptionalLong.of(cell.atEnd()) : OptionalLong.empty(),
        cell.peak(),
        cell.millis() == 0 ? cell.atEnd() : cell.integral() / cell.millis(),
        cell.millis() / 1e3);
  }

  private static Row.Utilization utilization(Account.Cell cell) {
    return new Row.Utilization(
        cell.deviceMillis() == 0
            ? cell.peakOfDevice() / Measure.WHOLE
            : cell.integral() / cell.deviceMillis() / Measure.WHOLE,
        cell.peakOfDevice() / Measure.WHOLE,
        hours(cell));
  }

  private static double hours(Account.Cell cell) {
    return cell.integral() / Measure.WHOLE / HOUR_MILLIS;
  }
}
