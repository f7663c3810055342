package io.fleetgauge.probe.host.storage;

import io.fleetgauge.probe.host.reading.Libc;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.LongSupplier;

/**
 * Asks for the space of file systems of the network, on threads of their own, because a server that
 * does not answer blocks the call: an answer is that of the reading before. A call that lasts is
 * said as an error, and not repeated until it ends. One thread asks.
 */
public final class NetworkMounts {
  /** Longest time of a call before it is an error. */
  static final long LIMIT_NANOS = 5_000_000_000L;

  /** Most calls at once. */
  private static final int MAX_CALLS = 8;

  /** Most file systems that are remembered. */
  private static final int MAX_MOUNTS = 1_024;

  private static final Libc.Space TIMEOUT = new Libc.Space("mountpoint timeout", 0, 0, 0, 0, 0);

  /** The space of a path; may block. */
  @FunctionalInterface
  public interface Call {
    Libc.Space space(String path);
  }

  private static final class Asked {
    private long since;
    private volatile boolean isRunning;
    private volatile Libc.Space answer;
  }

  private final Call call;
  private final LongSupplier nanos;
  private final Map<String, Asked> mounts = new HashMap<>();
  private final AtomicInteger running = new AtomicInteger();

  /**
   * @param nanos a clock that does not jump
   */
  public NetworkMounts(Call call, LongSupplier nanos) {
    this.call = call;
    this.nanos = nanos;
  }

  /** The newest answer, and asks anew; null before the first answer. */
  Libc.Space space(String path) {
    if (mounts.size() == MAX_MOUNTS && !mounts.containsKey(path)) {
      mounts.values().removeIf(each -> !each.isRunning);
    }
    Asked mount = mounts.computeIfAbsent(path, none -> new Asked());
    if (mount.isRunning) {
      return nanos.getAsLong() - mount.since > LIMIT_NANOS ? TIMEOUT : mount.answer;
    }
    Libc.Space answer = mount.answer;
    if (running.incrementAndGet() > MAX_CALLS) {
      running.decrementAndGet();
      return TIMEOUT;
    }
    mount.since = nanos.getAsLong();
    mount.isRunning = true;
    Thread.ofPlatform().daemon().name("mount " + path).start(() -> ask(mount, path));
    return answer;
  }

  private void ask(Asked mount, String path) {
    try {
      mount.answer = call.space(path);
    } finally {
      mount.isRunning = false;
      running.decrementAndGet();
    }
  }
}
