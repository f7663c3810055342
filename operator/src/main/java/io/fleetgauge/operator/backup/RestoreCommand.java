package io.fleetgauge.operator.backup;

import io.fleetgauge.operator.client.GatewayClient;
import io.fleetgauge.runtime.process.Command;
import io.fleetgauge.runtime.terminal.CommandFailure;
import java.io.IOException;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import picocli.CommandLine;

/** {@code fleetgauge restore}. */
@CommandLine.Command(
    name = "restore",
    description = {
      "Restores a backup into a running cluster of any size. Existing samples stay.",
      "Exits with 1 on any problem; then it may be run again."
    })
public final class RestoreCommand extends BackupCommand.RepositoryCommand implements Command {
  @CommandLine.Mixin private GatewayOptions gateways;

  @CommandLine.Option(
      names = "--backup",
      paramLabel = "ID",
      description = "ID of the backup. Default: the newest.")
  private String id = "";

  @CommandLine.Option(
      names = "--host",
      paramLabel = "HOST",
      description = "Restores this host; may be given several times. Default: all hosts.")
  private List<String> hosts = List.of();

  @CommandLine.Option(
      names = "--partial",
      description = "Restores the undamaged hosts of the backup, and names the others.")
  private boolean partial;

  @CommandLine.Option(
      names = "--dry-run",
      description = "Reads and verifies the backup, and sends nothing.")
  private boolean dryRun;

  @Override
  void run(Repository repository, Rate rate) throws CommandFailure, IOException {
    try (GatewayClient client = gateways.open()) {
      run(repository, client, rate);
    }
  }

  private void run(Repository repository, GatewayClient client, Rate rate)
      throws CommandFailure, IOException {
    long begun = System.nanoTime();
    Manifest manifest = Repositories.read(repository, id);
    print(
        "backup of cluster %s as of %s: %d hosts of %d gateways%s"
            .formatted(
                manifest.cluster(),
                Instant.ofEpochMilli(manifest.taken()),
                manifest.hosts().size(),
                manifest.gateways().size(),
                manifest.missing().isEmpty() ? "" : ", without " + manifest.missing()));
    Map<String, Long> done =
        new RestoreRun(
                client,
                repository,
                rate,
                gateways.transfers(),
                System::currentTimeMillis,
                this::print)
            .run(
                gateways.gateway(),
                manifest,
                host -> hosts.isEmpty() || hosts.contains(host),
                partial,
                dryRun);
    print(
        dryRun
            ? "the backup can be read; nothing was restored"
            : ("restored %d hosts in %.1f s: blocks %d new, %d there already, %d united, %d merged;"
                    + " %d pages; %d days of usage; %d files expired")
                .formatted(
                    done.get("hosts"),
                    (System.nanoTime() - begun) / 1e9,
                    done.get("adopted"),
                    done.get("known"),
                    done.get("united"),
                    done.get("merged"),
                    done.get("pages"),
                    done.get("days"),
                    done.get("expired")));
  }
}
