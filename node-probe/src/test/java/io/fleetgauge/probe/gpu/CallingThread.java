package io.fleetgauge.probe.gpu;

import com.sun.management.ThreadMXBean;
import java.lang.management.ManagementFactory;
import java.util.function.LongSupplier;

/** A clock that the test turns, and what the current thread has allocated. */
final class CallingThread implements LongSupplier {
  private static final ThreadMXBean THREADS = (ThreadMXBean) ManagementFactory.getThreadMXBean();

  private long nanos;

  void pass() {
    nanos += 1_000_000_000L;
  }

  long allocated() {
    return THREADS.getCurrentThreadAllocatedBytes();
  }

  @Override
  public long getAsLong() {
    return nanos;
  }
}
