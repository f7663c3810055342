package io.fleetgauge.cluster.process;

import picocli.CommandLine.Option;

/** The option of processes that otherwise need tokens to listen for other machines. */
public final class InsecureOption {
  @Option(
      names = "--insecure",
      description =
          "Lets other machines reach the process without authentication, as http.insecure does.")
  private boolean insecure;

  public boolean isSet() {
    return insecure;
  }
}
