package io.fleetgauge.probe.xid;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;

/**
 * Lines of the kernel's log about faults, each with the number of times that it was seen: the
 * newest, for an hour after they were seen last. An error that is told in ever other words keeps a
 * few of them, and the last of these counts the rest. Any thread may add and look.
 */
public final class KernelLines {
  /** The subject of a line. */
  public enum Kind {
    /** An error of a GPU that has a code. */
    XID("xid"),
    /** An error of an NVSwitch. */
    SXID("sxid"),
    /** A GPU that fell off the bus, told without a code. */
    BUS("bus"),
    /** A network adapter's firmware or hardware. */
    MLX5("mlx5"),
    /** A thread of the driver, CUDA or NCCL that does not leave the kernel. */
    HUNG_TASK("hung_task"),
    /** A CPU that polls a network adapter without end. */
    SOFT_LOCKUP("soft_lockup");

    private final String text;

    Kind(String text) {
      this.text = text;
    }

    String text() {
      return text;
    }
  }

  /**
   * A line.
   *
   * @param address of the device, as NVML writes it; empty where the line names none
   * @param text without time, process, serial number and what cannot be printed
   */
  record Line(Kind kind, String address, String text) {}

  /** A line that was seen so many times. */
  record Seen(Line line, long count) {}

  static final int MOST_LINES = 32;
  static final int MOST_WORDINGS = 4;
  static final int MOST_NEW_AN_HOUR = 128;
  static final int LONGEST = 300;
  static final long KEPT_MILLIS = 3_600_000;

  /** The process is left out: the next owner of the GPU may see the line. */
  private static final Pattern PROCESS = Pattern.compile("pid=[^,]*(, name=[^,]*)?(, |$)");

  /** The driver tells it once before a GPU's first error, and may join it with others to a line. */
  private static final Pattern SERIAL = Pattern.compile("(?<=GPU Board Serial Number: )[^ \\\\]+");

  private static final Pattern UNPRINTABLE = Pattern.compile("[^ -~]");

  /** An error in any words. */
  private record Fault(Kind kind, String address, int code) {}

  private static final class Count {
    final Fault fault;
    long count;
    long last;

    Count(Fault fault) {
      this.fault = fault;
    }
  }

  private final Map<Line, Count> lines = new LinkedHashMap<>();
  private long hour = Long.MIN_VALUE;
  private int newInHour;
  private long leftOut;

  /**
   * Takes a line.
   *
   * @param code tells errors of a kind apart; 0 for none
   * @param text what follows the head of the record
   * @param at when it was written, ms since the epoch
   * @param now ms since the epoch
   */
  public synchronized void see(
      Kind kind, String address, int code, String text, long at, long now) {
    forget(now);
    if (at < now - KEPT_MILLIS) {
      return;
    }
    Fault fault = new Fault(kind, address, code);
    Line line = new Line(kind, address, words(text));
    Count count = lines.get(line);
    if (count == null) {
      count = manyWordings(fault);
    }
    if (count == null) {
      if (!isAdmitted(now)) {
        leftOut++;
        return;
      }
      count = new Count(fault);
      lines.put(line, count);
    }
    count.count++;
    count.last = Math.max(count.last, at);
    if (lines.size() > MOST_LINES) {
      Comparator<Map.Entry<Line, Count>> age =
          Comparator.comparingLong(each -> each.getValue().last);
      lines.remove(lines.entrySet().stream().min(age).orElseThrow().getKey());
      leftOut++;
    }
  }

  /** The newest wording of a fault that has its share; else null. */
  private Count manyWordings(Fault fault) {
    List<Count> wordings =
        lines.values().stream().filter(each -> each.fault.equals(fault)).toList();
    return wordings.size() < MOST_WORDINGS ? null : wordings.getLast();
  }

  private boolean isAdmitted(long now) {
    if (Math.floorDiv(now, KEPT_MILLIS) != hour) {
      hour = Math.floorDiv(now, KEPT_MILLIS);
      newInHour = 0;
    }
    return newInHour++ < MOST_NEW_AN_HOUR;
  }

  private void forget(long now) {
    lines.values().removeIf(each -> each.last < now - KEPT_MILLIS);
  }

  /** The lines of the last hour. */
  synchronized List<Seen> all(long now) {
    forget(now);
    List<Seen> all = new ArrayList<>();
    lines.forEach((line, count) -> all.add(new Seen(line, count.count)));
    return all;
  }

  /** Lines that had to go before their time, or for which there was no room. */
  synchronized long leftOut() {
    return leftOut;
  }

  private static String words(String text) {
    String known = PROCESS.matcher(text).replaceFirst("");
    String unnamed = SERIAL.matcher(known).replaceAll("?");
    String printable = UNPRINTABLE.matcher(unnamed).replaceAll("?").strip();
    return printable.substring(0, Math.min(LONGEST, printable.length()));
  }
}
