package io.fleetgauge.operator.backup;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fleetgauge.runtime.terminal.CommandFailure;
import io.vertx.core.json.JsonObject;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Backups in a folder whose files are damaged, cut off, exchanged or missing. */
class DamagedBackupTest {
  private static final int HOSTS = 3;
  private static final long TAKEN = 1_790_000_000_000L;

  @TempDir private Path folder;
  private Repository repository;
  private String id;
  private Manifest manifest;

  /** The bytes of every file before it was damaged, by its name in the repository. */
  private final Map<String, byte[]> contents = new TreeMap<>();

  @BeforeEach
  void write() throws Exception {
    repository = new FolderRepository(folder);
    Repositories.requireOrCreate(repository);
    manifest = backup(new SplittableRandom(7), TAKEN);
    id = put(manifest);
    try (Stream<Path> files = Files.walk(folder)) {
      for (Path file : files.filter(Files::isRegularFile).toList()) {
        contents.put(folder.relativize(file).toString(), Files.readAllBytes(file));
      }
    }
  }

  private String put(Manifest of) throws IOException {
    String name = Manifest.id(of.taken(), of.toBytes());
    repository.put(Repositories.manifest(name), of.toBytes());
    return name;
  }

  private Manifest backup(SplittableRandom random, long taken) throws IOException {
    List<Manifest.Host> hosts = new ArrayList<>();
    for (int host = 0; host < HOSTS; host++) {
      List<Manifest.BackupFile> files = new ArrayList<>();
      for (int i = 0; i < 4; i++) {
        byte[] bytes = new byte[random.nextInt(1, 300)];
        random.nextBytes(bytes);
        Manifest.BackupFile file =
            new Manifest.BackupFile(
                i + "-" + (i + 1) + (i < 3 ? ".block" : ".page"),
                bytes.length,
                Repositories.sha256(bytes));
        repository.put(file.stored(), bytes);
        files.add(file);
      }
      hosts.add(
          new Manifest.Host(
              "n" + host, "t", 5, true, List.of(new Manifest.Copy("g" + host % 2, files))));
    }
    JsonObject dimensions = new JsonObject().put("identifier", "UUID").put("names", List.of("job"));
    return new Manifest(
        "prod", taken, taken + 9, dimensions, List.of("g0", "g1"), List.of(), hosts);
  }

  /** Reads all of the backup as a restore does, and compares it with what was written. */
  private void read() throws CommandFailure, IOException {
    Manifest found = Repositories.read(repository, id);
    assertThat(found).isEqualTo(manifest);
    for (Manifest.BackupFile each : found.distinctFiles().values()) {
      assertThat(Repositories.read(repository, each)).isEqualTo(contents.get(each.stored()));
    }
  }

  private static byte[] damaged(SplittableRandom random, byte[] bytes) {
    return switch (random.nextInt(4)) {
      case 0 -> Arrays.copyOf(bytes, random.nextInt(bytes.length));
      case 1 -> Arrays.copyOf(bytes, bytes.length + random.nextInt(1, 9));
      case 2 -> {
        byte[] flipped = bytes.clone();
        flipped[random.nextInt(bytes.length)] ^= (byte) (1 << random.nextInt(8));
        yield flipped;
      }
      default -> {
        byte[] other = bytes.clone();
        int from = random.nextInt(bytes.length);
        Arrays.fill(other, from, random.nextInt(from, bytes.length) + 1, (byte) 0);
        yield other;
      }
    };
  }

  @Test
  void aThousandDamagedBackupsAreRefusedWithTheFileOrReadExactly() throws Exception {
    read();
    List<String> names = List.copyOf(contents.keySet());
    int refused = 0;
    for (int seed = 0; seed < 1_000; seed++) {
      SplittableRandom random = new SplittableRandom(seed);
      String name = names.get(random.nextInt(names.size()));
      Path file = folder.resolve(name);
      if (random.nextInt(5) == 0) {
        Files.delete(file);
      } else if (random.nextInt(5) == 0) {
        Files.write(file, contents.get(names.get(random.nextInt(names.size()))));
      } else {
        Files.write(file, damaged(random, contents.get(name)));
      }
      try {
        read();
      } catch (CommandFailure e) {
        refused++;
        assertThat(e.getMessage()).as("seed %d, %s", seed, name).containsAnyOf(name, id);
      }
      Files.write(file, contents.get(name));
    }
    assertThat(refused).isGreaterThan(800);
    read();
  }

  @Test
  void verifyNamesEveryFileThatIsDamagedOrMissing() throws Exception {
    List<String> files =
        contents.keySet().stream().filter(name -> name.startsWith(Repositories.FILES)).toList();
    Files.delete(folder.resolve(files.get(0)));
    Files.write(folder.resolve(files.get(1)), new byte[3]);
    List<String> wrong = Repositories.verify(repository, manifest, new Rate(0));
    assertThat(wrong).hasSize(2);
    assertThat(String.join("\n", wrong))
        .contains(files.get(0), "is not there", files.get(1), "is damaged: it has 3 bytes");
  }

  @Test
  void pruningRemovesOldBackupsAndTheirFilesAndNoFileOfABackupThatStays() throws Exception {
    Manifest second = backup(new SplittableRandom(8), TAKEN + 60_000);
    String newest = put(second);
    long inADay = System.currentTimeMillis() + 86_400_000;
    repository.put("files/00/" + "0".repeat(64), new byte[5]);
    assertThat(Repositories.prune(repository, 2, inADay).files()).isEqualTo(1);
    assertThat(Repositories.prune(repository, 1, 0).files()).as("files are too young").isZero();
    Repositories.Removal pruned = Repositories.prune(repository, 1, inADay);
    assertThat(pruned.files()).isEqualTo(manifest.distinctFiles().size());
    assertThat(Repositories.ids(repository)).containsOnlyKeys(newest);
    assertThat(Repositories.verify(repository, second, new Rate(0))).isEmpty();
  }

  @Test
  void aBackupOfANewerReleaseAFolderOfOthersAndAnUnknownIdAreRefused() throws Exception {
    assertThatThrownBy(() -> Repositories.read(repository, "x"))
        .isInstanceOf(CommandFailure.class)
        .hasMessageContaining("there is no backup x", id);
    Path empty = Files.createDirectories(folder.resolve("empty"));
    assertThatThrownBy(() -> Repositories.ids(new FolderRepository(empty)))
        .isInstanceOf(CommandFailure.class)
        .hasMessageContaining("there are no backups here");
    Files.writeString(empty.resolve("photo"), "x");
    assertThatThrownBy(() -> Repositories.requireOrCreate(new FolderRepository(empty)))
        .isInstanceOf(CommandFailure.class)
        .hasMessageContaining("files that are not of backups");
    repository.put("fleetgauge-backup.json", "{\"version\": 2}".getBytes(StandardCharsets.UTF_8));
    assertThatThrownBy(() -> Repositories.read(repository, ""))
        .isInstanceOf(CommandFailure.class)
        .hasMessageContaining("is of version 2, and this program knows version 1");
    assertThatThrownBy(() -> Repositories.open("ftp://x", null))
        .isInstanceOf(CommandFailure.class)
        .hasMessageContaining("not in ftp://x");
  }
}
