package io.fleetgauge.gateway.store.block;

import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A store that another release has written. */
class BlockVersionTest {
  @TempDir private Path root;

  private Path block(String host, int from, int version) throws IOException {
    Path folder = Files.createDirectories(BlockFolder.of(root, host));
    byte[] bytes = {'F', 'G', 'B', 'K', (byte) version, 1, 2, 3};
    return Files.write(folder.resolve(BlockFolder.name(from, from + 10)), bytes);
  }

  @Test
  void aBlockOfANewerReleaseIsNamedWithBothVersionsAndWhatToDo() throws Exception {
    block("n1", 0, BlockFormat.VERSION);
    Path newer = block("n2", 10, BlockFormat.VERSION + 1);
    assertThatThrownBy(() -> BlockFolder.requireReadable(root))
        .isInstanceOf(IOException.class)
        .hasMessageStartingWith(
            "the block " + newer + " has format version 2, this program reads version 1; run the")
        .hasMessageContaining("or move " + root + " away");
  }

  @Test
  void oneBlockWhoseVersionDiffersInOneBitIsTakenForADamagedOne() throws Exception {
    block("n1", 0, BlockFormat.VERSION ^ 1);
    Files.write(BlockFolder.of(root, "n1").resolve("20-30.block"), new byte[] {'F', 'G'});
    Files.writeString(BlockFolder.of(root, "n1").resolve("notes"), "FGBK9");
    assertThatCode(() -> BlockFolder.requireReadable(root)).doesNotThrowAnyException();
    block("n2", 0, BlockFormat.VERSION ^ 1);
    assertThatThrownBy(() -> BlockFolder.requireReadable(root)).hasMessageContaining("version 0");
    assertThatCode(() -> BlockFolder.requireReadable(root.resolve("none")))
        .doesNotThrowAnyException();
  }
}
