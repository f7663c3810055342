package io.fleetgauge.probe.attribution.process;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.util.HashMap;
import java.util.Map;

/**
 * The names of the node's users, from its {@code /etc/passwd}; a user that it does not know, as one
 * from a directory service, is named by the number. Not for several threads.
 */
final class UserNames {
  private static final int MOST_BYTES = 4 << 20;
  private static final int LONGEST = 64;

  private final Path file;
  private FileTime readAt;
  private Map<String, String> byUid = Map.of();

  /**
   * @param root where the root file system of the node is mounted
   */
  UserNames(Path root) {
    this.file = root.resolve("etc/passwd");
  }

  /** Reads the file again if it has changed. */
  void look() {
    try {
      FileTime changed = Files.getLastModifiedTime(file);
      if (!changed.equals(readAt)) {
        byUid = read();
        readAt = changed;
      }
    } catch (IOException e) {
      byUid = Map.of();
      readAt = null;
    }
  }

  String of(String uid) {
    return byUid.getOrDefault(uid, uid);
  }

  private Map<String, String> read() throws IOException {
    Map<String, String> users = new HashMap<>();
    try (InputStream in = Files.newInputStream(file)) {
      String text = new String(in.readNBytes(MOST_BYTES), StandardCharsets.UTF_8);
      for (String line : text.split("\n")) {
        String[] fields = line.split(":", 4);
        if (fields.length == 4 && !fields[0].isEmpty() && fields[0].length() <= LONGEST) {
          users.putIfAbsent(fields[2], fields[0]);
        }
      }
    }
    return users;
  }
}
