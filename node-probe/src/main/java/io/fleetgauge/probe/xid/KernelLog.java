package io.fleetgauge.probe.xid;

import io.fleetgauge.sample.files.PrivateFiles;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.function.LongSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Follows the kernel's log on a thread of its own: a read of the device blocks until there is a
 * record. The device begins with what is in its buffer, up to everything since the start. So it
 * does when it has to be opened again, and what was read before is left out by the records'
 * numbers.
 */
final class KernelLog implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(KernelLog.class);

  /** The longest record that the kernel gives; a smaller buffer is an error to it. */
  private static final int RECORD = 16_384;

  /** The length to which a line is cut: the fields that are read come first. */
  private static final int LINE = 1_024;

  /** A read that takes longer has waited: what was there before has been read. */
  private static final long WAITED_NANOS = 100_000_000;

  /** A log that is written to all the time never makes a read wait. */
  private static final long HISTORY_NANOS = 2_000_000_000;

  private static final Duration AGAIN = Duration.ofSeconds(10);
  private static final Duration AT_END = Duration.ofSeconds(1);

  private final Path device;
  private final Path uptime;
  private final LongSupplier clock;
  private final XidCounts gpus;
  private final XidCounts switches;
  private final KernelLines faultLines;
  private final SourceThread thread = new SourceThread();
  private final byte[] line = new byte[LINE];
  private final FaultLog faults = new FaultLog();
  private final FaultLog unknown = new FaultLog();
  private int length;
  private boolean history = true;
  private long newest = -1;
  private long readBefore = -1;
  private boolean isToldUnreadable;
  private volatile FileChannel channel;
  private volatile long lines;
  private volatile long unreadable;
  private volatile long lost;
  private volatile boolean open;

  /**
   * @param proc where the proc file system is mounted
   * @param clock ms since the epoch
   */
  KernelLog(
      Path device,
      Path proc,
      LongSupplier clock,
      XidCounts gpus,
      XidCounts switches,
      KernelLines faultLines) {
    this.device = device;
    this.uptime = proc.resolve("uptime");
    this.clock = clock;
    this.gpus = gpus;
    this.switches = switches;
    this.faultLines = faultLines;
  }

  void start() {
    thread.start("kernel-log", this::follow, AGAIN);
  }

  /** Records that were read. */
  long lines() {
    return lines;
  }

  /** Those that look like an error and cannot be read. */
  long unreadable() {
    return unreadable;
  }

  /** Times that the kernel dropped records before they were read. */
  long lost() {
    return lost;
  }

  /** Tells whether the log can be read. */
  boolean isOpen() {
    return open;
  }

  private void follow() {
    try (FileChannel in = PrivateFiles.open(device, StandardOpenOption.READ)) {
      channel = in;
      open = true;
      isToldUnreadable = false;
      opened();
      read(in);
    } catch (IOException e) {
      if (!isToldUnreadable && !thread.isClosed()) {
        isToldUnreadable = true;
        LOG.info("the kernel's log {} cannot be read: {}", device, e.toString());
      }
    } finally {
      open = false;
    }
  }

  private void read(FileChannel in) throws IOException {
    ByteBuffer buffer = ByteBuffer.allocateDirect(RECORD);
    long opened = System.nanoTime();
    while (!thread.isClosed()) {
      long before = System.nanoTime();
      int read;
      try {
        read = in.read(buffer.clear());
      } catch (IOException e) {
        if (!in.isOpen() || !String.valueOf(e.getMessage()).contains("Broken pipe")) {
          throw e;
        }
        continue; // records were dropped; the next read begins with the oldest one left
      }
      long after = System.nanoTime();
      history &= after - before < WAITED_NANOS && after - opened < HISTORY_NANOS;
      if (read < 0) {
        history = false;
        thread.pause(AT_END);
      } else {
        take(buffer.flip());
      }
    }
  }

  /** Takes bytes of the log; what was there before the probe is over when this is false. */
  void history(boolean isHistory) {
    history = isHistory;
  }

  /** The log begins from its oldest record. */
  void opened() {
    readBefore = newest;
    length = 0;
  }

  void take(ByteBuffer bytes) {
    while (bytes.hasRemaining()) {
      byte next = bytes.get();
      if (next == '\n') {
        end();
      } else if (length < LINE) {
        line[length++] = next;
      }
    }
  }

  private void end() {
    // Lines that begin with a blank belong to the record before them.
    if (length > 0 && line[0] != ' ') {
      lines = lines + 1;
      take(new String(line, 0, length, StandardCharsets.ISO_8859_1));
    }
    length = 0;
  }

  /** Tells whether a record was read before the log was opened again. */
  private boolean isOld(String text) {
    long sequence = KernelLine.sequence(text);
    if (sequence > newest) {
      if (newest >= 0 && sequence > newest + 1) {
        lost = lost + 1;
      }
      newest = sequence;
    }
    return sequence >= 0 && sequence <= readBefore;
  }

  private void take(String text) {
    if (isOld(text)) {
      return;
    }
    KernelLine read = KernelLine.read(text);
    switch (read.kind()) {
      case OTHER -> {}
      case UNREADABLE -> {
        unreadable = unreadable + 1;
        unknown.say(clock.getAsLong(), "a record of the kernel's log cannot be read: " + text);
      }
      case XID -> {
        take(gpus, read, text);
        keep(text.contains("Xid (") ? KernelLines.Kind.XID : KernelLines.Kind.BUS, read, text);
      }
      case SXID -> {
        take(switches, read, text);
        keep(KernelLines.Kind.SXID, read, text);
      }
      case MLX5 -> keep(KernelLines.Kind.MLX5, read, text);
      case HUNG_TASK -> keep(KernelLines.Kind.HUNG_TASK, read, text);
      case SOFT_LOCKUP -> keep(KernelLines.Kind.SOFT_LOCKUP, read, text);
    }
  }

  private void keep(KernelLines.Kind kind, KernelLine read, String text) {
    long now = clock.getAsLong();
    long at = history ? wallClock(read.bootMicros()) : now;
    String words = text.substring(text.indexOf(';') + 1);
    faultLines.see(kind, read.address(), read.code(), words, at, now);
  }

  private void take(XidCounts counts, KernelLine read, String text) {
    if (history) {
      counts.remember(read.address(), read.code(), wallClock(read.bootMicros()));
    } else if (counts.count(read.address(), read.code())) {
      faults.say(clock.getAsLong(), text.substring(text.indexOf(';') + 1));
    }
  }

  private long wallClock(long bootMicros) {
    long now = clock.getAsLong();
    try {
      String seconds = Files.readString(uptime).split(" ", 2)[0];
      long age = (long) (Double.parseDouble(seconds) * 1_000) - bootMicros / 1_000;
      return now - Math.max(0, age);
    } catch (IOException | NumberFormatException e) {
      return now;
    }
  }

  @Override
  public void close() {
    thread.stop();
    FileChannel in = channel;
    try {
      if (in != null) {
        in.close(); // wakes a read that waits
      }
    } catch (IOException e) {
      LOG.debug("closing {} failed", device, e);
    }
    thread.join();
  }
}
