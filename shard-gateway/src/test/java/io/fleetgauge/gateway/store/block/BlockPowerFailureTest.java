package io.fleetgauge.gateway.store.block;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fleetgauge.sample.journal.LosingDisk;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * What is left of a block after the power failed, on a disk that forgets what is not forced. The
 * journal may be cut as soon as a block is written.
 */
class BlockPowerFailureTest {
  private static final String HOST = "n1";

  @TempDir private Path folder;
  @TempDir private Path left;
  private final LosingDisk disk = new LosingDisk();

  @Test
  void aBlockThatIsWrittenIsThereAfterAPowerFailure() throws Exception {
    Path first = write(0, 1_000);
    assertThatLeftAre(first);
    Path second = write(1_000, 2_000);
    assertThatLeftAre(first, second);
    assertThat(disk.openFiles()).isZero();
  }

  @Test
  void theFolderOfTheHostAndThoseAboveItAreThereToo() throws Exception {
    assertThat(root()).doesNotExist();
    assertThatLeftAre(write(0, 1_000));
    assertThatLeftAre(
        root().resolve(HOST).resolve(BlockFolder.name(0, 1_000)),
        write(BlockFolder.of(root(), "n2"), 0, 1_000));
  }

  @Test
  void aBlockWhoseBytesAreNotOnTheDiskHasNoName() throws Exception {
    disk.failToForce(path -> path.toString().endsWith(BlockFormat.UNFINISHED));
    assertThatThrownBy(() -> write(0, 1_000)).isInstanceOf(IOException.class);
    assertThatNothingIsLeft();
    disk.failToForce(path -> false);
    assertThatLeftAre(write(0, 1_000));
  }

  @Test
  void aBlockStaysWhenAnotherOfItsNameCannotBeWritten() throws Exception {
    Path block = write(0, 1_000);
    disk.failToForce(path -> path.toString().endsWith(BlockFormat.UNFINISHED));
    assertThatThrownBy(() -> write(0, 1_000)).isInstanceOf(IOException.class);
    assertThatLeftAre(block);
    assertThat(block.getParent()).isDirectoryNotContaining(path -> !path.equals(block));
  }

  @Test
  void aFolderWhoseNameIsNotOnTheDiskIsMadeAgain() throws Exception {
    for (Path above : List.of(folder, folder.resolve("data"), root())) {
      disk.failToForce(above::equals);
      assertThatThrownBy(() -> write(0, 1_000)).isInstanceOf(IOException.class);
      assertThat(above).isEmptyDirectory();
    }
    disk.failToForce(path -> false);
    assertThatLeftAre(write(0, 1_000));
  }

  @Test
  void aBlockWhoseNameIsNotOnTheDiskIsNotThereEither() throws Exception {
    disk.failToForce(BlockFolder.of(root(), HOST)::equals);
    assertThatThrownBy(() -> write(0, 1_000)).isInstanceOf(IOException.class);
    assertThatNothingIsLeft();
    disk.failToForce(path -> false);
    assertThatLeftAre(write(0, 1_000));
  }

  private Path root() {
    return folder.resolve("data").resolve("blocks");
  }

  private Path write(long from, long to) throws IOException {
    return write(BlockFolder.of(root(), HOST), from, to);
  }

  private Path write(Path ofHost, long from, long to) throws IOException {
    byte[] bytes = new byte[100_000];
    new SplittableRandom(from).nextBytes(bytes);
    Path file = ofHost.resolve(BlockFolder.name(from, to));
    BlockFolder.put(file, ByteBuffer.wrap(bytes), disk::open);
    return file;
  }

  private void assertThatLeftAre(Path... blocks) throws Exception {
    Path after = Files.createTempDirectory(left, "restarted");
    disk.powerFails(folder, after);
    for (Path block : blocks) {
      Path found = after.resolve(folder.relativize(block));
      assertThat(found).hasSameBinaryContentAs(block);
    }
  }

  private void assertThatNothingIsLeft() throws Exception {
    assertThat(BlockFolder.of(root(), HOST)).isEmptyDirectory();
    assertThat(disk.openFiles()).isZero();
  }
}
