package io.fleetgauge.probe.attribution.process;

import java.io.FileInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.OptionalLong;

/** What a process has worked, as {@code /proc/PID} shows it. Not for several threads. */
final class ProcessWork {
  private static final int MOST_BYTES = 4 << 10;

  /** Ticks of a second, on all platforms. */
  static final int TICKS = 100;

  /** Words behind the name of the program. */
  private static final int STATE = 0;

  private static final int PARENT = 1;
  private static final int USER_TIME = 11;
  private static final int SYSTEM_TIME = 12;
  private static final int START = 19;

  private final String proc;
  private final byte[] buffer = new byte[MOST_BYTES];
  private final long[] words = new long[START + 1];

  /**
   * What is known of a process.
   *
   * @param parent number of its parent
   * @param isBlocked whether it is in uninterruptible sleep
   * @param ticks of CPU time, in ticks of the kernel
   * @param started when, in ticks of the kernel
   */
  record Seen(int parent, boolean isBlocked, long ticks, long started) {}

  ProcessWork(Path proc) {
    this.proc = proc.toString();
  }

  /**
   * @return null if there is no such process, or it cannot be seen
   */
  Seen look(int pid) {
    int length = read(pid, "stat");
    int at = length - 1;
    while (at >= 0 && buffer[at] != ')') {
      at--; // the name of the program may have any characters
    }
    int word = STATE;
    char state = 0;
    for (int i = at + 2; at >= 0 && i < length && word <= START; word++) {
      long value = 0;
      for (; i < length && buffer[i] != ' '; i++) {
        if (word == STATE) {
          state = (char) buffer[i];
        } else {
          value = value * 10 + (buffer[i] - '0');
        }
      }
      words[word] = value;
      i++;
    }
    return word <= START
        ? null
        : new Seen(
            (int) words[PARENT], state == 'D', words[USER_TIME] + words[SYSTEM_TIME], words[START]);
  }

  /**
   * Bytes that it has read and written, by any file: also those that no disk has. Not to be asked
   * of a process that is blocked.
   *
   * @return empty if this process may not see it
   */
  OptionalLong bytes(int pid) {
    int length = read(pid, "io");
    if (length <= 0) {
      return OptionalLong.empty();
    }
    String text = new String(buffer, 0, length, StandardCharsets.ISO_8859_1);
    long read = number(text, "rchar: ");
    long written = number(text, "wchar: ");
    return read < 0 || written < 0 ? OptionalLong.empty() : OptionalLong.of(read + written);
  }

  /** Time since the start of the kernel, in its ticks; the highest number if it does not tell. */
  long uptime() {
    int length = read("/uptime");
    int end = 0;
    while (end < length && end < 12 && buffer[end] >= '0' && buffer[end] <= '9') {
      end++;
    }
    return end == 0
        ? Long.MAX_VALUE
        : Long.parseLong(new String(buffer, 0, end, StandardCharsets.ISO_8859_1)) * TICKS;
  }

  private static long number(String text, String name) {
    int at = text.indexOf(name);
    if (at < 0) {
      return -1;
    }
    int end = text.indexOf('\n', at);
    try {
      return Long.parseLong(text, at + name.length(), end < 0 ? text.length() : end, 10);
    } catch (NumberFormatException e) {
      return -1;
    }
  }

  /** The length of a file of a process, which is in the buffer then; 0 if it cannot be read. */
  private int read(int pid, String file) {
    return read("/" + pid + "/" + file);
  }

  private int read(String file) {
    try (InputStream in = new FileInputStream(proc + file)) {
      return Math.max(0, in.read(buffer));
    } catch (IOException e) {
      return 0;
    }
  }

  /** The control groups of a process; empty if it cannot be seen. */
  String groups(int pid) {
    int length = read(pid, "cgroup");
    return new String(buffer, 0, length, StandardCharsets.ISO_8859_1);
  }
}
