package io.fleetgauge.probe.gpu;

import io.fleetgauge.probe.nvml.CallLog;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * Looks at the driver call in progress from outside. It decides by the call's age, and asks the
 * kernel whether the thread sleeps where nothing can wake it.
 */
final class Watchdog {
  private static final long SECOND = 1_000_000_000L;
  private static final long LATE = 10 * SECOND;
  private static final long HUNG = 60 * SECOND;

  /** The state of the call in progress; the order is that of severity. */
  enum State {
    NORMAL,
    SLOW,
    LATE,
    HUNG
  }

  private final CallLog log;
  private volatile Path task;

  Watchdog(CallLog log) {
    this.log = log;
  }

  /**
   * @param newTask folder of the thread below /proc
   */
  void watch(Path newTask) {
    task = newTask;
  }

  /** The call in progress, if it is at least slow; else null. */
  CallLog.InProgress stuck() {
    CallLog.InProgress call = log.inProgress();
    return call == null || call.nanos() < SECOND ? null : call;
  }

  static State state(CallLog.InProgress call) {
    if (call == null || call.nanos() < SECOND) {
      return State.NORMAL;
    }
    return call.nanos() < LATE ? State.SLOW : call.nanos() < HUNG ? State.LATE : State.HUNG;
  }

  /** Tells whether the kernel shows the thread in uninterruptible sleep. */
  boolean isBlockedInKernel() {
    Path folder = task;
    if (folder == null) {
      return false;
    }
    try {
      String stat = Files.readString(folder.resolve("stat"), StandardCharsets.ISO_8859_1);
      int afterName = stat.lastIndexOf(')') + 2; // the name may hold anything
      return afterName > 1 && afterName < stat.length() && stat.charAt(afterName) == 'D';
    } catch (IOException e) {
      return false;
    }
  }
}
