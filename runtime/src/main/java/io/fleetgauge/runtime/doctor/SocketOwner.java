package io.fleetgauge.runtime.doctor;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;

/** Finds the process that listens on a port, as far as this user may know. */
final class SocketOwner {
  private static final String LISTENING = "0A";

  private SocketOwner() {}

  /** Its name and number; empty when nobody listens or it belongs to another user. */
  static Optional<String> of(int port) {
    Set<String> sockets = new HashSet<>();
    for (String table : List.of("/proc/net/tcp", "/proc/net/tcp6")) {
      try {
        for (String line : Files.readAllLines(Path.of(table))) {
          String[] fields = line.strip().split("\\s+");
          String end = ":" + String.format(Locale.ROOT, "%04X", port);
          if (fields.length > 9 && fields[1].endsWith(end) && fields[3].equals(LISTENING)) {
            sockets.add("socket:[" + fields[9] + "]");
          }
        }
      } catch (IOException e) {
        return Optional.empty(); // not Linux
      }
    }
    return sockets.isEmpty() ? Optional.empty() : holder(sockets);
  }

  private static Optional<String> holder(Set<String> sockets) {
    try (DirectoryStream<Path> processes = Files.newDirectoryStream(Path.of("/proc"), "[0-9]*")) {
      for (Path process : processes) {
        if (holds(process, sockets)) {
          return Optional.of(
              new String(Files.readAllBytes(process.resolve("comm")), StandardCharsets.UTF_8)
                      .strip()
                  + " (process "
                  + process.getFileName()
                  + ")");
        }
      }
    } catch (IOException e) {
      return Optional.empty(); // it ended meanwhile
    }
    return Optional.empty();
  }

  private static boolean holds(Path process, Set<String> sockets) {
    try (DirectoryStream<Path> files = Files.newDirectoryStream(process.resolve("fd"))) {
      for (Path file : files) {
        if (sockets.contains(Files.readSymbolicLink(file).toString())) {
          return true;
        }
      }
    } catch (IOException e) {
      return false; // of another user, or it ended meanwhile
    }
    return false;
  }
}
