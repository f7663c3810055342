package io.fleetgauge.cluster.config;

import java.io.IOException;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.nio.file.Files;
import java.nio.file.Path;

/** The name of the machine this runs on. */
public final class LocalHost {
  private LocalHost() {}

  /** As the kernel knows it, which is what {@code hostname} prints; never empty. */
  public static String name() {
    try {
      String name = Files.readString(Path.of("/proc/sys/kernel/hostname")).strip();
      if (!name.isEmpty()) {
        return name;
      }
    } catch (IOException e) {
      // Not Linux, or no proc file system: the resolver may know.
    }
    try {
      return InetAddress.getLocalHost().getHostName();
    } catch (UnknownHostException e) {
      return "localhost";
    }
  }
}
