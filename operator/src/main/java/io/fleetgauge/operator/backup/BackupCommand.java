package io.fleetgauge.operator.backup;

import io.fleetgauge.operator.client.GatewayClient;
import io.fleetgauge.runtime.process.Command;
import io.fleetgauge.runtime.terminal.CommandFailure;
import io.fleetgauge.runtime.terminal.CommandGroup;
import io.fleetgauge.runtime.terminal.TerminalCommand;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import picocli.CommandLine;

/** {@code fleetgauge backup}. */
@CommandLine.Command(
    name = "backup",
    description = {
      "Backs up the samples of all gateways, to a folder or to S3, while they run.",
      "Exits with 1 on any problem. A backup is complete, or names what it lacks."
    },
    synopsisSubcommandLabel = "COMMAND",
    subcommands = {
      BackupCommand.Create.class,
      BackupCommand.Listing.class,
      BackupCommand.Verify.class,
      BackupCommand.Prune.class
    })
public final class BackupCommand extends CommandGroup implements Command {
  /** Files of no backup stay so long: a backup that runs may be about to name them. */
  private static final Duration GRACE = Duration.ofHours(24);

  /** A subcommand that uses backups. */
  abstract static class RepositoryCommand extends TerminalCommand {
    @CommandLine.Mixin private RepositoryOptions backups;

    @Override
    protected final int run() throws CommandFailure {
      try (Repository repository = backups.open()) {
        run(repository, backups.rate());
        return 0;
      } catch (IOException e) {
        throw new CommandFailure(e.toString(), e);
      }
    }

    abstract void run(Repository repository, Rate rate) throws CommandFailure, IOException;

    /** Removes old backups, and says which. */
    void prune(Repository repository, int keep) throws CommandFailure, IOException {
      if (keep < 1) {
        throw new CommandFailure("--keep " + keep + " is not 1 or more");
      }
      Repositories.Removal pruned =
          Repositories.prune(repository, keep, System.currentTimeMillis() - GRACE.toMillis());
      pruned.backups().forEach(id -> print("removed backup " + id));
      print("removed " + pruned.files() + " files with " + pruned.bytes() + " bytes");
    }

    /** Reads a backup back. */
    void verify(Repository repository, String id, Manifest manifest, Rate rate)
        throws CommandFailure, IOException {
      List<String> wrong = Repositories.verify(repository, manifest, rate);
      if (!wrong.isEmpty()) {
        wrong.forEach(this::print);
        throw new CommandFailure(
            wrong.size() + " files of backup " + id + " are damaged or missing");
      }
      print(
          "backup "
              + id
              + ": "
              + manifest.files().map(Manifest.BackupFile::sha256).distinct().count()
              + " files were read back and are unchanged");
    }
  }

  /** {@code fleetgauge backup create}. */
  @CommandLine.Command(
      name = "create",
      description =
          "Makes an incremental backup: files that are in the repository are not sent again.")
  static final class Create extends RepositoryCommand {
    @CommandLine.Mixin private GatewayOptions gateways;

    @CommandLine.Option(
        names = "--only-this-gateway",
        description = "Backs up the gateway of --gateway only.")
    private boolean alone;

    @CommandLine.Option(
        names = "--allow-missing",
        description =
            "Makes the backup even if gateways cannot be reached, and names them. Their hosts are"
                + " backed up from replicas.")
    private boolean mayMiss;

    @CommandLine.Option(
        names = "--verify",
        description = "Reads all files of the backup back and compares them.")
    private boolean verify;

    @CommandLine.Option(
        names = "--keep",
        paramLabel = "COUNT",
        description = "Removes all backups but the newest COUNT afterwards. Default: none.")
    private Integer keep;

    @Override
    void run(Repository repository, Rate rate) throws CommandFailure, IOException {
      long begun = System.nanoTime();
      try (GatewayClient client = gateways.open()) {
        BackupRun.Result done =
            new BackupRun(
                    client,
                    repository,
                    rate,
                    gateways.transfers(),
                    System::currentTimeMillis,
                    this::print)
                .run(gateways.gateway(), alone, mayMiss);
        Manifest manifest = done.manifest();
        print(
            "backup %s: %d hosts of %d gateways as of %s, %d files, %d bytes; sent %d files, %d bytes, in %.1f s"
                .formatted(
                    done.id(),
                    manifest.hosts().size(),
                    manifest.gateways().size(),
                    Instant.ofEpochMilli(manifest.taken()),
                    done.files(),
                    done.bytes(),
                    done.sent(),
                    done.sentBytes(),
                    (System.nanoTime() - begun) / 1e9));
        List<String> parts =
            manifest.hosts().stream()
                .filter(each -> !each.whole())
                .map(Manifest.Host::host)
                .toList();
        if (!parts.isEmpty()) {
          print(
              "no gateway was known to have all samples of these hosts, so all copies are in the"
                  + " backup: "
                  + String.join(", ", parts));
        }
        if (verify) {
          verify(repository, done.id(), manifest, rate);
        }
        if (keep != null) {
          prune(repository, keep);
        }
      }
    }
  }

  /** {@code fleetgauge backup list}. */
  @CommandLine.Command(name = "list", description = "Prints the backups, oldest first.")
  static final class Listing extends RepositoryCommand {
    @Override
    void run(Repository repository, Rate rate) throws CommandFailure, IOException {
      for (String id : Repositories.ids(repository).keySet()) {
        try {
          Manifest manifest = Repositories.read(repository, id);
          long bytes =
              manifest.distinctFiles().values().stream().mapToLong(Manifest.BackupFile::size).sum();
          print(
              "%s  cluster %s, %d gateways%s, %d hosts, %d bytes"
                  .formatted(
                      id,
                      manifest.cluster(),
                      manifest.gateways().size(),
                      manifest.missing().isEmpty() ? "" : ", without " + manifest.missing(),
                      manifest.hosts().size(),
                      bytes));
        } catch (CommandFailure e) {
          print(id + "  cannot be used: " + e.getMessage());
        }
      }
    }
  }

  /** {@code fleetgauge backup verify}. */
  @CommandLine.Command(
      name = "verify",
      description = "Reads all files of a backup and compares them with what was written.")
  static final class Verify extends RepositoryCommand {
    @CommandLine.Option(
        names = "--backup",
        paramLabel = "ID",
        description = "ID of the backup. Default: the newest.")
    private String id = "";

    @Override
    void run(Repository repository, Rate rate) throws CommandFailure, IOException {
      String wanted =
          id.isEmpty() && !Repositories.ids(repository).isEmpty()
              ? Repositories.ids(repository).lastKey()
              : id;
      verify(repository, wanted, Repositories.read(repository, wanted), rate);
    }
  }

  /** {@code fleetgauge backup prune}. */
  @CommandLine.Command(
      name = "prune",
      description = "Removes all backups but the newest, and unused files that are a day old.")
  static final class Prune extends RepositoryCommand {
    @CommandLine.Option(
        names = "--keep",
        paramLabel = "COUNT",
        required = true,
        description = "Number of backups to keep, 1 or more.")
    private int keep;

    @Override
    void run(Repository repository, Rate rate) throws CommandFailure, IOException {
      prune(repository, keep);
    }
  }
}
