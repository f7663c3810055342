package io.fleetgauge.probe.attribution.process;

import java.io.FileInputStream;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Locale;
import java.util.Map;

/**
 * Files that show a process below the node's {@code /proc}. Files are read together, and the time
 * at which the process began before and after them: numbers of processes are used again. Nothing is
 * read that waits for a process that is stuck. Not for several threads.
 */
final class ProcessFiles {
  /** A line of a cgroup is at most a path long, and there are a dozen. */
  private static final int MOST_BYTES = 64 << 10;

  private static final int ATTEMPTS = 3;

  /** Files of control groups that are remembered, and the longest of them, characters. */
  private static final int MOST_KNOWN = 256;

  private static final int LONGEST_KNOWN = 4 << 10;

  /** Where the time of the start stands among the words behind the program's name. */
  private static final int START = 19;

  /** The kernel cuts the names of programs. */
  private static final String MPS_SERVER = "nvidia-cuda-mps-server";

  private static final int CUT = 15;

  private final Path proc;
  private final byte[] buffer = new byte[MOST_BYTES];
  private final Map<String, Cgroup> cgroups = new HashMap<>();

  /** The state of a process. */
  enum Life {
    RUNNING,
    /** In a call of the kernel that nothing interrupts: parts of it must not be read. */
    BLOCKED,
    /** It has ended, and nobody has taken notice of it. */
    ZOMBIE
  }

  /**
   * A process.
   *
   * @param started when, in ticks of the kernel; with the pid it is unique
   * @param program the name of the program, at most 15 bytes
   * @param uid of the user it runs as; empty if it is not told, or if its control group tells more
   * @param isMpsServer whether it only passes on the work of others
   */
  record Seen(
      int pid,
      long started,
      Life life,
      String program,
      String uid,
      Cgroup cgroup,
      boolean isMpsServer) {}

  /** Something below /proc is there and cannot be read, or says what cannot be. */
  static final class Unreadable extends Exception {
    private static final long serialVersionUID = 1L;

    Unreadable(String message) {
      super(message, null, false, false);
    }
  }

  private record Stat(long started, char state, String program) {}

  ProcessFiles(Path proc) {
    this.proc = proc;
  }

  /**
   * @return null if there is no such process
   */
  Seen look(int pid) throws Unreadable {
    Path of = proc.resolve(Integer.toString(pid));
    for (int i = 0; i < ATTEMPTS; i++) {
      Stat before = stat(of);
      String groups = before == null ? null : text(of.resolve("cgroup"));
      Cgroup cgroup = groups == null ? Cgroup.NONE : cgroup(groups);
      String status = groups == null ? null : needsUser(cgroup) ? text(of.resolve("status")) : "";
      Stat after = status == null ? null : stat(of);
      if (after == null) {
        return null;
      }
      if (before.started == after.started) {
        return new Seen(
            pid,
            after.started,
            life(after.state),
            after.program,
            uid(status),
            cgroup,
            isMpsServer(of, after.program));
      }
    }
    throw new Unreadable("process " + pid + " is another one at each look");
  }

  /**
   * Tells whether nothing but its user tells whose a process is; to make that file costs the kernel
   * most.
   */
  private static boolean needsUser(Cgroup group) {
    return !group.isContainer() && group.pod().isEmpty() && group.uid().isEmpty();
  }

  /** Control groups hardly change from one tick to the next, and are costly to understand. */
  private Cgroup cgroup(String text) {
    Cgroup known = cgroups.get(text);
    if (known != null) {
      return known;
    }
    Cgroup group = Cgroup.ofFile(text);
    if (text.length() <= LONGEST_KNOWN) {
      if (cgroups.size() >= MOST_KNOWN) {
        cgroups.clear();
      }
      cgroups.put(text, group);
    }
    return group;
  }

  /**
   * The variables that a process was started with, as the kernel shows them; empty for a process
   * that is blocked or has ended.
   */
  String environment(Seen process) throws Unreadable {
    if (process.life() != Life.RUNNING) {
      return "";
    }
    String text = text(proc.resolve(Integer.toString(process.pid())).resolve("environ"));
    return text == null ? "" : text;
  }

  private static Life life(char state) {
    return switch (state) {
      case 'Z', 'X', 'x' -> Life.ZOMBIE;
      case 'D' -> Life.BLOCKED;
      default -> Life.RUNNING;
    };
  }

  /** A name alone would let any program hide. */
  private static boolean isMpsServer(Path of, String program) {
    if (!program.equals(MPS_SERVER.substring(0, CUT))) {
      return false;
    }
    try {
      Path file = Files.readSymbolicLink(of.resolve("exe")).getFileName();
      return file != null && file.toString().startsWith(MPS_SERVER.substring(0, CUT));
    } catch (IOException e) {
      return false;
    }
  }

  private Stat stat(Path of) throws Unreadable {
    String text = text(of.resolve("stat"));
    if (text == null) {
      return null;
    }
    // The name may contain blanks and parentheses.
    int open = text.indexOf('(');
    int close = text.lastIndexOf(')');
    String[] words = close < 0 ? new String[0] : text.substring(close + 1).strip().split(" ");
    if (open < 0 || open > close || words.length <= START || words[0].length() != 1) {
      throw new Unreadable(of.resolve("stat") + " is no line of a process");
    }
    try {
      return new Stat(
          Long.parseLong(words[START]), words[0].charAt(0), text.substring(open + 1, close));
    } catch (NumberFormatException e) {
      throw new Unreadable(of.resolve("stat") + " has no start time: " + words[START]);
    }
  }

  private static String uid(String status) {
    int at = status.indexOf("\nUid:");
    if (at < 0) {
      return "";
    }
    int from = at + 5;
    while (from < status.length() && (status.charAt(from) == '\t' || status.charAt(from) == ' ')) {
      from++;
    }
    int end = from;
    while (end < status.length() && Character.isDigit(status.charAt(end)) && end - from < 10) {
      end++;
    }
    return status.substring(from, end);
  }

  /** The beginning of a file; null if it or its process is not there. */
  private String text(Path file) throws Unreadable {
    try (InputStream in = new FileInputStream(file.toFile())) {
      int length = in.readNBytes(buffer, 0, buffer.length);
      return new String(buffer, 0, length, StandardCharsets.UTF_8);
    } catch (FileNotFoundException e) {
      if (Files.exists(file)) {
        throw new Unreadable(file + " cannot be read: " + e.getMessage());
      }
      return null;
    } catch (IOException e) {
      // A process that has ended between the opening and the reading.
      String message = String.valueOf(e.getMessage()).toLowerCase(Locale.ROOT);
      if (message.contains("no such process")) {
        return null;
      }
      throw new Unreadable(file + " cannot be read: " + e.getMessage());
    }
  }
}
