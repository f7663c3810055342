package io.fleetgauge.runtime.doctor;

import io.fleetgauge.runtime.config.DiscoverySettings;
import io.fleetgauge.runtime.discovery.Discovery;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;

/** Checks that discovery answers, and that the addresses it finds can be reached. */
public final class DiscoveryChecks {
  private static final String CHECK = "discovery";
  private static final int CONNECT_MILLIS = 3_000;

  private DiscoveryChecks() {}

  /** A check of a process that discovers others; of nothing without settings. */
  public static Consumer<Findings> of(Optional<DiscoverySettings> settings) {
    return findings -> settings.ifPresent(present -> look(present, findings));
  }

  private static void look(DiscoverySettings settings, Findings findings) {
    List<String> addresses;
    try {
      addresses = Discovery.ask(settings);
    } catch (IOException e) {
      findings.failure(
          CHECK,
          settings.section() + " finds no address: " + e.getMessage(),
          "correct its keys or the responding server; a process starts with the last saved result,"
              + " if there is one");
      return;
    }
    List<String> away = addresses.stream().filter(each -> !accepts(each)).toList();
    findings.ok(CHECK, settings.section() + " finds " + String.join(", ", addresses));
    if (!away.isEmpty()) {
      findings.warning(
          CHECK,
          "of " + addresses.size() + " discovered addresses, these cannot be reached: " + away,
          "start them, or open their port in firewalls and network policies; nothing is wrong with"
              + " the address of a process that has not been started yet");
    }
  }

  private static boolean accepts(String address) {
    int port = Integer.parseInt(address.substring(address.lastIndexOf(':') + 1));
    try (Socket socket = new Socket()) {
      socket.connect(new InetSocketAddress(NameChecks.hostOf(address), port), CONNECT_MILLIS);
      return true;
    } catch (IOException e) {
      return false;
    }
  }
}
