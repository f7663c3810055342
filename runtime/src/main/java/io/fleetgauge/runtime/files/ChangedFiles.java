package io.fleetgauge.runtime.files;

import io.vertx.core.Vertx;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;

/** Detects changes of files by reading them. */
public final class ChangedFiles {
  private static final Duration LOOK_EVERY = Duration.ofSeconds(2);

  private final List<Path> files;
  private byte[] before;

  ChangedFiles(List<Path> files) {
    this.files = files;
    this.before = contents();
  }

  /**
   * Looks for as long as the event loops run.
   *
   * @param onChange runs on an event loop when any file has changed and all can be read
   */
  public static void watch(Vertx vertx, List<Path> files, Runnable onChange) {
    if (files.isEmpty()) {
      return;
    }
    ChangedFiles watched = new ChangedFiles(files);
    FilePoller.start(
        vertx,
        files.toString(),
        LOOK_EVERY,
        () -> {
          if (watched.look()) {
            vertx.runOnContext(none -> onChange.run());
          }
        });
  }

  /** Tells whether any has changed since the last look and all can be read. */
  synchronized boolean look() {
    byte[] now = contents();
    boolean changed = now.length > 0 && !Arrays.equals(before, now);
    if (now.length > 0) {
      before = now;
    }
    return changed;
  }

  /** Empty while any file cannot be read, as while it is being replaced. */
  private byte[] contents() {
    try {
      StringBuilder all = new StringBuilder();
      for (Path file : files) {
        all.append(Files.readString(file)).append('\n');
      }
      return all.toString().getBytes(StandardCharsets.UTF_8);
    } catch (IOException e) {
      return new byte[0];
    }
  }
}
