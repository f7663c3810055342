package io.fleetgauge.sample.files;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.FileSystem;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class FolderWatchTest {
  private static final String ADVICE =
      " while the process ran: put it back, or restart the process";

  @TempDir private Path folder;
  private final FolderWatch watch = new FolderWatch();
  private Path data;

  @BeforeEach
  void begin() throws IOException {
    data = Files.createDirectory(folder.resolve("data"));
    watch.add(data);
  }

  @AfterEach
  void end() throws IOException {
    watch.close();
  }

  @Test
  void whatIsWrittenIntoAFolderDoesNotMakeItAnother() throws Exception {
    watch.require();
    Files.writeString(data.resolve("file"), "text");
    Files.delete(data.resolve("file"));
    watch.require();
  }

  @Test
  void aFolderThatIsRemovedIsLostUntilTheSameOneIsBack() throws Exception {
    Path away = folder.resolve("away");
    Files.move(data, away);
    assertThatThrownBy(watch::require)
        .isInstanceOf(FolderWatch.LostPathException.class)
        .hasToString(data + " was removed" + ADVICE);
    Files.move(away, data);
    watch.require();
  }

  @Test
  void aNewFolderOfTheSameNameIsAnotherOne() throws Exception {
    // File systems give a new folder the inode of one that was just removed, unless it is open.
    Files.delete(data);
    Files.createDirectory(data);
    assertThatThrownBy(watch::require)
        .hasToString(data + " was replaced or covered by a mount" + ADVICE);
  }

  @Test
  void aFileThatIsRemovedOrInAFolderThatIsAFileNowIsLost() throws Exception {
    Path file = Files.writeString(data.resolve("lock"), "");
    watch.add(file);
    watch.require();
    Files.delete(file);
    assertThatThrownBy(watch::require).hasToString(file + " was removed" + ADVICE);
    Files.delete(data);
    Files.writeString(data, "");
    assertThatThrownBy(watch::require).hasMessageStartingWith(data + " was replaced");
  }

  @Test
  void ofAFolderAndWhatWasInItTheFolderIsNamed() throws Exception {
    Path all = Files.createDirectory(folder.resolve("all"));
    watch.add(Files.createDirectory(all.resolve("journal")));
    watch.add(all);
    Files.move(all, folder.resolve("away"));
    assertThatThrownBy(watch::require).hasMessageStartingWith(all + " was removed");
  }

  @Test
  void whatIsNotThereCannotBeWatched() {
    assertThatThrownBy(() -> watch.add(folder.resolve("nosuch")))
        .isInstanceOf(NoSuchFileException.class);
  }

  @Test
  void whereFilesHaveNoInodesAFolderIsThereWhileItsPathIs() throws Exception {
    try (FileSystem zip =
        FileSystems.newFileSystem(folder.resolve("files.zip"), Map.of("create", "true"))) {
      Path in = Files.createDirectory(zip.getPath("/data"));
      watch.add(in);
      watch.require();
      Files.delete(in);
      assertThatThrownBy(watch::require).hasMessageContaining("/data was removed");
    }
    assertThat(data).exists();
  }

  @Test
  void nothingIsHeldOpenWhenTheWatchHasEnded() throws IOException {
    Path watched = Files.createDirectory(folder.resolve("watched"));
    FolderWatch watch = new FolderWatch();
    watch.add(watched);
    assertThat(openFiles()).contains(watched.toRealPath());
    watch.close();
    assertThat(openFiles()).doesNotContain(watched.toRealPath());
  }

  private static List<Path> openFiles() throws IOException {
    List<Path> open = new ArrayList<>();
    try (Stream<Path> all = Files.list(Path.of("/proc/self/fd"))) {
      for (Path each : (Iterable<Path>) all::iterator) {
        if (Files.exists(each, LinkOption.NOFOLLOW_LINKS)) {
          open.add(Files.readSymbolicLink(each));
        }
      }
    }
    return open;
  }
}
