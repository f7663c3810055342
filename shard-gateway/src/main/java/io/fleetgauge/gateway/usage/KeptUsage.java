package io.fleetgauge.gateway.usage;

import io.fleetgauge.gateway.store.block.Block;
import io.fleetgauge.promql.usage.HostUsage;
import io.fleetgauge.promql.usage.KeptDay;
import io.fleetgauge.promql.usage.KeptMonth;
import io.fleetgauge.promql.usage.KeptRows;
import io.fleetgauge.promql.usage.UsagePeriod;
import io.fleetgauge.promql.usage.UsageTerms;
import java.time.Instant;
import java.time.YearMonth;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.zip.CRC32C;

/** The days of a host of which usage is kept, beside the blocks that they are made of. */
public final class KeptUsage {
  private KeptUsage() {}

  /** The hours of a day. */
  public static UsagePeriod hours(long day) {
    return UsagePeriod.every(day, day + KeptDay.MILLIS, KeptDay.HOUR);
  }

  /** The start of the day that a time is in, ms. */
  public static long dayOf(long time) {
    return Math.floorDiv(time, KeptDay.MILLIS) * KeptDay.MILLIS;
  }

  /** The blocks with samples that the usage of a day is made of, in order. */
  public static List<Block> blocks(List<Block> all, long day) {
    return blocks(all, hours(day));
  }

  private static List<Block> blocks(List<Block> all, UsagePeriod period) {
    long after = HostUsage.after(period, UsageTerms.DEFAULT);
    long to = HostUsage.to(period, UsageTerms.DEFAULT);
    if (all.isEmpty() || all.getFirst().from() > to) {
      return List.of(); // most days are older than all blocks
    }
    return all.stream().filter(each -> each.to() > after + 1 && each.from() <= to).toList();
  }

  public static UsageFile.Source source(List<Block> blocks) {
    CRC32C check = new CRC32C();
    byte[] numbers = new byte[3 * Long.BYTES];
    long from = Long.MAX_VALUE;
    for (Block block : blocks) {
      from = Math.min(from, block.from());
      put(numbers, 0, block.from());
      put(numbers, Long.BYTES, block.to());
      put(numbers, 2 * Long.BYTES, block.bytes());
      check.update(numbers);
    }
    return new UsageFile.Source(from, (int) check.getValue());
  }

  private static void put(byte[] into, int at, long number) {
    for (int i = 0; i < Long.BYTES; i++) {
      into[at + i] = (byte) (number >>> Byte.SIZE * i);
    }
  }

  /** The start of the month that a time is in, ms. */
  static long monthOf(long time) {
    return start(month(time));
  }

  /** The start of the month after the one that a time is in, ms. */
  public static long monthAfter(long time) {
    return start(month(time).plusMonths(1));
  }

  private static YearMonth month(long time) {
    return YearMonth.from(Instant.ofEpochMilli(time).atOffset(ZoneOffset.UTC));
  }

  private static long start(YearMonth month) {
    return month.atDay(1).atStartOfDay(ZoneOffset.UTC).toInstant().toEpochMilli();
  }

  /**
   * The months of which something is between two times.
   *
   * @param all the blocks of the host
   * @param incomplete receives the host if a file cannot be read that nothing is in place of
   */
  public static List<KeptMonth> months(
      UsageFiles files,
      String host,
      List<Block> all,
      long from,
      long to,
      Consumer<String> incomplete) {
    OfHost ofHost = new OfHost(files, host, all, incomplete);
    List<KeptMonth> months = new ArrayList<>();
    for (long month = monthOf(from); month < to; month = monthAfter(month)) {
      long first = Math.max(month, dayOf(from));
      long end = Math.min(monthAfter(month), to);
      if (files.hasAny(host, first, end)) {
        months.add(new Month(ofHost, month, first, end));
      }
    }
    return months;
  }

  private record OfHost(
      UsageFiles files, String host, List<Block> all, Consumer<String> incomplete) {
    /** The day, unless it is stale. */
    Optional<KeptDay> day(long day) {
      List<Block> blocks = blocks(all, day);
      boolean hasSamples = false;
      if (!blocks.isEmpty()) {
        Optional<UsageFile.Source> source = files.source(host, day);
        UsageFile.Source here = source(blocks);
        if (source.isPresent() && source.get().isStale(here)) {
          return Optional.empty();
        }
        hasSamples = source.isPresent() && source.get().hasSamples(here);
      }
      return Optional.of(new Day(this, day, hasSamples));
    }

    /** Returns true if samples of a day are here, and no file that is as new as they are. */
    boolean isOpen(long day) {
      return files.has(host, day)
          ? day(day).isEmpty()
          : blocks(all, day).stream()
              .anyMatch(each -> each.to() > day && each.from() < day + KeptDay.MILLIS);
    }
  }

  /**
   * @param first the first day that is asked for
   * @param end days that are asked for start before it
   */
  private record Month(OfHost ofHost, long from, long first, long end) implements KeptMonth {
    @Override
    public long to() {
      return monthAfter(from);
    }

    @Override
    public boolean hasSamples() {
      return !blocks(ofHost.all, UsagePeriod.every(from, to(), to() - from)).isEmpty();
    }

    @Override
    public long bytes() {
      long size = ofHost.files.monthBytes(ofHost.host, from);
      for (long day = from; size > 0 && day < to(); day += KeptDay.MILLIS) {
        size = ofHost.isOpen(day) ? 0 : size;
      }
      return size;
    }

    @Override
    public Optional<KeptRows> whole() {
      if (bytes() == 0) {
        return Optional.empty();
      }
      return ofHost.files.readMonth(ofHost.host, from).map(UsageFile::whole);
    }

    @Override
    public List<KeptDay> days() {
      List<KeptDay> days = new ArrayList<>();
      for (long day : ofHost.files.days(ofHost.host, first, end)) {
        ofHost.day(day).ifPresent(days::add);
      }
      for (long day : ofHost.files.damaged(ofHost.host, first, end)) {
        if (blocks(ofHost.all, day).isEmpty()) {
          days.add(new Day(ofHost, day, false));
        }
      }
      days.sort(Comparator.comparingLong(KeptDay::from));
      return days;
    }
  }

  private record Day(OfHost ofHost, long from, boolean hasSamples) implements KeptDay {
    @Override
    public long bytes() {
      return ofHost.files.bytes(ofHost.host, from);
    }

    @Override
    public Optional<KeptRows> whole() {
      return file().map(UsageFile::whole);
    }

    @Override
    public Optional<KeptRows> hours() {
      return file().map(UsageFile::hours);
    }

    private Optional<UsageFile> file() {
      Optional<UsageFile> file = ofHost.files.read(ofHost.host, from);
      if (file.isEmpty() && !hasSamples) {
        ofHost.incomplete.accept(ofHost.host);
      }
      return file;
    }
  }
}
