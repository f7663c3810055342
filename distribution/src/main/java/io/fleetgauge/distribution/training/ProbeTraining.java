package io.fleetgauge.distribution.training;

import io.fleetgauge.distribution.process.ProcessFolder;
import java.io.IOException;
import java.io.InputStream;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Makes the cache of a probe, which runs as it will on a node, against a gateway and a driver of
 * stand-ins.
 */
final class ProbeTraining {
  private static final int SECONDS = 120;
  private static final Pattern READINGS = Pattern.compile("its readings: (http://\\S+)");

  private ProbeTraining() {}

  /**
   * @param folder to work in
   */
  static void run(ProcessFolder probe, Path folder, Path driverSource)
      throws IOException, InterruptedException, GeneralSecurityException {
    Files.createDirectories(folder);
    StandInDriver driver = StandInDriver.make(driverSource, folder);
    try (TrainingGateway gateway = TrainingGateway.start(folder);
        TrainedProcess process =
            new TrainedProcess(
                probe,
                "probe",
                folder,
                """
                hostname: training
                tick: 1s
                ticks: {other: 1s, static: 1m}
                gateways: ["%s"]
                trust: {ca: %s}
                http: {host: 127.0.0.1, port: 0}
                spool: {folder: %s}
                gpu: {library: %s}
                """
                    .formatted(
                        gateway.address(),
                        gateway.authority(),
                        folder.resolve("spool"),
                        driver.library()))) {
      process.startAndNote(driver);
      if (!gateway.awaitTicks(SECONDS)) {
        throw process.failure("does not send");
      }
      readMetrics(process);
      process.stop();
      process.makeCache(driver);
    }
  }

  private static void readMetrics(TrainedProcess process) throws IOException {
    Matcher address = READINGS.matcher(process.output());
    if (!address.find()) {
      throw process.failure("does not say its address");
    }
    try (InputStream in = URI.create(address.group(1)).toURL().openStream()) {
      in.readAllBytes();
    }
  }
}
