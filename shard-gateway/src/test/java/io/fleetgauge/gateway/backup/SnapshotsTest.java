package io.fleetgauge.gateway.backup;

import static io.fleetgauge.gateway.backup.BackupGateway.HOST;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.fleetgauge.gateway.backup.BackupGateway.Answer;
import io.fleetgauge.gateway.store.block.BlockFolder;
import io.fleetgauge.gateway.store.block.DamagedBlock;
import io.fleetgauge.gateway.store.owner.Dimensions;
import io.fleetgauge.gateway.usage.UsageFile;
import io.fleetgauge.sample.Labels;
import io.fleetgauge.sample.Tick;
import io.fleetgauge.sample.frame.FrameEncoder;
import io.fleetgauge.sample.frame.IntakeAnswer;
import io.vertx.core.json.JsonObject;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What a gateway gives to a backup, and how long. */
class SnapshotsTest {
  private static final Duration SOON = Duration.ofMinutes(10);
  private static final long TWO_HOURS = TimeUnit.HOURS.toMillis(2);
  private static final int STEPS = 240;

  @TempDir private Path folder;
  private BackupGateway gateway;

  @BeforeEach
  void start() throws Exception {
    gateway = new BackupGateway("g1", folder.resolve("g1"));
    gateway.send(0, STEPS);
    gateway.intake.maintain().join();
    assertThat(gateway.store.blockFiles(HOST)).hasSizeGreaterThan(2);
  }

  @AfterEach
  void close() throws Exception {
    gateway.close();
  }

  private String begin() throws Exception {
    Answer begun = gateway.ask("POST", "/v1/backup");
    assertThat(begun.status()).as(begun.text()).isEqualTo(202);
    return new JsonObject(begun.text()).getString("id");
  }

  private JsonObject taken(String id) {
    return await()
        .atMost(SOON)
        .until(() -> gateway.ask("GET", "/v1/backup/" + id), answer -> answer.status() != 202)
        .json();
  }

  private static JsonObject host(JsonObject snapshot) {
    assertThat(snapshot.getJsonArray("hosts")).hasSize(1);
    return snapshot.getJsonArray("hosts").getJsonObject(0);
  }

  private static List<JsonObject> files(JsonObject snapshot) {
    List<JsonObject> files = new ArrayList<>();
    host(snapshot).getJsonArray("files").forEach(file -> files.add((JsonObject) file));
    return files;
  }

  private Answer file(String id, JsonObject file, String rest) throws Exception {
    return gateway.ask("GET", "/v1/backup/" + id + "/files/" + file.getInteger("file") + rest);
  }

  private boolean hasFiles(String id) throws Exception {
    Path pinned = folder.resolve("g1/snapshots").resolve(id);
    if (!Files.exists(pinned)) {
      return false;
    }
    try (Stream<Path> all = Files.walk(pinned)) {
      return all.anyMatch(Files::isRegularFile);
    } catch (NoSuchFileException | UncheckedIOException e) {
      return true; // it is being removed
    }
  }

  @Test
  void aSnapshotHasTheUsageThatIsKeptButForDamagedFiles() throws Exception {
    UsageFile kept = BackupGateway.usage(HOST, 0);
    UsageFile damaged = BackupGateway.usage(HOST, TimeUnit.DAYS.toMillis(1));
    gateway.store.usage().put(kept);
    gateway.store.usage().put(damaged);
    Path file = gateway.store.folder(HOST).resolve(damaged.name());
    Files.write(file, new byte[] {1, 2, 3});
    String id = begin();
    List<JsonObject> usage =
        files(taken(id)).stream()
            .filter(each -> each.getString("name").endsWith(".usage"))
            .toList();
    assertThat(usage).hasSize(1);
    assertThat(usage.getFirst().getString("name")).isEqualTo("1970-01-01.usage");
    assertThat(usage.getFirst().getString("sha256")).isEqualTo(BlockChecks.sha256(kept.toBytes()));
    assertThat(file(id, usage.getFirst(), "").body()).isEqualTo(kept.toBytes());
  }

  @Test
  void aSnapshotSaysWhatItHasAndItsFilesAreThose() throws Exception {
    JsonObject about = gateway.ask("GET", "/v1/backup").json();
    assertThat(about.getInteger("version")).isEqualTo(1);
    assertThat(about.getString("gateway")).isEqualTo("g1");
    assertThat(about.getString("cluster")).isEqualTo("prod");
    Dimensions dimensions = gateway.store.dimensions();
    assertThat(about.getJsonObject("dimensions").getMap())
        .containsEntry("identifier", dimensions.identifier());
    assertThat(about.getJsonObject("dimensions").getJsonArray("names"))
        .containsExactlyElementsOf(new TreeSet<>(dimensions.names()));
    assertThat(about.getJsonObject("gateways").fieldNames()).containsExactly("g1", "g2", "g3");
    assertThat(about.getLong("retention")).isEqualTo(TimeUnit.DAYS.toMillis(10));

    String id = begin();
    JsonObject snapshot = taken(id);

    assertThat(snapshot.getInteger("version")).isEqualTo(1);
    assertThat(snapshot.getString("gateway")).isEqualTo("g1");
    assertThat(snapshot.getString("cluster")).isEqualTo("prod");
    assertThat(snapshot.getLong("taken")).isEqualTo(gateway.clock.get());
    assertThat(snapshot.getJsonObject("dimensions")).isEqualTo(about.getJsonObject("dimensions"));
    JsonObject host = host(snapshot);
    assertThat(host.getString("host")).isEqualTo(HOST);
    assertThat(host.getBoolean("whole")).isTrue();
    assertThat(host.getString("tenant")).isEqualTo("red");
    assertThat(host.getLong("admitted")).isEqualTo(55);
    assertThat(host.getJsonArray("damaged")).isEmpty();
    List<JsonObject> files = files(snapshot);
    assertThat(files).anyMatch(file -> file.getString("name").endsWith(".block"));
    assertThat(files).anyMatch(file -> file.getString("name").endsWith(".page"));
    for (JsonObject file : files) {
      Answer whole = file(id, file, "");
      assertThat(whole.status()).isEqualTo(200);
      assertThat(whole.body()).hasSize(file.getInteger("size"));
      assertThat(BlockChecks.sha256(whole.body())).isEqualTo(file.getString("sha256"));
      Answer rest = file(id, file, "?from=7");
      assertThat(rest.body()).isEqualTo(Arrays.copyOfRange(whole.body(), 7, whole.body().length));
      Answer end = file(id, file, "?from=" + whole.body().length);
      assertThat(end.status()).as("nothing is left").isEqualTo(200);
      assertThat(end.body()).isEmpty();
      Answer behind = file(id, file, "?from=" + (whole.body().length + 1));
      assertThat(behind.status()).isEqualTo(500);
      assertThat(behind.text()).startsWith("the file cannot be read: ");
    }
  }

  @Test
  void filesOfSeveralHostsAreNumberedInTheOrderOfTheirHosts() throws Exception {
    FrameEncoder run = new FrameEncoder(BackupGateway.OTHER, 9);
    Labels series = Labels.of(Labels.NAME, "power", "Hostname", BackupGateway.OTHER);
    CompletableFuture<IntakeAnswer> answer = new CompletableFuture<>();
    byte[] frame = run.encode(new Tick.Builder().add(series, 7).at(gateway.clock.get()));
    gateway.intake.take(BackupGateway.OTHER, frame, 0, answer::complete);
    assertThat(answer.join()).isInstanceOf(IntakeAnswer.Kept.class);
    String id = begin();
    List<JsonObject> hosts =
        taken(id).getJsonArray("hosts").stream().map(host -> (JsonObject) host).toList();
    assertThat(hosts).extracting(host -> host.getString("host")).containsExactly("n1", "n9");
    int number = 0;
    for (JsonObject host : hosts) {
      for (Object each : host.getJsonArray("files")) {
        JsonObject file = (JsonObject) each;
        assertThat(file.getInteger("file")).isEqualTo(number++);
        assertThat(BlockChecks.sha256(file(id, file, "").body()))
            .isEqualTo(file.getString("sha256"));
      }
    }
    assertThat(hosts.getLast().getJsonArray("files")).hasSize(1);
  }

  /** A block is read for the first one only. */
  @Test
  void aSnapshotHasTheChecksumsOfTheOneBefore() throws Exception {
    List<JsonObject> first = files(taken(begin()));
    List<JsonObject> second = files(taken(begin()));
    assertThat(second).isEqualTo(first);
  }

  @Test
  void aBlockIsReadOnceWhateverItsNameUntilNobodyAsksForItAnyMore() throws Exception {
    BlockChecks checks = new BlockChecks();
    Path block = gateway.store.blockFiles(HOST).getFirst();
    Path link = Files.createLink(folder.resolve("link"), block);
    byte[] bytes = Files.readAllBytes(block);
    String sha256 = checks.of(block);
    assertThat(sha256).isEqualTo(BlockChecks.sha256(bytes));
    FileTime changed = Files.getLastModifiedTime(block);
    bytes[bytes.length / 2] ^= 1;
    Files.write(block, bytes);
    Files.setLastModifiedTime(block, changed);
    for (int i = 0; i < 3; i++) {
      assertThat(checks.of(link)).as("known").isEqualTo(sha256);
      checks.forgetOthers();
    }
    checks.forgetOthers();
    assertThatThrownBy(() -> checks.of(link)).isInstanceOf(DamagedBlock.class);
  }

  @Test
  void whileItIsTakenItSaysHowManyHostsAreDone() throws Exception {
    CountDownLatch goOn = new CountDownLatch(1);
    CompletableFuture<Boolean> held =
        gateway.intake.look(
            HOST,
            of -> {
              try {
                return goOn.await(2, TimeUnit.MINUTES);
              } catch (InterruptedException e) {
                return false;
              }
            });
    String id = begin();
    for (int i = 0; i < 2; i++) {
      Answer now = gateway.ask("GET", "/v1/backup/" + id);
      assertThat(now.status()).isEqualTo(202);
      assertThat(new JsonObject(now.text()).getMap()).isEqualTo(Map.of("hosts", 0, "of", 1));
      assertThat(gateway.ask("GET", "/v1/backup/" + id + "/files/0").status()).isEqualTo(404);
    }
    goOn.countDown();
    assertThat(held.join()).isTrue();
    host(taken(id));
    assertThat(gateway.snapshots.find(id).orElseThrow().done).isEqualTo(1);
  }

  @Test
  void withoutABlockThatIsListedThereIsNoSnapshotAndNothingOfItIsLeft() throws Exception {
    Path block = gateway.store.blockFiles(HOST).getLast();
    byte[] bytes = Files.readAllBytes(block);
    Files.delete(block);
    String id = begin();
    Answer failed =
        await()
            .atMost(SOON)
            .until(() -> gateway.ask("GET", "/v1/backup/" + id), answer -> answer.status() != 202);
    assertThat(failed.status()).isEqualTo(500);
    assertThat(failed.text())
        .startsWith("no snapshot can be taken: java.nio.file.NoSuchFileException")
        .contains(block.getFileName().toString());
    assertThat(folder.resolve("g1/snapshots").resolve(id)).doesNotExist();
    Files.write(block, bytes);
    assertThat(host(taken(begin())).getBoolean("whole")).isTrue();
  }

  /** Such as blocks on another file system. */
  @Test
  void blocksThatCannotBeLinkedAreCopied() throws Exception {
    assumeTrue(Files.isDirectory(Path.of("/dev/shm")), "there is no other file system");
    Path elsewhere = Files.createTempDirectory(Path.of("/dev/shm"), "blocks");
    try {
      Files.createDirectory(folder.resolve("g2"));
      Files.createSymbolicLink(folder.resolve("g2/blocks"), elsewhere);
      try (BackupGateway other = new BackupGateway("g1", folder.resolve("g2"))) {
        other.send(0, STEPS);
        other.intake.maintain().join();
        assertThat(other.store.blockFiles(HOST)).isNotEmpty();
        String id = new JsonObject(other.ask("POST", "/v1/backup").text()).getString("id");
        JsonObject snapshot =
            await()
                .atMost(SOON)
                .until(() -> other.ask("GET", "/v1/backup/" + id), each -> each.status() != 202)
                .json();
        for (JsonObject file : files(snapshot)) {
          byte[] kept =
              other.ask("GET", "/v1/backup/" + id + "/files/" + file.getInteger("file")).body();
          assertThat(BlockChecks.sha256(kept)).isEqualTo(file.getString("sha256"));
        }
        assertThat(files(snapshot).size()).isGreaterThan(other.store.blockFiles(HOST).size());
      }
    } finally {
      try (Stream<Path> all = Files.walk(elsewhere)) {
        for (Path each : all.sorted(Comparator.reverseOrder()).toList()) {
          Files.delete(each);
        }
      }
    }
  }

  @Test
  void itsFilesTogetherHaveEverySampleUpToTheNewest() throws Exception {
    String id = begin();
    JsonObject snapshot = taken(id);
    try (BackupGateway other = new BackupGateway("g1", folder.resolve("other"))) {
      other.clock.set(gateway.clock.get());
      for (JsonObject file : files(snapshot)) {
        String name = file.getString("name");
        boolean isBlock = name.endsWith(".block");
        other
            .put(
                isBlock ? "PUT" : "POST",
                BackupGateway.restore(isBlock ? "/blocks/" + name : "/samples"),
                file(id, file, "").body())
            .json();
      }
      other.ask("POST", BackupGateway.restore("/blocks")).json();
      assertThat(other.samples()).isEqualTo(BackupGateway.sent(0, STEPS));
    }
  }

  @Test
  void whatItHasNotIsAnErrorThatSaysSo() throws Exception {
    String id = begin();
    int count = files(taken(id)).size();
    String files = "/v1/backup/" + id + "/files/";
    assertThat(gateway.ask("GET", files + (count - 1)).status()).isEqualTo(200);
    assertThat(gateway.ask("GET", files + count).status()).isEqualTo(404);
    assertThat(gateway.ask("GET", files + "-1").status()).isEqualTo(404);
    assertThat(gateway.ask("GET", files + "0?from=-1").status()).isEqualTo(404);
    assertThat(gateway.ask("GET", files + "x").status()).isEqualTo(400);
    assertThat(gateway.ask("GET", files + "0?from=x").status()).isEqualTo(400);
    assertThat(gateway.ask("GET", "/v1/backup/other").status()).isEqualTo(404);
    assertThat(gateway.ask("GET", "/v1/backup/other/files/0").status()).isEqualTo(404);
    assertThat(gateway.ask("DELETE", "/v1/backup/other").text())
        .isEqualTo("gateway g1 has no snapshot other (any more)\n");
  }

  @Test
  void thereAreTwoSnapshotsAtMost() throws Exception {
    String first = begin();
    String second = begin();
    Answer third = gateway.ask("POST", "/v1/backup");
    assertThat(third.status()).isEqualTo(409);
    assertThat(third.text()).contains("has 2 snapshots already").contains(first).contains(second);
    taken(second);
    assertThat(gateway.ask("DELETE", "/v1/backup/" + first).status()).isEqualTo(204);
    assertThat(gateway.ask("GET", "/v1/backup/" + first).status()).isEqualTo(404);
    taken(begin());
    await().atMost(SOON).until(() -> !hasFiles(first));
    assertThat(hasFiles(second)).isTrue();
  }

  @Test
  void aSnapshotThatNobodyAsksForIsRemovedAfterTwoHours() throws Exception {
    String id = begin();
    taken(id);
    gateway.clock.addAndGet(TWO_HOURS);
    gateway.snapshots.timePassed();
    assertThat(gateway.snapshots.ids()).containsExactly(id);
    gateway.clock.addAndGet(1);
    gateway.snapshots.timePassed();
    assertThat(gateway.snapshots.ids()).isEmpty();
    await().atMost(SOON).until(() -> !hasFiles(id));
    assertThat(gateway.ask("GET", "/v1/backup/" + id).status()).isEqualTo(404);
  }

  @Test
  void aBackupThatTakesLongerThanTwoHoursKeepsItsFilesWhileItAsksForThem() throws Exception {
    String id = begin();
    List<JsonObject> files = files(taken(id));
    for (int i = 0; i < 5; i++) {
      gateway.clock.addAndGet(TWO_HOURS - 1);
      JsonObject file = files.get(i % files.size());
      Answer answer = file(id, file, "");
      assertThat(answer.status()).as("after %s times two hours", i).isEqualTo(200);
      assertThat(BlockChecks.sha256(answer.body())).isEqualTo(file.getString("sha256"));
      gateway.clock.addAndGet(TWO_HOURS - 1);
      gateway.snapshots.timePassed();
      assertThat(gateway.snapshots.ids()).containsExactly(id);
      assertThat(gateway.ask("GET", "/v1/backup/" + id).status()).isEqualTo(200);
    }
  }

  @Test
  void itsFilesStayWhateverBecomesOfTheBlocks() throws Exception {
    String id = begin();
    List<JsonObject> files = files(taken(id));
    for (Path block : gateway.store.blockFiles(HOST)) {
      Files.delete(block);
    }
    for (JsonObject file : files) {
      assertThat(BlockChecks.sha256(file(id, file, "").body())).isEqualTo(file.getString("sha256"));
    }
  }

  @Test
  void aBlockThatCannotBeReadIsNamedAndLeftOutAndTheHostIsNotWhole() throws Exception {
    Path block = gateway.store.blockFiles(HOST).get(1);
    byte[] bytes = Files.readAllBytes(block);
    bytes[bytes.length / 2] ^= 1;
    Files.write(block, bytes);
    JsonObject host = host(taken(begin()));
    String name = block.getFileName().toString();
    assertThat(host.getBoolean("whole")).isFalse();
    assertThat(host.getJsonArray("damaged")).containsExactly(name);
    assertThat(host.getJsonArray("files"))
        .noneMatch(file -> ((JsonObject) file).getString("name").equals(name));
  }

  @Test
  void aGatewayThatDoesNotOwnAHostDoesNotCallItWhole() throws Exception {
    gateway.owner("g2", "g1");
    gateway.intake.lookAtAll();
    JsonObject host = host(taken(begin()));
    assertThat(host.getBoolean("whole")).isFalse();
    assertThat(host.getJsonArray("files")).isNotEmpty();
  }

  @Test
  void noSnapshotIsTakenBeforeWhatIsKeptHasBeenReadAndAFailedOneTakesNoPlace() throws Exception {
    try (BackupGateway starting = new BackupGateway("g2", folder.resolve("g2"), false)) {
      for (int i = 0; i < 4; i++) {
        Answer begun = starting.ask("POST", "/v1/backup");
        assertThat(begun.status()).isEqualTo(202);
        String id = new JsonObject(begun.text()).getString("id");
        Answer failed =
            await()
                .atMost(SOON)
                .until(
                    () -> starting.ask("GET", "/v1/backup/" + id),
                    answer -> answer.status() != 202);
        assertThat(failed.status()).isEqualTo(500);
        assertThat(failed.text()).contains("have not been loaded yet");
        assertThat(starting.ask("GET", "/v1/backup/" + id + "/files/0").status()).isEqualTo(404);
      }
    }
  }

  @Test
  void whatAProcessHasLeftThatEndedIsRemovedAtTheStart() throws Exception {
    Path left = folder.resolve("g2/snapshots/old/n1/0-1.block");
    Files.createDirectories(left.getParent());
    Files.write(left, new byte[9]);
    Path page = folder.resolve("g2/restore/~pages/x/n1/0-1.block");
    Files.createDirectories(page.getParent());
    Files.write(page, new byte[9]);
    Path waiting = BlockFolder.of(folder.resolve("g2/restore"), HOST).resolve("0-1.block");
    Files.createDirectories(waiting.getParent());
    Files.write(waiting, new byte[9]);
    try (BackupGateway other = new BackupGateway("g2", folder.resolve("g2"))) {
      await().atMost(SOON).until(() -> !Files.exists(left));
      assertThat(page).doesNotExist();
      assertThat(waiting).as("its restore may go on").exists();
      assertThat(other.snapshots.ids()).isEmpty();
    }
  }
}
