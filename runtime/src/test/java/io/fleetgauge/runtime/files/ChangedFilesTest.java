package io.fleetgauge.runtime.files;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ChangedFilesTest {
  @TempDir private Path folder;
  private Path certificate;
  private Path key;
  private ChangedFiles files;

  @BeforeEach
  void write() throws IOException {
    certificate = Files.writeString(folder.resolve("cert"), "c1");
    key = Files.writeString(folder.resolve("key"), "k1");
    files = new ChangedFiles(List.of(certificate, key));
  }

  @Test
  void filesThatHaveNotChangedAreNotReported() throws IOException {
    assertThat(files.look()).isFalse();
    Files.writeString(key, "k1");
    assertThat(files.look()).as("written again with the same bytes").isFalse();
  }

  @Test
  void aChangeOfAnyFileIsReportedOnce() throws IOException {
    for (Path file : List.of(certificate, key)) {
      Files.writeString(file, "new");
      assertThat(files.look()).isTrue();
      assertThat(files.look()).isFalse();
    }
  }

  @Test
  void aChangeIsReportedWhenAllFilesCanBeReadAgain() throws IOException {
    Files.delete(key);
    Files.writeString(certificate, "c2");
    assertThat(files.look()).as("the key is just being replaced").isFalse();
    Files.writeString(key, "k2");
    assertThat(files.look()).isTrue();
  }

  @Test
  void aFileThatComesBackUnchangedIsNotReported() throws IOException {
    Files.delete(key);
    assertThat(files.look()).isFalse();
    Files.writeString(key, "k1");
    assertThat(files.look()).isFalse();
  }

  @Test
  void aFileThatWasMissingAtTheStartIsReportedWhenItAppears() throws IOException {
    Path late = folder.resolve("late");
    ChangedFiles missing = new ChangedFiles(List.of(late));
    assertThat(missing.look()).isFalse();
    Files.writeString(late, "x");
    assertThat(missing.look()).isTrue();
  }

  @Test
  void bytesThatMoveFromOneFileToTheNextAreAChange() throws IOException {
    Files.writeString(certificate, "c");
    Files.writeString(key, "1k1");
    assertThat(files.look()).isTrue();
  }
}
