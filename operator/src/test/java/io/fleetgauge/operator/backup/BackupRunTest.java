package io.fleetgauge.operator.backup;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fleetgauge.operator.client.GatewayClient;
import io.fleetgauge.operator.client.ScriptedGateways;
import io.fleetgauge.runtime.config.TrustSettings;
import io.fleetgauge.runtime.terminal.CommandFailure;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Backups of two gateways, which hold hosts n1 and n2. */
class BackupRunTest {
  private static final JsonObject DIMENSIONS = new JsonObject().put("identifier", "UUID");
  private static final long NOW = 1_790_000_000_000L;

  @TempDir private Path folder;
  private final List<String> lines = Collections.synchronizedList(new ArrayList<>());
  private ScriptedGateways gateways;
  private GatewayClient client;
  private Repository repository;

  @BeforeEach
  void start() throws Exception {
    gateways = new ScriptedGateways(2);
    client = new GatewayClient(TrustSettings.ofSecret(Optional.empty()));
    repository = new FolderRepository(folder.resolve("backups"));
    JsonObject addresses =
        new JsonObject()
            .put("g0", gateways.address(0).toString())
            .put("g1", gateways.address(1).toString());
    gateways.tell("g0 GET /v1/backup", 200, about(1, addresses).encode());
    for (String each : List.of("g0", "g1")) {
      gateways
          .tell(each + " POST /v1/backup", 202, "{\"id\": \"s\"}")
          .tell(each + " DELETE /v1/backup/s", 204, "");
    }
    snapshot(
        0,
        NOW - 50,
        host("n1", true, file(1, "0-100.block", "of n1"), file(2, "100-200.page", "memory of n1")),
        host("n2", false, file(3, "0-100.block", "of n2 at g0")));
    snapshot(
        1,
        NOW - 40,
        host("n1", false, file(7, "0-100.block", "older of n1")),
        host("n2", false, file(8, "0-50.block", "of n2 at g1"))
            .put("damaged", new JsonArray(List.of("50-100.block"))));
    content(0, 1, "of n1");
    content(0, 2, "memory of n1");
    content(0, 3, "of n2 at g0");
    content(1, 8, "of n2 at g1");
  }

  @AfterEach
  void close() throws Exception {
    client.close();
    gateways.close();
  }

  private static JsonObject about(int version, JsonObject gateways) {
    return new JsonObject()
        .put("version", version)
        .put("gateway", "g0")
        .put("cluster", "prod")
        .put("gateways", gateways)
        .put("dimensions", DIMENSIONS);
  }

  private static Manifest.BackupFile kept(String name, String bytes) {
    byte[] of = bytes.getBytes(StandardCharsets.UTF_8);
    return new Manifest.BackupFile(name, of.length, Repositories.sha256(of));
  }

  private static JsonObject file(int number, String name, String bytes) {
    Manifest.BackupFile kept = kept(name, bytes);
    return new JsonObject()
        .put("name", name)
        .put("size", kept.size())
        .put("sha256", kept.sha256())
        .put("file", number);
  }

  private static JsonObject host(String name, boolean whole, JsonObject... files) {
    return new JsonObject()
        .put("host", name)
        .put("whole", whole)
        .put("tenant", "t-" + name)
        .put("admitted", 5)
        .put("damaged", new JsonArray())
        .put("files", new JsonArray(List.of(files)));
  }

  private void snapshot(int gateway, long taken, JsonObject... hosts) {
    gateways.tell(
        "g" + gateway + " GET /v1/backup/s",
        200,
        new JsonObject().put("taken", taken).put("hosts", new JsonArray(List.of(hosts))).encode());
  }

  private void content(int gateway, int file, String bytes) {
    gateways.tell("g" + gateway + " GET /v1/backup/s/files/" + file, 200, bytes);
  }

  private BackupRun.Result run(Repository to, boolean isAlone, boolean mayMiss) throws Exception {
    return new BackupRun(client, to, new Rate(0), 2, () -> NOW, lines::add)
        .run(gateways.address(0), isAlone, mayMiss);
  }

  private List<String> asked(String beginning) {
    return gateways.asked().stream().filter(each -> each.contains(beginning)).toList();
  }

  private void assertNoBackupAndNoSnapshot() throws Exception {
    assertThat(Repositories.ids(repository)).isEmpty();
    assertThat(asked("DELETE")).hasSameSizeAs(asked("POST"));
  }

  @Test
  void aBackupHasTheWholeCopyOfAHostOrElseAllCopies() throws Exception {
    BackupRun.Result done = run(repository, false, false);

    Manifest expected =
        new Manifest(
            "prod",
            NOW - 50,
            NOW,
            DIMENSIONS,
            List.of("g0", "g1"),
            List.of(),
            List.of(
                new Manifest.Host(
                    "n1",
                    "t-n1",
                    5,
                    true,
                    List.of(
                        new Manifest.Copy(
                            "g0",
                            List.of(
                                kept("0-100.block", "of n1"),
                                kept("100-200.page", "memory of n1"))))),
                new Manifest.Host(
                    "n2",
                    "t-n2",
                    5,
                    false,
                    List.of(
                        new Manifest.Copy("g0", List.of(kept("0-100.block", "of n2 at g0"))),
                        new Manifest.Copy("g1", List.of(kept("0-50.block", "of n2 at g1")))))));
    assertThat(done).isEqualTo(new BackupRun.Result(done.id(), expected, 4, 39, 4, 39));
    assertThat(Repositories.read(repository, done.id())).isEqualTo(expected);
    assertThat(Repositories.verify(repository, expected, new Rate(0))).isEmpty();
    assertThat(asked("DELETE"))
        .containsExactlyInAnyOrder("g0 DELETE /v1/backup/s", "g1 DELETE /v1/backup/s");
    assertThat(lines)
        .containsExactly(
            "gateway g1: the block 50-100.block of host n2 is damaged and left out",
            "4 files with 39 bytes; 4 of them are new");
  }

  @Test
  void bytesAreCopiedAtTheRateThatIsSet() throws Exception {
    long begin = System.nanoTime();
    new BackupRun(client, repository, new Rate(4 * 39), 2, () -> NOW, lines::add)
        .run(gateways.address(0), false, false);
    // The last file is copied when the others have had their time.
    assertThat(System.nanoTime() - begin)
        .isGreaterThan(TimeUnit.SECONDS.toNanos(39 - 12) / (4 * 39));
  }

  @Test
  void theNextBackupAsksOnlyForFilesThatAreNotThereWhole() throws Exception {
    run(repository, false, false);
    String cut = kept("100-200.page", "memory of n1").stored();
    repository.put(cut, new byte[3]);
    gateways.forget();

    BackupRun.Result done = run(repository, false, false);

    assertThat(done.files()).isEqualTo(4);
    assertThat(done.sent()).isEqualTo(1);
    assertThat(done.sentBytes()).isEqualTo(12);
    assertThat(asked("/files/")).containsExactly("g0 GET /v1/backup/s/files/2");
    assertThat(Repositories.verify(repository, done.manifest(), new Rate(0))).isEmpty();
  }

  @Test
  void snapshotsOfAllAreBegunBeforeOneIsWaitedFor() throws Exception {
    String whole = new JsonObject().put("taken", NOW).put("hosts", new JsonArray()).encode();
    gateways.tellInstead("g0 GET /v1/backup/s", 202, "{\"hosts\": 1, \"of\": 2}");
    gateways.tell("g0 GET /v1/backup/s", 200, whole);
    content(1, 7, "older of n1");

    run(repository, false, false);

    assertThat(gateways.asked().subList(0, 6))
        .containsExactly(
            "g0 GET /v1/backup",
            "g0 POST /v1/backup",
            "g1 POST /v1/backup",
            "g0 GET /v1/backup/s",
            "g0 GET /v1/backup/s",
            "g1 GET /v1/backup/s");
  }

  @Test
  void otherBytesThanAGatewaySaidAreAskedForAgainAndNeverStored() throws Exception {
    gateways.tellInstead("g0 GET /v1/backup/s/files/1", 200, "of N1");
    content(0, 1, "of n1");
    BackupRun.Result done = run(repository, false, false);
    assertThat(asked("g0 GET /v1/backup/s/files/1")).hasSize(2);
    assertThat(Repositories.verify(repository, done.manifest(), new Rate(0))).isEmpty();

    repository = new FolderRepository(folder.resolve("others"));
    gateways.forget();
    gateways.tellInstead("g0 GET /v1/backup/s/files/1", 200, "of N1");
    assertThatThrownBy(() -> run(repository, false, false))
        .isInstanceOf(CommandFailure.class)
        .hasMessage(
            "gateway g0 returns other bytes for 0-100.block than announced: their SHA-256 is "
                + kept("", "of N1").sha256()
                + ", not "
                + kept("", "of n1").sha256());
    assertThat(asked("g0 GET /v1/backup/s/files/1")).hasSize(3);
    assertThat(repository.list(Repositories.FILES))
        .doesNotContainKeys(kept("", "of N1").stored(), kept("", "of n1").stored());
    assertNoBackupAndNoSnapshot();
  }

  @Test
  void aFileThatAGatewayDoesNotGiveEndsTheBackupWithItsReason() throws Exception {
    gateways.tellInstead("g1 GET /v1/backup/s/files/8", 500, "the disk is gone\n");
    assertThatThrownBy(() -> run(repository, false, true))
        .isInstanceOf(CommandFailure.class)
        .hasMessage(gateways.address(1) + " responds with status 500: the disk is gone");
    assertNoBackupAndNoSnapshot();
  }

  @Test
  void aGatewayThatTakesNoSnapshotIsLeftOutOnlyIfItMayBe() throws Exception {
    gateways.tellInstead("g1 POST /v1/backup", 409, "there are two");
    assertThatThrownBy(() -> run(repository, false, false))
        .isInstanceOf(CommandFailure.class)
        .hasMessage(gateways.address(1) + " responds with status 409: there are two");
    assertThat(Repositories.ids(repository)).isEmpty();
    assertThat(asked("DELETE")).containsExactly("g0 DELETE /v1/backup/s");

    BackupRun.Result done = run(repository, false, true);
    assertThat(done.manifest().gateways()).containsExactly("g0");
    assertThat(done.manifest().missing()).containsExactly("g1");
    assertThat(done.files()).isEqualTo(3);
    assertThat(lines)
        .contains(
            "gateway g1 is left out: "
                + gateways.address(1)
                + " responds with status 409: there are two");
  }

  @Test
  void aBackupWithoutAnyGatewayIsOfTheTimeAtWhichItWasMade() throws Exception {
    gateways.tellInstead("g0 POST /v1/backup", 409, "");
    gateways.tellInstead("g1 POST /v1/backup", 409, "");
    Manifest manifest = run(repository, false, true).manifest();
    assertThat(manifest.taken()).isEqualTo(NOW);
    assertThat(manifest.missing()).containsExactly("g0", "g1");
  }

  @Test
  void aloneOnlyTheGatewayThatIsNamedIsBackedUp() throws Exception {
    BackupRun.Result done = run(repository, true, false);
    assertThat(done.manifest().gateways()).containsExactly("g0");
    assertThat(gateways.asked()).noneMatch(each -> each.startsWith("g1"));
  }

  @Test
  void aGatewayWithoutAClusterOrOfAnotherReleaseIsNotBackedUp() {
    gateways.tellInstead("g0 GET /v1/backup", 200, about(1, new JsonObject()).encode());
    assertThatThrownBy(() -> run(repository, false, true))
        .isInstanceOf(CommandFailure.class)
        .hasMessage(gateways.address(0) + " has not joined its cluster yet");
    gateways.tellInstead("g0 GET /v1/backup", 200, about(2, new JsonObject()).encode());
    assertThatThrownBy(() -> run(repository, true, true))
        .isInstanceOf(CommandFailure.class)
        .hasMessageContaining("is of version 2, and this program knows version 1");
    assertThat(asked("POST")).isEmpty();
  }

  @Test
  void aSnapshotThatCannotBeRemovedIsToldAndTheBackupCounts() throws Exception {
    gateways.tellInstead("g1 DELETE /v1/backup/s", 401, "who are you?");
    BackupRun.Result done = run(repository, false, false);
    assertThat(Repositories.ids(repository)).containsOnlyKeys(done.id());
    assertThat(lines.getLast())
        .startsWith("the snapshot s of gateway g1 stays for two hours: ")
        .contains("who are you?");
  }

  /** Another program removes files while a backup is made. */
  private record LossyRepository(Repository of, String lost) implements Repository {
    @Override
    public SortedMap<String, StoredFile> list(String prefix) throws IOException {
      SortedMap<String, StoredFile> all = new TreeMap<>(of.list(prefix));
      all.remove(lost);
      return all;
    }

    @Override
    public byte[] get(String name) throws IOException {
      return of.get(name);
    }

    @Override
    public void put(String name, byte[] bytes) throws IOException {
      of.put(name, bytes);
    }

    @Override
    public void delete(String name) throws IOException {
      of.delete(name);
    }

    @Override
    public String place(String name) {
      return of.place(name);
    }

    @Override
    public void close() {}
  }

  @Test
  void aFileThatGoesMeanwhileLeavesNoBackupThatLacksIt() throws Exception {
    String lost = kept("", "of n1").stored();
    assertThatThrownBy(() -> run(new LossyRepository(repository, lost), false, false))
        .isInstanceOf(CommandFailure.class)
        .hasMessageStartingWith(
            repository.place(lost) + " disappeared while the backup was made; do not prune");
    assertNoBackupAndNoSnapshot();
    assertThat(run(repository, false, false).sent()).as("the next one goes on").isZero();
  }

  @Test
  void aStoreThatDoesNotTakeFilesEndsTheBackup() throws Exception {
    repository.put("fleetgauge-backup.json", "{\"version\":1}".getBytes(StandardCharsets.UTF_8));
    repository.put("files", new byte[0]);
    assertThatThrownBy(() -> run(repository, false, false)).isInstanceOf(IOException.class);
    assertNoBackupAndNoSnapshot();
    Map<String, Repository.StoredFile> all = repository.list("");
    assertThat(all).containsOnlyKeys("fleetgauge-backup.json", "files");
  }
}
