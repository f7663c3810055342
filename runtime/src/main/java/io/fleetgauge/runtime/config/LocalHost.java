package io.fleetgauge.runtime.config;

import java.io.IOException;
import java.net.Inet6Address;
import java.net.InetAddress;
import java.net.NetworkInterface;
import java.net.SocketException;
import java.net.UnknownHostException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;

/** The name and the address of the machine this runs on. */
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

  /**
   * The first address by which others may reach the machine, of IPv4 if there is one; a loopback
   * address if there is none. Interfaces are taken in the kernel's order.
   */
  public static String address() {
    try {
      return NetworkInterface.networkInterfaces()
          .filter(LocalHost::isUp)
          .sorted(Comparator.comparingInt(NetworkInterface::getIndex))
          .flatMap(NetworkInterface::inetAddresses)
          .filter(address -> !address.isLoopbackAddress() && !address.isLinkLocalAddress())
          .min(Comparator.comparing(address -> address instanceof Inet6Address))
          .orElse(InetAddress.getLoopbackAddress())
          .getHostAddress()
          .replaceFirst("%.*", ""); // the interface of an IPv6 address
    } catch (SocketException e) {
      return InetAddress.getLoopbackAddress().getHostAddress();
    }
  }

  private static boolean isUp(NetworkInterface each) {
    try {
      return each.isUp() && !each.isLoopback();
    } catch (SocketException e) {
      return false; // it has just gone
    }
  }
}
