package io.fleetgauge.cluster.process;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class FolderLockTest {
  @TempDir private Path folder;

  @Test
  void aFolderHasOneProcessAtATime() throws Exception {
    Path data = folder.resolve("data");
    try (FolderLock lock = FolderLock.take(data, "spool.folder")) {
      assertThat(lock).isNotNull();
      assertThatThrownBy(() -> FolderLock.take(data, "spool.folder"))
          .isInstanceOf(StartFailure.class)
          .hasMessage(
              "the folder "
                  + data
                  + " is in use by another process; choose another with"
                  + " spool.folder");
    }
    FolderLock.take(data, "spool.folder").close();
  }

  @Test
  void aFolderThatIsAFileIsNamedWithTheKeyThatChoosesIt() throws Exception {
    Path file = Files.writeString(folder.resolve("file"), "");
    assertThatThrownBy(() -> FolderLock.take(file, "store.folder"))
        .isInstanceOf(StartFailure.class)
        .hasMessageContaining(file + " cannot be used")
        .hasMessageEndingWith("; choose another with store.folder");
  }

  @Test
  void aFolderIsCreatedWithItsParents() throws Exception {
    Path deep = folder.resolve("a/b/c");
    FolderLock.take(deep, "store.folder").close();
    assertThat(deep).isDirectory();
  }

  @Test
  void foldersAreLockedIndependently() throws Exception {
    try (FolderLock one = FolderLock.take(folder.resolve("a"), "store.folder");
        FolderLock other = FolderLock.take(folder.resolve("b"), "store.folder")) {
      assertThat(one).isNotSameAs(other);
    }
  }
}
