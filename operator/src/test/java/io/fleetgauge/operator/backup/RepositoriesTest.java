package io.fleetgauge.operator.backup;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fleetgauge.runtime.terminal.CommandFailure;
import io.vertx.core.json.JsonObject;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The content of a repository, and messages about it. */
class RepositoriesTest {
  private static final String MARK = "fleetgauge-backup.json";

  @TempDir private Path folder;
  private Repository repository;

  @BeforeEach
  void create() throws Exception {
    repository = new FolderRepository(folder.resolve("backups"));
    Repositories.requireOrCreate(repository);
  }

  private static byte[] bytes(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }

  private Manifest.BackupFile file(String bytes) throws IOException {
    Manifest.BackupFile kept =
        new Manifest.BackupFile("1-2.page", bytes.length(), Repositories.sha256(bytes(bytes)));
    repository.put(kept.stored(), bytes(bytes));
    return kept;
  }

  private String backup(long taken, Manifest.BackupFile... files) throws IOException {
    Manifest manifest =
        new Manifest(
            "prod",
            taken,
            taken,
            new JsonObject(),
            List.of("g"),
            List.of(),
            List.of(
                new Manifest.Host(
                    "n", "t", 1, true, List.of(new Manifest.Copy("g", List.of(files))))));
    String id = Manifest.id(taken, manifest.toBytes());
    repository.put(Repositories.manifest(id), manifest.toBytes());
    return id;
  }

  @Test
  void withoutAnIdTheNewestBackupIsReadAndIdsBeginWithTheTime() throws Exception {
    assertThatThrownBy(() -> Repositories.read(repository, ""))
        .isInstanceOf(CommandFailure.class)
        .hasMessage("there is no backup in " + repository.place(""));
    assertThatThrownBy(() -> Repositories.read(repository, "x"))
        .hasMessage("there is no backup x in " + repository.place(""));
    String old = backup(1_790_000_000_000L);
    String newest = backup(1_790_000_001_000L);
    repository.put("backups/README", bytes("none"));
    assertThat(old).matches("20260921T141320Z-[0-9a-f]{16}");
    assertThat(Repositories.ids(repository)).containsOnlyKeys(old, newest);
    assertThat(Repositories.read(repository, "").taken()).isEqualTo(1_790_000_001_000L);
    assertThat(Repositories.read(repository, old).taken()).isEqualTo(1_790_000_000_000L);
  }

  @Test
  void pruningKeepsWhatStaysWhatIsYoungAndWhatTwoBackupsHave() throws Exception {
    Manifest.BackupFile shared = file("shared");
    Manifest.BackupFile lost = file("lost!");
    String old = backup(1_000, shared, lost);
    String kept = backup(2_000, shared);
    long written = repository.list(Repositories.FILES).get(lost.stored()).modified();
    assertThat(Repositories.prune(repository, 3, Long.MAX_VALUE))
        .isEqualTo(new Repositories.Removal(List.of(), 0, 0));
    assertThat(Repositories.prune(repository, 1, written))
        .as("written at that time")
        .isEqualTo(new Repositories.Removal(List.of(old), 0, 0));
    assertThat(Repositories.prune(repository, 1, written + 1))
        .isEqualTo(new Repositories.Removal(List.of(), 1, 5));
    assertThat(repository.list(""))
        .containsOnlyKeys(MARK, shared.stored(), Repositories.manifest(kept));
  }

  @Test
  void nothingIsPrunedIfABackupThatStaysCannotBeRead() throws Exception {
    Manifest.BackupFile file = file("x");
    String old = backup(1_000, file);
    String newest = backup(2_000);
    repository.put(Repositories.manifest(newest), bytes("{}"));
    assertThatThrownBy(() -> Repositories.prune(repository, 1, Long.MAX_VALUE))
        .isInstanceOf(CommandFailure.class)
        .hasMessageContaining("is damaged: its bytes have the check");
    assertThat(repository.list("")).containsKeys(Repositories.manifest(old), file.stored());
  }

  @Test
  void bytesThatAreNoManifestOrNameNoFileAreRefusedWithTheirPlace() throws Exception {
    for (String wrong :
        List.of(
            "no JSON",
            "{\"version\": 1}",
            "{\"version\": 1, \"hosts\": [7]}",
            "{\"version\": 1, \"hosts\": [{\"copies\": [{\"files\": [{\"name\": \"../x.page\","
                + " \"size\": 1, \"sha256\": \""
                + "a".repeat(64)
                + "\"}]}]}]}",
            "{\"version\": 1, \"hosts\": [{\"copies\": [{\"files\": [{\"name\": \"1-2.page\","
                + " \"size\": 1, \"sha256\": \"../../passwords\"}]}]}]}")) {
      String id = Manifest.id(1, bytes(wrong));
      assertThatThrownBy(() -> Manifest.read(id, "here", bytes(wrong)))
          .as(wrong)
          .isInstanceOf(CommandFailure.class)
          .hasMessageMatching("(?s).*(here is not a manifest|no file of a backup has the name).*");
    }
    byte[] newer = bytes("{\"version\": 2}");
    assertThatThrownBy(() -> Manifest.read(Manifest.id(1, newer), "here", newer))
        .hasMessageContaining("here is of version 2");
  }

  @Test
  void timesOfAFileMayBeBeforeTheEpoch() {
    assertThat(new Manifest.BackupFile("-200--100.block", 1, "").to()).isEqualTo(-100);
    assertThat(new Manifest.BackupFile("-200-100.page", 1, "").to()).isEqualTo(100);
    assertThat(new Manifest.BackupFile("-200-100.page", 1, "").isBlock()).isFalse();
  }

  @Test
  void aMarkThatIsDamagedIsNamed() throws Exception {
    for (String wrong : List.of("no JSON", "{\"version\": \"one\"}")) {
      repository.put(MARK, bytes(wrong));
      assertThatThrownBy(() -> Repositories.ids(repository))
          .isInstanceOf(CommandFailure.class)
          .hasMessageStartingWith(repository.place(MARK) + " is damaged: ");
    }
    repository.put(MARK, bytes("{}"));
    assertThatThrownBy(() -> Repositories.ids(repository)).hasMessageContaining("of version 0");
  }

  @Test
  void aMessageNamesTenLinesOfMany() {
    List<String> lines = new ArrayList<>(Collections.nCopies(10, "x"));
    assertThat(Repositories.some(lines)).isEqualTo("x" + "\n  x".repeat(9));
    lines.add("y");
    assertThat(Repositories.some(lines)).isEqualTo("x" + "\n  x".repeat(9) + "\n  and 1 more");
  }

  @Test
  void filesInAFolderAreForTheUserOnlyAndWholeOrAbsent() throws Exception {
    repository.put("files/a", bytes("one"));
    repository.put("files/a", bytes("other"));
    Path file = Path.of(repository.place("files/a"));
    assertThat(file).hasContent("other");
    assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(file)))
        .isEqualTo("rw-------");
    Files.createDirectories(file.resolveSibling("folder/in"));
    assertThatThrownBy(() -> repository.put("files/folder", bytes("x")))
        .isInstanceOf(IOException.class);
    try (Stream<Path> names = Files.list(file.getParent())) {
      assertThat(names.map(each -> each.getFileName().toString()))
          .as("nothing unfinished")
          .containsExactlyInAnyOrder("a", "folder");
    }
    repository.delete("files/a");
    repository.delete("files/a");
    assertThatThrownBy(() -> repository.get("files/a")).isInstanceOf(NoSuchFileException.class);
    assertThat(repository.list("never/")).isEmpty();
  }

  @Test
  void bytesTakeTheTimeThatTheRateSays() {
    long begin = System.nanoTime();
    Rate rate = new Rate(1_000_000);
    rate.take(100_000);
    rate.take(50_000);
    rate.take(1);
    assertThat(System.nanoTime() - begin)
        .isGreaterThanOrEqualTo(TimeUnit.MILLISECONDS.toNanos(150));
    new Rate(0).take(Long.MAX_VALUE);
  }

  @Test
  void theFirstFailureEndsAllTransfersWithItsReason() throws Exception {
    List<Integer> moved = Collections.synchronizedList(new ArrayList<>());
    try (Transfers transfers = new Transfers(1)) {
      transfers.all(List.of(1, 2, 3), moved::add);
      assertThat(moved).containsExactly(1, 2, 3);
      assertThatThrownBy(
              () ->
                  transfers.all(
                      List.of(1),
                      each -> {
                        throw new CommandFailure("no gateway");
                      }))
          .isInstanceOf(CommandFailure.class)
          .hasMessage("no gateway");
      assertThatThrownBy(
              () ->
                  transfers.all(
                      List.of(1),
                      each -> {
                        throw new IOException("no disk");
                      }))
          .isInstanceOf(CommandFailure.class)
          .hasMessage("java.io.IOException: no disk");
      assertThatThrownBy(
              () ->
                  transfers.all(
                      List.of(1),
                      each -> {
                        throw new IllegalStateException("a defect");
                      }))
          .isInstanceOf(CommandFailure.class)
          .hasMessageContaining("a defect");
    }
  }
}
