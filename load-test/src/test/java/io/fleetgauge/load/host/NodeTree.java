package io.fleetgauge.load.host;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;

/** Files of proc and sys as a node with much hardware has them. */
final class NodeTree {
  private static final String LINK = " -> ";

  private NodeTree() {}

  /** Contents by path; each line has its end. */
  static Map<String, String> files() throws IOException {
    Map<String, String> files = new LinkedHashMap<>();
    String path = "";
    try (InputStream in = NodeTree.class.getResourceAsStream("/host/node-tree.txt")) {
      for (String line : new String(in.readAllBytes(), StandardCharsets.UTF_8).split("\n")) {
        if (line.startsWith("== ")) {
          path = line.substring(3);
          files.put(path, "");
        } else if (!path.isEmpty()) {
          files.merge(path, line + "\n", String::concat);
        }
      }
    }
    return files;
  }

  /** Writes the files below a folder. */
  static void write(Path folder) throws IOException {
    for (var file : files().entrySet()) {
      if (file.getKey().contains(LINK)) {
        String[] ends = file.getKey().split(LINK);
        Path link = folder.resolve(ends[0]);
        Files.createDirectories(link.getParent());
        Files.createSymbolicLink(link, Path.of(ends[1]));
      } else {
        Path path = folder.resolve(file.getKey());
        Files.createDirectories(path.getParent());
        Files.writeString(path, file.getValue());
      }
    }
  }
}
