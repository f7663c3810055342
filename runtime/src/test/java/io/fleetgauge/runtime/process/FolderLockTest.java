package io.fleetgauge.runtime.process;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
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
  void aFolderThatOtherUsersMayUseIsTakenOrRefusedWithTheKeyThatChoosesIt() throws Exception {
    Path data = Files.createDirectory(folder.resolve("data"));
    Files.setPosixFilePermissions(data, PosixFilePermissions.fromString("rwxr-xr-x"));
    FolderLock.take(data, "store.folder").close();
    assertThat(Files.getPosixFilePermissions(data))
        .isEqualTo(PosixFilePermissions.fromString("rwx------"));
    assertThat(Files.getPosixFilePermissions(data.resolve("lock")))
        .isEqualTo(PosixFilePermissions.fromString("rw-------"));
    Path shared = Files.createDirectory(folder.resolve("shared"));
    Files.writeString(shared.resolve("other"), "");
    Files.setPosixFilePermissions(shared, PosixFilePermissions.fromString("rwxrwxrwx"));
    assertThatThrownBy(() -> FolderLock.take(shared, "store.folder"))
        .isInstanceOf(StartFailure.class)
        .hasMessageStartingWith("the folder " + shared + " cannot be used: other users may use it")
        .hasMessageEndingWith("or one in it; choose another with store.folder");
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
