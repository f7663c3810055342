package io.fleetgauge.query.report.scheduled;

import io.fleetgauge.sample.files.PrivateFiles;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.UUID;

/** A folder of reports. Its methods wait for the disk. */
record ReportFolder(Path folder) {
  boolean has(String file) {
    return Files.exists(folder.resolve(file));
  }

  /** Writes a file as a whole. */
  void write(String file, byte[] bytes) throws IOException {
    PrivateFiles.createFolders(folder);
    Path unfinished = folder.resolve("." + file + "." + UUID.randomUUID());
    try {
      PrivateFiles.writeAndForce(unfinished, bytes);
      Files.move(
          unfinished,
          folder.resolve(file),
          StandardCopyOption.ATOMIC_MOVE,
          StandardCopyOption.REPLACE_EXISTING);
    } finally {
      Files.deleteIfExists(unfinished);
    }
  }

  void remove(String file) throws IOException {
    Files.deleteIfExists(folder.resolve(file));
  }
}
