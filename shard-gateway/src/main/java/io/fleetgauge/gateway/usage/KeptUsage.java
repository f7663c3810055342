package io.fleetgauge.gateway.usage;

import io.fleetgauge.gateway.store.block.Block;
import io.fleetgauge.promql.usage.HostUsage;
import io.fleetgauge.promql.usage.KeptDay;
import io.fleetgauge.promql.usage.UsagePeriod;
import io.fleetgauge.promql.usage.UsageTerms;
import java.util.ArrayList;
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
    long after = HostUsage.after(hours(day), UsageTerms.DEFAULT);
    long to = HostUsage.to(hours(day), UsageTerms.DEFAULT);
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

  /**
   * The days of which something is between two times and that are valid.
   *
   * @param all the blocks of the host
   * @param incomplete receives the host if a file cannot be read that nothing is in place of
   */
  public static List<KeptDay> days(
      UsageFiles files,
      String host,
      List<Block> all,
      long from,
      long to,
      Consumer<String> incomplete) {
    List<KeptDay> days = new ArrayList<>();
    for (long day : files.days(host, dayOf(from), to)) {
      List<Block> blocks = blocks(all, day);
      boolean hasSamples = false;
      if (!blocks.isEmpty()) {
        Optional<UsageFile.Source> source = files.source(host, day);
        UsageFile.Source here = source(blocks);
        if (source.isPresent() && source.get().isStale(here)) {
          continue;
        }
        hasSamples = source.isPresent() && source.get().hasSamples(here);
      }
      days.add(new Day(files, host, day, hasSamples, incomplete));
    }
    return days;
  }

  private record Day(
      UsageFiles files, String host, long from, boolean hasSamples, Consumer<String> incomplete)
      implements KeptDay {
    @Override
    public Optional<Rows> rows() {
      Optional<UsageFile> file = files.read(host, from);
      if (file.isEmpty() && !hasSamples) {
        incomplete.accept(host);
      }
      return file.map(each -> each);
    }
  }
}
