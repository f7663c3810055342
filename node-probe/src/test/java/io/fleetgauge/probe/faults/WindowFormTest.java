package io.fleetgauge.probe.faults;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fleetgauge.sample.Labels;
import io.fleetgauge.sample.gpu.GpuEvent;
import io.fleetgauge.sample.wire.WireException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The bytes and the files of windows. */
class WindowFormTest {
  private static final String GOLDEN =
      "4647465701"
          + "31d04e67" // check
          + "0261310103584944"
          + "4fd00f"
          + "01036770750130"
          + "a01fe8070201"
          + "02085f5f6e616d655f5f016d036770750130"
          + "0000c03f0000c07f";

  private static FaultWindow window(String id, long time) {
    Labels gpu = Labels.of("gpu", "0");
    return new FaultWindow(
        id,
        List.of(new GpuFault(GpuEvent.XID, 79, gpu, time)),
        new Window(
            2_000,
            1_000,
            2,
            List.of(gpu.with(Labels.NAME, "m")),
            new float[][] {{1.5f, Float.NaN}}));
  }

  @Test
  void theBytesAreThoseOfTheDrawingAndAreReadBack() throws Exception {
    FaultWindow window = window("a1", 1_000);
    byte[] bytes = WindowForm.write(window);
    assertThat(HexFormat.of().formatHex(bytes)).isEqualTo(GOLDEN);
    FaultWindow read = WindowForm.read(bytes);
    assertThat(read.faults()).isEqualTo(window.faults());
    assertThat(read.id()).isEqualTo("a1");
    assertThat(read.readings().series()).isEqualTo(window.readings().series());
    assertThat(read.readings().values()[0]).containsExactly(1.5f, Float.NaN);
    assertThat(read.readings().time(1)).isEqualTo(3_000);
  }

  @Test
  void damagedBytesAreNoWindow() {
    byte[] bytes = HexFormat.of().parseHex(GOLDEN);
    for (int i = 0; i < bytes.length; i++) {
      byte[] damaged = bytes.clone();
      damaged[i] ^= 0x10;
      assertThatThrownBy(() -> WindowForm.read(damaged)).isInstanceOf(WireException.class);
      byte[] cut = Arrays.copyOf(bytes, i);
      assertThatThrownBy(() -> WindowForm.read(cut)).isInstanceOf(WireException.class);
    }
  }

  @Test
  void aFolderKeepsTheNewestWindowsAndLeavesOutWhatItCannotRead(@TempDir Path parent)
      throws Exception {
    WindowFolder folder = new WindowFolder(parent.resolve("faults"), 2);
    assertThat(folder.load()).isEmpty();
    for (int i = 1; i <= 3; i++) {
      folder.save(window("2026010" + i + "-x", i * 1_000L));
    }
    assertThat(parent.resolve("faults")).isDirectoryNotContaining("glob:**.unfinished");
    assertThat(folder.load())
        .extracting(FaultWindow::id)
        .containsExactly("20260102-x", "20260103-x");
    Files.writeString(parent.resolve("faults/20260102-x.window"), "FGFW and no more");
    Files.writeString(parent.resolve("faults/other.txt"), "of an operator");
    assertThat(folder.load()).extracting(FaultWindow::id).containsExactly("20260103-x");
    assertThat(Files.getPosixFilePermissions(parent.resolve("faults/20260103-x.window")))
        .hasSize(2);
  }
}
