package io.fleetgauge.probe.attribution.process;

import java.io.FileInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import java.util.OptionalLong;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The CPU time and the memory of control groups, of version 1 and 2. A group that has ended tells
 * nothing; a file that is there and cannot be read or understood is counted. Not for several
 * threads.
 */
final class GroupFiles {
  private static final Logger LOG = LoggerFactory.getLogger(GroupFiles.class);
  private static final int MOST_BYTES = 16 << 10;
  private static final long NANOS_PER_MICRO = 1_000;

  private static final String CPU_V1 = "cpuacct.usage";
  private static final String CPU_V2 = "cpu.stat";
  private static final String MEMORY_V1 = "memory.usage_in_bytes";
  private static final String MEMORY_V2 = "memory.current";

  private final byte[] buffer = new byte[MOST_BYTES];
  private volatile long unread;

  /** The file of a folder that counts CPU time; empty without one. */
  static Optional<Path> cpu(Path folder) {
    return first(folder, CPU_V1, CPU_V2);
  }

  /** The folder itself, if it tells of memory. */
  static Optional<Path> memory(Path folder) {
    return first(folder, MEMORY_V1, MEMORY_V2).map(Path::getParent);
  }

  private static Optional<Path> first(Path folder, String... names) {
    for (String name : names) {
      if (Files.exists(folder.resolve(name))) {
        return Optional.of(folder.resolve(name));
      }
    }
    return Optional.empty();
  }

  /** Files that could not be read or understood. For any thread. */
  long unread() {
    return unread;
  }

  /** CPU time since the group was made, ns; empty if it is not told. */
  OptionalLong cpuNanos(Path file) {
    if (file.endsWith(CPU_V1)) {
      return number(file, "");
    }
    OptionalLong micros = number(file, "usage_usec ");
    return micros.isPresent() && micros.getAsLong() <= Long.MAX_VALUE / NANOS_PER_MICRO
        ? OptionalLong.of(micros.getAsLong() * NANOS_PER_MICRO)
        : OptionalLong.empty();
  }

  /**
   * Memory in use, as the kubelet and the OOM killer's victims see it: without pages of files that
   * were not used lately, which the kernel takes back first.
   *
   * @return bytes; empty if it is not told
   */
  OptionalLong memoryBytes(Path folder) {
    boolean isV2 = Files.exists(folder.resolve(MEMORY_V2));
    OptionalLong all = number(folder.resolve(isV2 ? MEMORY_V2 : MEMORY_V1), "");
    if (all.isEmpty()) {
      return all;
    }
    OptionalLong inactive =
        number(folder.resolve("memory.stat"), isV2 ? "inactive_file " : "total_inactive_file ");
    return inactive.isEmpty()
        ? inactive
        : OptionalLong.of(Math.max(0, all.getAsLong() - inactive.getAsLong()));
  }

  /**
   * A number of a file.
   *
   * @param name what its line begins with
   */
  private OptionalLong number(Path file, String name) {
    int length;
    try (InputStream in = new FileInputStream(file.toFile())) {
      length = in.readNBytes(buffer, 0, buffer.length);
    } catch (IOException e) {
      // Files of a group that has ended cannot be opened, or not be read.
      if (Files.exists(file)) {
        fail(file, e.getMessage());
      }
      return OptionalLong.empty();
    }
    String text = "\n" + new String(buffer, 0, length, StandardCharsets.ISO_8859_1);
    int at = text.indexOf("\n" + name);
    int from = at + 1 + name.length();
    int end = from;
    while (at >= 0 && end < text.length() && text.charAt(end) >= '0' && text.charAt(end) <= '9') {
      end++;
    }
    boolean isWhole = end > from && end - from < 19;
    if (!isWhole || end < text.length() && text.charAt(end) != '\n') {
      fail(file, "it has no number" + (name.isEmpty() ? "" : " of " + name.strip()));
      return OptionalLong.empty();
    }
    return OptionalLong.of(Long.parseLong(text, from, end, 10));
  }

  private void fail(Path file, String why) {
    if (unread++ == 0) {
      LOG.warn(
          "{} is not read: {}; further ones are counted in gpu_owner_groups_unread_total",
          file,
          why);
    }
  }
}
