package io.fleetgauge.promql.kernel;

import io.fleetgauge.sample.Staleness;

/**
 * Parts of a date in UTC, from seconds since the epoch; the fraction of a second is cut off, and an
 * absent step stays absent. Dates are the proleptic Gregorian calendar's, by days counted from 1
 * March (Hinnant, "chrono-Compatible Low-Level Date Algorithms").
 */
public final class Calendar {
  private static final int SECONDS_PER_DAY = 86_400;
  private static final int DAYS_PER_ERA = 146_097;
  private static final int[] DAYS_BEFORE_MONTH = {
    0, 31, 59, 90, 120, 151, 181, 212, 243, 273, 304, 334
  };
  private static final int[] DAYS_IN_MONTH = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};

  private Calendar() {}

  /** 0 to 59. */
  public static void minute(double[] in, double[] out) {
    for (int i = 0; i < out.length; i++) {
      out[i] = Columns.isAbsent(in[i]) ? Staleness.MARKER : Math.floorMod((long) in[i], 3600) / 60;
    }
  }

  /** 0 to 23. */
  public static void hour(double[] in, double[] out) {
    for (int i = 0; i < out.length; i++) {
      out[i] =
          Columns.isAbsent(in[i])
              ? Staleness.MARKER
              : Math.floorMod((long) in[i], SECONDS_PER_DAY) / 3600;
    }
  }

  /** 0 is Sunday. */
  public static void dayOfWeek(double[] in, double[] out) {
    for (int i = 0; i < out.length; i++) {
      out[i] = Columns.isAbsent(in[i]) ? Staleness.MARKER : Math.floorMod(day(in[i]) + 4, 7);
    }
  }

  /** 1 to 31. */
  public static void dayOfMonth(double[] in, double[] out) {
    for (int i = 0; i < out.length; i++) {
      out[i] = Columns.isAbsent(in[i]) ? Staleness.MARKER : dayOfMonth(date(day(in[i])));
    }
  }

  /** 1 to 366. */
  public static void dayOfYear(double[] in, double[] out) {
    for (int i = 0; i < out.length; i++) {
      if (Columns.isAbsent(in[i])) {
        out[i] = Staleness.MARKER;
        continue;
      }
      long date = date(day(in[i]));
      int month = month(date);
      int leapDay = month > 2 && isLeap(year(date)) ? 1 : 0;
      out[i] = DAYS_BEFORE_MONTH[month - 1] + leapDay + dayOfMonth(date);
    }
  }

  /** 28 to 31. */
  public static void daysInMonth(double[] in, double[] out) {
    for (int i = 0; i < out.length; i++) {
      if (Columns.isAbsent(in[i])) {
        out[i] = Staleness.MARKER;
        continue;
      }
      long date = date(day(in[i]));
      int month = month(date);
      out[i] = month == 2 && isLeap(year(date)) ? 29 : DAYS_IN_MONTH[month - 1];
    }
  }

  /** 1 to 12. */
  public static void month(double[] in, double[] out) {
    for (int i = 0; i < out.length; i++) {
      out[i] = Columns.isAbsent(in[i]) ? Staleness.MARKER : month(date(day(in[i])));
    }
  }

  public static void year(double[] in, double[] out) {
    for (int i = 0; i < out.length; i++) {
      out[i] = Columns.isAbsent(in[i]) ? Staleness.MARKER : year(date(day(in[i])));
    }
  }

  private static long day(double seconds) {
    return Math.floorDiv((long) seconds, SECONDS_PER_DAY);
  }

  /** Year, month and day in one number: {@code year * 512 + month * 32 + day}. */
  private static long date(long day) {
    long fromMarch = day + 719_468;
    long era = Math.floorDiv(fromMarch, DAYS_PER_ERA);
    int dayOfEra = (int) (fromMarch - era * DAYS_PER_ERA);
    int yearOfEra = (dayOfEra - dayOfEra / 1_460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365;
    int dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100);
    int monthFromMarch = (5 * dayOfYear + 2) / 153;
    int dayOfMonth = dayOfYear - (153 * monthFromMarch + 2) / 5 + 1;
    int month = monthFromMarch < 10 ? monthFromMarch + 3 : monthFromMarch - 9;
    long year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0);
    return year * 512 + month * 32 + dayOfMonth;
  }

  private static long year(long date) {
    return date >> 9;
  }

  private static int month(long date) {
    return (int) (date >> 5) & 15;
  }

  private static int dayOfMonth(long date) {
    return (int) date & 31;
  }

  private static boolean isLeap(long year) {
    return year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
  }
}
