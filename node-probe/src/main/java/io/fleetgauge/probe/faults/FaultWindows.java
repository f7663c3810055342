package io.fleetgauge.probe.faults;

import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.EnumMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;

/**
 * Decides which faults keep a window. A fault begins one, and ends it some time later; faults until
 * then belong to it. One thread writes; any thread may read.
 */
final class FaultWindows {
  /** The outcome of a fault. */
  enum Result {
    /** It has a window. */
    KEPT,
    /** It belongs to the window of a fault shortly before. */
    JOINED,
    /** The same fault has a window that covers most of its time. */
    REPEATED,
    /** There were too many windows within an hour, or too many faults at once. */
    LIMITED
  }

  private static final int MOST_FAULTS = 32;
  private static final DateTimeFormatter TIME =
      DateTimeFormatter.ofPattern("yyyyMMdd'T'HHmmss'Z'", Locale.ROOT).withZone(ZoneOffset.UTC);

  private final Ring ring;
  private final long lengthMillis;
  private final long afterMillis;
  private final int perHour;
  private final int most;
  private final Deque<FaultWindow> kept = new ArrayDeque<>();
  private final Deque<GpuFault> begun = new ArrayDeque<>();
  private final Map<Result, Long> counts = new EnumMap<>(Result.class);
  private final List<GpuFault> open = new ArrayList<>();

  /**
   * @param most how many windows are kept
   */
  FaultWindows(Ring ring, long lengthMillis, long afterMillis, int perHour, int most) {
    this.ring = ring;
    this.lengthMillis = lengthMillis;
    this.afterMillis = Math.min(afterMillis, lengthMillis);
    this.perHour = perHour;
    this.most = most;
    for (Result result : Result.values()) {
      counts.put(result, 0L);
    }
  }

  /** Takes over the windows of an earlier process, oldest first. */
  synchronized void restore(List<FaultWindow> windows) {
    windows.forEach(this::keep);
  }

  /** A fault has been found. */
  synchronized Result on(GpuFault fault) {
    Result result = resultOf(fault);
    if (result == Result.KEPT) {
      begun.addLast(fault);
    }
    if (result == Result.KEPT || result == Result.JOINED && open.size() < MOST_FAULTS) {
      open.add(fault);
    }
    counts.merge(result, 1L, Long::sum);
    return result;
  }

  private Result resultOf(GpuFault fault) {
    if (!open.isEmpty()) {
      return Result.JOINED;
    }
    // A clock that was set back must not keep a limit for ever.
    begun.removeIf(one -> Math.abs(fault.time() - one.time()) >= TimeUnit.HOURS.toMillis(1));
    for (GpuFault one : begun) {
      if (one.isLike(fault) && Math.abs(fault.time() - one.time()) < lengthMillis) {
        return Result.REPEATED;
      }
    }
    return begun.size() < perHour ? Result.KEPT : Result.LIMITED;
  }

  /** Counts a fault for which there was no place before it could be looked at. */
  synchronized void overflow() {
    counts.merge(Result.LIMITED, 1L, Long::sum);
  }

  /**
   * Ends the window whose time is over.
   *
   * @param now ms since the epoch; {@link Long#MAX_VALUE} ends it whatever its time
   */
  synchronized Optional<FaultWindow> at(long now) {
    if (open.isEmpty()) {
      return Optional.empty();
    }
    long begin = open.getFirst().time();
    // A clock that was set back by more than a window has its end in a future that is far away.
    boolean isOver = now - begin >= afterMillis || begin - now > lengthMillis;
    if (!isOver) {
      return Optional.empty();
    }
    FaultWindow window =
        new FaultWindow(
            id(open.getFirst()),
            List.copyOf(open),
            ring.window(begin - lengthMillis, begin + afterMillis));
    open.clear();
    keep(window);
    return Optional.of(window);
  }

  private String id(GpuFault fault) {
    String what = fault.xid() > 0 ? fault.kind().text() + fault.xid() : fault.kind().text();
    String gpu = fault.gpu().value("gpu");
    String id =
        TIME.format(Instant.ofEpochMilli(fault.time()))
            + "-"
            + what
            + (gpu.matches("\\d{1,3}") ? "-gpu" + gpu : "");
    String unique = id;
    for (int i = 2; find(unique).isPresent(); i++) {
      unique = id + "-" + i;
    }
    return unique;
  }

  private void keep(FaultWindow window) {
    kept.addLast(window);
    while (kept.size() > most) {
      kept.removeFirst();
    }
  }

  /** Oldest first. */
  synchronized List<FaultWindow> kept() {
    return List.copyOf(kept);
  }

  synchronized Optional<FaultWindow> find(String id) {
    return kept.stream().filter(window -> window.id().equals(id)).findFirst();
  }

  synchronized long count(Result result) {
    return counts.get(result);
  }
}
