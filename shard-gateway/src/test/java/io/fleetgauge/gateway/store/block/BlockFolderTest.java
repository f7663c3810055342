package io.fleetgauge.gateway.store.block;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class BlockFolderTest {
  @TempDir private Path root;

  @ParameterizedTest
  @ValueSource(strings = {"n1", "a/b", "..", ".", "ü %", "A.b", "10.0.0.1:9100", "[::1]"})
  void everyHostHasAFolderOfItsOwnBelowTheRoot(String host) throws IOException {
    Path folder = BlockFolder.of(root, host);
    assertThat(folder.getParent()).isEqualTo(root);
    assertThat(folder.normalize()).isEqualTo(folder);
    Files.createDirectories(folder);
    assertThat(BlockFolder.hosts(root)).containsExactly(host);
  }

  @Test
  void aRootThatIsNotThereHasNoHostsAndAFolderThatIsNotThereNoBlocks() throws IOException {
    assertThat(BlockFolder.hosts(root.resolve("nosuch"))).isEmpty();
    assertThat(BlockFolder.blocks(root.resolve("nosuch"))).isEmpty();
  }

  @Test
  void blocksAreInOrderOfTimeAlsoBeforeTheEpoch() throws IOException {
    for (String name :
        new String[] {"100-200.block", "-50-20.block", "20-100.block", "9.txt", "5.unfinished"}) {
      Files.createFile(root.resolve(name));
    }
    assertThat(BlockFolder.blocks(root))
        .containsExactly(
            root.resolve("-50-20.block"),
            root.resolve("20-100.block"),
            root.resolve("100-200.block"));
    assertThat(root.resolve("5.unfinished")).doesNotExist();
    assertThat(root.resolve("9.txt")).exists();
  }

  @Test
  void theTimeOfABlockIsInItsName() {
    for (long[] time : new long[][] {{0, 1}, {-7, -3}, {-7, 3}, {Long.MIN_VALUE, Long.MAX_VALUE}}) {
      Path file = root.resolve(BlockFolder.name(time[0], time[1]));
      assertThat(BlockFolder.from(file)).isEqualTo(time[0]);
      assertThat(BlockFolder.to(file)).isEqualTo(time[1]);
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"x.block", "1.block", "a-b.block", ".block", "-.block"})
  void aNameWithoutTimesMayHaveAnyTime(String name) {
    Path file = root.resolve(name);
    assertThat(BlockFolder.from(file)).isLessThanOrEqualTo(1);
    assertThat(BlockFolder.to(file)).isGreaterThanOrEqualTo(1);
  }
}
