package io.fleetgauge.cluster.member;

import static org.assertj.core.api.Assertions.assertThat;

import io.fleetgauge.cluster.table.OwnershipTable;
import io.fleetgauge.cluster.table.TableForm;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The table that a gateway finds when it is started again. */
class TableFileTest {
  private static final OwnershipTable TABLE =
      OwnershipTable.ofOwners(70_000, Map.of("n1", "g1", "n2", "g2"));

  @TempDir private Path folder;
  private Path path;
  private TableFile file;

  @BeforeEach
  void name() {
    path = folder.resolve("table");
    file = new TableFile(path);
  }

  @Test
  void theLastTableThatWasWrittenIsRead() {
    assertThat(file.read()).as("before the first").isEqualTo(OwnershipTable.EMPTY);
    file.write(OwnershipTable.ofOwners(3, Map.of("n1", "g2")));
    file.write(TABLE);
    assertThat(file.read()).isEqualTo(TABLE);
    assertThat(path.getParent()).isDirectoryNotContaining("glob:**.unfinished");
  }

  /** A gateway that is killed meanwhile finds the one before: nothing is written into its file. */
  @Test
  void aTableTakesThePlaceOfTheOneBeforeWhenItIsWhole() throws Exception {
    file.write(TABLE);
    byte[] before = Files.readAllBytes(path);
    Path same = Files.createLink(folder.resolve("same"), path);
    file.write(OwnershipTable.ofOwners(70_001, Map.of("n1", "g2")));
    assertThat(same).hasBinaryContent(before);
    assertThat(file.read().epoch()).isEqualTo(70_001);
  }

  @Test
  void aDamagedTableIsNoneAndTheNextOneReplacesIt() throws Exception {
    file.write(TABLE);
    byte[] bytes = Files.readAllBytes(path);
    Files.write(path, Arrays.copyOf(bytes, bytes.length - 1));
    assertThat(file.read()).isEqualTo(OwnershipTable.EMPTY);
    file.write(TABLE);
    assertThat(file.read()).isEqualTo(TABLE);
  }

  @Test
  void aTableOfAnOlderVersionIsNone() throws Exception {
    file.write(TABLE);
    setVersion(TableForm.VERSION - 1);
    assertThat(file.read()).isEqualTo(OwnershipTable.EMPTY);
    assertThat(path).exists();
  }

  @Test
  void aTableOfANewerVersionIsNoneAndIsKeptForTheNewerProgram() throws Exception {
    file.write(TABLE);
    setVersion(TableForm.VERSION + 1);
    byte[] bytes = Files.readAllBytes(path);
    assertThat(file.read()).isEqualTo(OwnershipTable.EMPTY);
    file.write(TABLE);
    assertThat(file.read()).isEqualTo(TABLE);
    assertThat(path.resolveSibling("table.version-" + (TableForm.VERSION + 1)))
        .hasBinaryContent(bytes);
  }

  @Test
  void aTableThatCannotBeReadOrWrittenIsNoneAndStopsNothing() throws Exception {
    Files.createDirectories(path.resolve("a folder in its place"));
    file.write(TABLE);
    assertThat(file.read()).isEqualTo(OwnershipTable.EMPTY);
  }

  private void setVersion(int version) throws Exception {
    byte[] bytes = Files.readAllBytes(path);
    bytes[0] = (byte) version;
    Files.write(path, bytes);
  }
}
