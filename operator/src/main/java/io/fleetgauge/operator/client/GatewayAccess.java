package io.fleetgauge.operator.client;

import io.fleetgauge.runtime.config.TrustSettings;
import io.fleetgauge.runtime.process.StartFailure;
import io.fleetgauge.runtime.terminal.CommandFailure;
import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;
import java.util.Set;
import picocli.CommandLine;

/** Options that say which gateway is asked, and with what proof. */
public class GatewayAccess {
  private static final Set<String> SCHEMES = Set.of("http", "https");
  private static final Duration CLOCK_SKEW = Duration.ofSeconds(60);

  @CommandLine.Option(
      names = "--gateway",
      paramLabel = "URL",
      defaultValue = "http://localhost:9500",
      description = "Any gateway of the cluster. Default: http://localhost:9500.")
  private String gateway;

  @CommandLine.Option(
      names = "--secret-file",
      paramLabel = "FILE",
      description = "The secret of the cluster, as cluster.secretFile names it.")
  private Path secretFile;

  @CommandLine.Option(
      names = "--certificate-file",
      paramLabel = "FILE",
      description = "Certificate (PEM) that is presented to gateways.")
  private Path certificateFile;

  @CommandLine.Option(
      names = "--key-file",
      paramLabel = "FILE",
      description = "Private key (PEM) of that certificate.")
  private Path keyFile;

  /** The address of the gateway. */
  public URI gateway() throws CommandFailure {
    URI address = address("--gateway", gateway, "http://localhost:9500");
    if (address.getPort() < 0) {
      throw new CommandFailure(
          "--gateway " + gateway + " has no port, as http://localhost:9500 has");
    }
    return address;
  }

  /**
   * An address without slashes at its end.
   *
   * @param option that has it, for messages
   */
  static URI address(String option, String text, String example) throws CommandFailure {
    try {
      URI address = URI.create(text.replaceFirst("/+$", ""));
      if (address.getHost() != null && SCHEMES.contains(String.valueOf(address.getScheme()))) {
        return address;
      }
    } catch (IllegalArgumentException e) {
      // said below
    }
    throw new CommandFailure(option + " " + text + " is no address such as " + example);
  }

  /**
   * A client of the cluster of the gateway.
   *
   * @param caFile certificates that the gateways' are checked against; null for those of the JVM
   * @throws CommandFailure if a file cannot be read
   */
  public GatewayClient open(Path caFile) throws CommandFailure {
    try {
      return new GatewayClient(
          new TrustSettings(
              Optional.ofNullable(caFile),
              Optional.ofNullable(certificateFile),
              Optional.ofNullable(keyFile),
              Optional.ofNullable(secretFile),
              CLOCK_SKEW));
    } catch (StartFailure e) {
      throw new CommandFailure(e.getMessage(), e);
    }
  }
}
