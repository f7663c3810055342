package io.fleetgauge.probe.host.reading;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class NodeFilesTest {
  @TempDir private Path folder;
  private final Faults faults = new Faults();
  private NodeFiles files;

  @BeforeEach
  void open() throws IOException {
    Files.createDirectories(folder.resolve("proc"));
    Files.createDirectories(folder.resolve("sys"));
    files =
        new NodeFiles(
            folder.resolve("proc"), folder.resolve("sys"), folder.resolve("root"), faults);
  }

  private String write(String name, String text) throws IOException {
    return Files.writeString(folder.resolve(name), text).toString();
  }

  @Test
  void pathsAreBelowTheMountsOfTheNode() {
    assertThat(files.inProc("stat")).isEqualTo(folder + "/proc/stat");
    assertThat(files.inSys("class")).isEqualTo(folder + "/sys/class");
    assertThat(files.inRoot("/etc/os-release")).isEqualTo(folder + "/root/etc/os-release");
  }

  @Test
  void pathsOfTheNodeAreToldWithoutTheRootThatTheyHaveHere() {
    String root = folder.resolve("root").toString();
    assertThat(files.withoutRoot(root + "/var/lib")).isEqualTo("/var/lib");
    assertThat(files.withoutRoot(root)).isEqualTo("/");
    assertThat(files.withoutRoot(root + "2/var")).as("beside it").isEqualTo(root + "2/var");
    assertThat(files.withoutRoot("/var")).isEqualTo("/var");
    NodeFiles own = new NodeFiles(Path.of("/proc"), Path.of("/sys"), Path.of("/"), faults);
    assertThat(own.withoutRoot("/var")).isEqualTo("/var");
    assertThat(own.inRoot("/etc")).isEqualTo("/etc");
  }

  @ParameterizedTest
  @CsvSource({
    "'7\n', 7",
    "'-3', -3",
    "' 12 kB\n', 12",
    "'0x1f\n', 31",
    "'N/A\n', NaN",
    "'', NaN",
    "'\n', NaN"
  })
  void aFileSaysTheNumberThatItBeginsWithOrNone(String text, Double number) throws IOException {
    assertThat(files.number(write("value", text.replace("\\n", "\n")))).isEqualTo(number);
    assertThat(faults.count()).isZero();
  }

  @Test
  void aNumberThatIsNoneIsCountedAndAFileThatIsNotThereIsNot() throws IOException {
    assertThat(files.number(write("value", "seven\n"))).isNaN();
    assertThat(faults.count()).isEqualTo(1);
    assertThat(files.number(folder.resolve("none").toString())).isNaN();
    assertThat(files.line(folder.resolve("none").toString())).isNull();
    assertThat(files.lineOrEmpty(folder.resolve("none").toString())).isEmpty();
    assertThat(files.small(folder.resolve("none").toString())).isNull();
    assertThatThrownBy(() -> files.proc("none"))
        .isInstanceOf(MissingSource.class)
        .hasMessage(folder + "/proc/none");
    assertThat(faults.count()).isEqualTo(1);
    files.damaged("a file is odd");
    assertThat(faults.count()).isEqualTo(2);
    assertThat(faults.last()).isEqualTo("a file is odd");
  }

  @Test
  void aSmallFileDoesNotChangeTheTextThatIsBeingRead() throws IOException {
    write("proc/list", "a\nb\n");
    KernelText list = files.proc("list");
    assertThat(list.nextLine()).isTrue();
    assertThat(files.line(write("line", " one line \n"))).isEqualTo("one line");
    assertThat(files.lineOrEmpty(write("line", "x"))).isEqualTo("x");
    KernelText small = files.small(write("small", "y z\n"));
    assertThat(small.nextLine()).isTrue();
    assertThat(small.line()).isEqualTo("y z");
    assertThat(list.nextLine()).isTrue();
    assertThat(list.line()).isEqualTo("b");
  }

  @Test
  void aFolderIsListedInOrder() throws IOException {
    for (String each : new String[] {"c", "a", "b"}) {
      Files.createDirectories(folder.resolve("sys/class").resolve(each));
    }
    String path = files.inSys("class");
    assertThat(files.list(path)).containsExactly("a", "b", "c");
    assertThat(files.listed(path)).containsExactly("a", "b", "c");
    assertThat(files.isThere(path)).isTrue();
    assertThat(files.list(path + "/none")).isEmpty();
    assertThat(files.isThere(path + "/none")).isFalse();
    assertThatThrownBy(() -> files.listed(path + "/none"))
        .isInstanceOf(MissingSource.class)
        .hasMessage(path + "/none");
  }

  @Test
  void theLastFaultIsKnownAndALongOneIsCut() {
    assertThat(faults.last()).isEmpty();
    faults.add("x".repeat(200));
    assertThat(faults.last()).isEqualTo("x".repeat(200));
    faults.add("y".repeat(201));
    assertThat(faults.last()).isEqualTo("y".repeat(200) + " ...");
    assertThat(faults.count()).isEqualTo(2);
  }
}
