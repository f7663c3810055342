package io.fleetgauge.query.faults.detect;

/**
 * Counts of events of the last days, in parts of six hours, and if they grow from day to day.
 *
 * <p>Only complete parts are looked at, and an increase that took long is spread over its time, so
 * that it is the same whether counters are read every 15 seconds or once an hour.
 *
 * <p>Counts that scatter around one rate must not be a trend. So the slope of the counts has to be
 * so many standard deviations above zero, of counts with one rate (the score test of Poisson
 * regression; Cox and Lewis 1966); events that come in bursts scatter more, by as much as
 * neighbours differ.
 */
final class Growth {
  static final long PART = 6 * 3_600_000L;

  private static final int PARTS_A_DAY = 4;

  /** Parts of the last day that have to have events: a burst is no trend. */
  private static final int LEAST_PARTS = 3;

  /**
   * Says how much growth is a trend.
   *
   * @param leastDays that have to be known
   * @param leastPerDay events of the last day
   * @param growth of the last day against the mean of those before
   * @param deviations by which it is more than chance
   */
  record Limits(double leastDays, double leastPerDay, double growth, double deviations) {}

  private final double[] counts;

  /** The first part that was watched from its beginning. */
  private final long first;

  private long newest;

  /**
   * @param days that are remembered
   * @param watchedSince ms since the epoch
   */
  Growth(int days, long watchedSince) {
    counts = new double[days * PARTS_A_DAY + 1];
    first = Math.floorDiv(watchedSince + PART - 1, PART);
    newest = Math.floorDiv(watchedSince, PART);
  }

  /** The part that an increase which ends at a time belongs to. */
  static long part(long time) {
    return Math.floorDiv(time - 1, PART);
  }

  /**
   * Adds an increase.
   *
   * @param from after which it was
   * @param to up to which it was
   */
  void add(long from, long to, double count) {
    forward(part(to));
    long start = Math.max(from, (newest - counts.length + 1) * PART);
    for (long part = Math.floorDiv(start, PART); part <= part(to); part++) {
      long overlap = Math.min(to, (part + 1) * PART) - Math.max(from, part * PART);
      counts[at(part)] += count * overlap / (to - from);
    }
  }

  /** Goes on to a part; those between have no events. */
  void forward(long part) {
    if (part - newest >= counts.length) {
      newest = part - counts.length;
    }
    while (newest < part) {
      newest++;
      counts[at(newest)] = 0;
    }
  }

  /** Events of the day before the newest part. */
  double lastDay() {
    return day(0);
  }

  /** Events of the day before the last. */
  double dayBefore() {
    return day(1);
  }

  private double day(int back) {
    double sum = 0;
    for (int i = 1; i <= PARTS_A_DAY; i++) {
      sum += counts[at(newest - back * PARTS_A_DAY - i)];
    }
    return sum;
  }

  /** The beginning of the first part that has events, ms since the epoch. */
  long since() {
    for (long part = newest - known(); part < newest; part++) {
      if (counts[at(part)] > 0) {
        return part * PART;
      }
    }
    return newest * PART;
  }

  /** Tells if the counts of the complete parts grow from day to day. */
  boolean isGrowing(Limits least) {
    int known = known();
    double last = lastDay();
    if (known < Math.max(2 * PARTS_A_DAY, least.leastDays * PARTS_A_DAY)
        || last < least.leastPerDay
        || last < dayBefore()
        || last < least.growth * before()) {
      return false;
    }
    int withEvents = 0;
    double steps = 0;
    double pairs = 0;
    for (int i = 0; i < known; i++) {
      double count = count(i);
      withEvents += i >= known - PARTS_A_DAY && count > 0 ? 1 : 0;
      if (i > 0) {
        steps += (count - count(i - 1)) * (count - count(i - 1));
        pairs += count + count(i - 1);
      }
    }
    double scatter = Math.max(1, steps / Math.max(1, pairs));
    return withEvents >= LEAST_PARTS && slope() >= least.deviations * Math.sqrt(scatter);
  }

  /**
   * Tells if counts have begun to grow, where little is known of the days before: steadily through
   * the last day, and more than before.
   */
  boolean isBeginning(Limits least) {
    int known = known();
    double last = lastDay();
    if (known <= PARTS_A_DAY
        || known < least.leastDays * PARTS_A_DAY
        || last < least.leastPerDay
        || last < least.growth * before()) {
      return false;
    }
    double sum = 0;
    for (int i = 0; i < known; i++) {
      if (i >= known - PARTS_A_DAY && !(count(i) > 0)) {
        return false;
      }
      sum += count(i);
    }
    double half = count(known - 1) + count(known - 2);
    double usual = sum * PARTS_A_DAY / known;
    double deviation = Math.sqrt(usual * (known - PARTS_A_DAY) / known);
    return half >= last - half
        && last - usual >= least.deviations * deviation
        && slope() >= least.deviations;
  }

  /** Events a day, in the mean, before the last day; 0 if nothing is known of it. */
  double before() {
    double sum = 0;
    int parts = known() - PARTS_A_DAY;
    for (int i = 0; i < parts; i++) {
      sum += count(i);
    }
    return parts <= 0 ? 0 : sum / parts * PARTS_A_DAY;
  }

  /** Days that are known. */
  double days() {
    return (double) known() / PARTS_A_DAY;
  }

  /** The slope of the counts, in its standard deviations for one rate. */
  private double slope() {
    int known = known();
    double middle = (known - 1) / 2.0;
    double sum = 0;
    double slope = 0;
    double squares = 0;
    for (int i = 0; i < known; i++) {
      sum += count(i);
      slope += (i - middle) * count(i);
      squares += (i - middle) * (i - middle);
    }
    return sum == 0 ? 0 : slope / Math.sqrt(sum / known * squares);
  }

  /** The count of a complete part, the oldest first. */
  private double count(int index) {
    return counts[at(newest - known() + index)];
  }

  /** Number of complete parts that are remembered and were watched. */
  private int known() {
    return (int) Math.min(counts.length - 1, Math.max(0, newest - first));
  }

  private int at(long part) {
    return (int) Math.floorMod(part, (long) counts.length);
  }
}
