package io.fleetgauge.cluster.process;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;

/** Whether any of some files has changed; one thread looks at a time. */
final class ChangedFiles {
  private final List<Path> files;
  private byte[] before;

  ChangedFiles(List<Path> files) {
    this.files = files;
    this.before = contents();
  }

  /** Whether they have changed since it was asked last. */
  boolean look() {
    byte[] now = contents();
    boolean changed = now.length > 0 && !Arrays.equals(before, now);
    if (now.length > 0) {
      before = now;
    }
    return changed;
  }

  /** Nothing while one of them cannot be read, as when it is just being replaced. */
  private byte[] contents() {
    try {
      StringBuilder all = new StringBuilder();
      for (Path file : files) {
        all.append(Files.readString(file)).append('\n');
      }
      return all.toString().getBytes(java.nio.charset.StandardCharsets.UTF_8);
    } catch (IOException e) {
      return new byte[0];
    }
  }
}
