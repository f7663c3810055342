package io.fleetgauge.promql.function;

import io.fleetgauge.promql.expr.Function;
import io.fleetgauge.promql.kernel.Calendar;

/** Functions that read a value as seconds since the epoch and name a part of that date, in UTC. */
public final class CalendarFunctions {
  private CalendarFunctions() {}

  public static boolean knows(Function function) {
    return switch (function) {
      case MINUTE, HOUR, DAY_OF_WEEK, DAY_OF_MONTH, DAY_OF_YEAR, DAYS_IN_MONTH, MONTH, YEAR -> true;
      default -> false;
    };
  }

  public static void apply(Function function, double[] in, double[] out) {
    switch (function) {
      case MINUTE -> Calendar.minute(in, out);
      case HOUR -> Calendar.hour(in, out);
      case DAY_OF_WEEK -> Calendar.dayOfWeek(in, out);
      case DAY_OF_MONTH -> Calendar.dayOfMonth(in, out);
      case DAY_OF_YEAR -> Calendar.dayOfYear(in, out);
      case DAYS_IN_MONTH -> Calendar.daysInMonth(in, out);
      case MONTH -> Calendar.month(in, out);
      case YEAR -> Calendar.year(in, out);
      default -> throw new IllegalStateException(function.text());
    }
  }
}
