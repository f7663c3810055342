package io.fleetgauge.sample.journal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fleetgauge.sample.files.PrivateFiles;
import java.io.IOException;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A journal that a newer release has written. */
class JournalVersionTest {
  @TempDir private Path folder;

  @Test
  void aSegmentOfANewerReleaseIsNamedWithBothVersions() throws Exception {
    JournalFolder.open(folder, PrivateFiles::open);
    Path segment = SegmentFormat.file(folder, 7);
    PrivateFiles.write(segment, new byte[] {'F', 'G', 'J', 'L', 2, 0});
    assertThatThrownBy(() -> JournalFolder.open(folder, PrivateFiles::open))
        .isInstanceOf(IOException.class)
        .hasMessageStartingWith(
            "the segment " + segment + " has format version 2, this program reads up to 1; run");
  }

  @Test
  void oneSegmentWhoseVersionDiffersInOneBitIsTakenForADamagedOne() throws Exception {
    JournalFolder.open(folder, PrivateFiles::open);
    PrivateFiles.write(SegmentFormat.file(folder, 7), new byte[] {'F', 'G', 'J', 'L', 3, 0});
    assertThat(JournalFolder.open(folder, PrivateFiles::open).sizes()).containsKey(7L);
    PrivateFiles.write(SegmentFormat.packedFile(folder, 8), new byte[] {'F', 'G', 'J', 'P', 3, 0});
    assertThatThrownBy(() -> JournalFolder.open(folder, PrivateFiles::open))
        .hasMessageContaining("version 3");
  }
}
