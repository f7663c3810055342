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
  private static final int CONNECT_MILLIS = 3_000;

  private DiscoveryChecks() {}

  /** A check of a process that discovers others; of nothing without settings. */
  public static Consumer<Findings> of(Optional<DiscoverySettings> settings) {
    return findings -> settings.ifPresent(present -> look(present, findings.about("discovery")));
  }

  private static void look(DiscoverySettings settings, Findings findings) {
    List<String> addresses;
    try {
      addresses = Discovery.ask(settings);
    } catch (IOException e) {
      findings.failure(
          settings.section() + " finds no address: " + e.getMessage(),
          "correct its keys or the responding server; a process starts with the last saved result,"
              + " if there is one");
      return;
    }
    List<String> away = addresses.stream().filter(each -> refusal(each).isPresent()).toList();
    findings.ok(settings.section() + " finds " + String.join(", ", addresses));
    if (!away.isEmpty()) {
      findings.warning(
          "of " + addresses.size() + " discovered addresses, these cannot be reached: " + away,
          "start them, or open their port in firewalls and network policies; nothing is wrong with"
              + " the address of a process that has not been started yet");
    }
  }

  /**
   * The reason why nothing accepts connections at an address; empty if something does.
   *
   * @param address host:port
   */
  public static Optional<String> refusal(String address) {
    int port = Integer.parseInt(address.substring(address.lastIndexOf(':') + 1));
    try (Socket socket = new Socket()) {
      socket.connect(new InetSocketAddress(NameChecks.hostOf(address), port), CONNECT_MILLIS);
      return Optional.empty();
    } catch (IOException e) {
      return Optional.of(String.valueOf(e.getMessage()));
    }
  }
}
