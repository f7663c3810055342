package io.fleetgauge.operator.backup;

import static org.assertj.core.api.Assertions.assertThat;

import io.fleetgauge.operator.client.ScriptedGateways;
import io.fleetgauge.runtime.process.Command;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

/** The commands, on backups of one gateway with one file of one host. */
class BackupCommandTest {
  private static final String BYTES = "of n1";

  @TempDir private Path folder;
  private final StringWriter out = new StringWriter();
  private final StringWriter err = new StringWriter();
  private ScriptedGateways gateways;

  @BeforeEach
  void start() throws Exception {
    gateways = new ScriptedGateways(1);
    gateways
        .tell(
            "g0 GET /v1/backup",
            200,
            """
            {"version": 1, "gateway": "g0", "cluster": "prod", "retention": 604800000,
             "gateways": {"g0": "%s"}, "dimensions": {"identifier": "UUID"}}
            """
                .formatted(gateways.address(0)))
        .tell("g0 POST /v1/backup", 202, "{\"id\": \"s\"}")
        .tell("g0 DELETE /v1/backup/s", 204, "")
        .tell(
            "g0 GET /v1/backup/s",
            200,
            """
            {"taken": 1790000000000,
             "hosts": [{"host": "n1", "whole": true, "tenant": "t", "admitted": 5, "damaged": [],
                        "files": [{"name": "0-100.block", "size": 5, "sha256": "%s",
                                   "file": 1}]}]}
            """
                .formatted(Repositories.sha256(BYTES.getBytes(StandardCharsets.UTF_8))))
        .tell("g0 GET /v1/backup/s/files/1", 200, BYTES);
  }

  @AfterEach
  void close() throws Exception {
    gateways.close();
  }

  private int run(Command command, String... arguments) {
    out.getBuffer().setLength(0);
    err.getBuffer().setLength(0);
    return new CommandLine(command)
        .setOut(new PrintWriter(out))
        .setErr(new PrintWriter(err))
        .execute(arguments);
  }

  private int backup(String subcommand, String... more) {
    List<String> all = new ArrayList<>(List.of(subcommand, "--repository=" + folder));
    all.addAll(List.of(more));
    return run(new BackupCommand(), all.toArray(String[]::new));
  }

  private int create(String... more) {
    List<String> all = new ArrayList<>(List.of("--gateway=" + gateways.address(0)));
    all.addAll(List.of(more));
    return backup("create", all.toArray(String[]::new));
  }

  @Test
  void aBackupIsMadeListedReadBackAndRemoved() {
    assertThat(create("--verify")).as(err.toString()).isZero();
    assertThat(out.toString())
        .contains(": 1 hosts of 1 gateways as of 2026-09-21T", "sent 1 files, 5 bytes")
        .contains("1 files were read back and are unchanged");
    assertThat(backup("list")).isZero();
    assertThat(out.toString()).contains("cluster prod, 1 gateways, 1 hosts, 5 bytes");
    assertThat(create("--keep=1")).isZero();
    assertThat(out.toString()).contains("removed backup ");
    assertThat(backup("list")).isZero();
    assertThat(out.toString().lines()).hasSize(1);
    assertThat(err.toString()).isEmpty();
  }

  @Test
  void aDamagedFileIsNamedAndExitsWithOne() throws Exception {
    assertThat(create()).isZero();
    try (var files = Files.walk(folder.resolve("files"))) {
      Files.writeString(files.filter(Files::isRegularFile).findFirst().orElseThrow(), "other");
    }
    assertThat(backup("verify")).isEqualTo(1);
    assertThat(out.toString())
        .contains(Repositories.sha256(BYTES.getBytes(StandardCharsets.UTF_8)));
    assertThat(err.toString()).startsWith("fleetgauge: 1 files of backup ");
  }

  @Test
  void aDryRunOfARestoreSendsNothing() {
    assertThat(create()).isZero();
    gateways.forget();
    String gateway = "--gateway=" + gateways.address(0);
    assertThat(run(new RestoreCommand(), "--from=" + folder, gateway, "--dry-run"))
        .as(err.toString())
        .isZero();
    assertThat(out.toString()).contains("nothing was restored");
    assertThat(gateways.asked()).allMatch(asked -> asked.startsWith("g0 GET "));
  }

  @Test
  void whatIsWrongIsOneLineAndExitsWithOne() {
    assertThat(create("--transfers=65")).isEqualTo(1);
    assertThat(err.toString()).startsWith("fleetgauge: --transfers ").hasLineCount(1);
    assertThat(create("--max-rate=fast")).isEqualTo(1);
    assertThat(err.toString()).startsWith("fleetgauge: --max-rate ").hasLineCount(1);
    assertThat(backup("create", "--gateway=http://127.0.0.1")).isEqualTo(1);
    assertThat(err.toString()).startsWith("fleetgauge: --gateway ").hasLineCount(1);
    assertThat(backup("prune", "--keep=0")).isEqualTo(1);
    assertThat(err.toString()).startsWith("fleetgauge: --keep ").hasLineCount(1);
    assertThat(backup("verify")).isEqualTo(1);
    assertThat(err.toString()).startsWith("fleetgauge: ").hasLineCount(1);
    assertThat(out.toString()).isEmpty();
  }

  @Test
  void wrongUsageExitsWithTwoAndHelpWithZero() {
    assertThat(run(new BackupCommand())).isEqualTo(2);
    assertThat(err.toString()).contains("Usage: ", "create", "prune");
    assertThat(backup("create", "--nosuch")).isEqualTo(2);
    assertThat(run(new BackupCommand(), "create", "--help")).isZero();
    assertThat(out.toString()).contains("--repository", "--transfers", "--secret-file");
    assertThat(run(new RestoreCommand(), "--help")).isZero();
    assertThat(out.toString()).contains("--dry-run", "--transfers", "--gateway");
  }
}
