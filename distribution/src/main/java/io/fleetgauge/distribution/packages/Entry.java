package io.fleetgauge.distribution.packages;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;

/** An entry of a package at an absolute path; it belongs to root. */
sealed interface Entry {
  String path();

  /** A folder, with mode 0755. */
  record Folder(String path) implements Entry {}

  /** A symbolic link. */
  record Link(String path, String target) implements Entry {}

  /**
   * A file.
   *
   * @param mode 0644 or 0755
   * @param isConfiguration whether an upgrade keeps the file if it was changed
   */
  record File(String path, int mode, boolean isConfiguration, Content content) implements Entry {
    static File of(String path, Path source) {
      return new File(
          path, Files.isExecutable(source) ? 0755 : 0644, false, () -> Files.readAllBytes(source));
    }

    static File of(String path, String text) {
      return of(path, text.getBytes(StandardCharsets.UTF_8));
    }

    static File of(String path, byte[] bytes) {
      return new File(path, 0644, false, () -> bytes);
    }

    File executable() {
      return new File(path, 0755, isConfiguration, content);
    }

    File configuration() {
      return new File(path, mode, true, content);
    }
  }

  /** Read only when it is written, because runtimes are large. */
  @FunctionalInterface
  interface Content {
    byte[] bytes() throws IOException;
  }
}
