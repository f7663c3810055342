package io.fleetgauge.query.faults.running;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fleetgauge.query.faults.detect.InvalidThresholds;
import io.fleetgauge.query.faults.detect.Thresholds;
import io.fleetgauge.sample.gpu.FaultKind;
import io.fleetgauge.sample.gpu.Severity;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.Optional;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ThresholdsFileTest {
  @TempDir private Path folder;
  private Path path;

  @BeforeEach
  void name() {
    path = folder.resolve("own.yaml");
  }

  private ThresholdsFile open(String yaml) throws Exception {
    Files.writeString(path, yaml);
    return ThresholdsFile.open(Optional.of(path));
  }

  private static double margin(ThresholdsFile file) {
    return file.thresholds().of(FaultKind.HOT).number("margin");
  }

  @Test
  void withoutAFileTheThresholdsAreThoseThatAreShipped() throws Exception {
    ThresholdsFile none = ThresholdsFile.open(Optional.empty());
    assertThat(none.thresholds()).isSameAs(Thresholds.defaults());
    assertThat(none.hasChanged()).isFalse();
    assertThat(none.leftOut()).isEmpty();
  }

  @Test
  void aFileReplacesWhatItHasAndNothingElse() throws Exception {
    ThresholdsFile file = open("hot: {margin: 2.5, severity: critical}\n");
    assertThat(margin(file)).isEqualTo(2.5);
    assertThat(file.thresholds().of(FaultKind.HOT).severity()).isEqualTo(Severity.CRITICAL);
    assertThat(file.thresholds().of(FaultKind.HOT).quietMillis())
        .isEqualTo(Thresholds.defaults().of(FaultKind.HOT).quietMillis());
    assertThat(file.leftOut()).isEmpty();
  }

  @Test
  void anEntryOfAnotherVersionCostsThatEntryAndIsNamed() throws Exception {
    ThresholdsFile file =
        open("hot: {margin: 2.5, humidity: 80}\nquantum_noise: {after: 30}\nxid: {quiet: 9m}\n");
    assertThat(margin(file)).isEqualTo(2.5);
    assertThat(file.leftOut()).hasSize(3);
    assertThat(file.leftOut().get(0)).contains("own.yaml: hot.humidity is unknown");
    assertThat(file.leftOut().get(1)).contains("own.yaml: quantum_noise is no kind of fault");
    assertThat(file.leftOut().get(2)).contains("own.yaml: xid.quiet: 9m is no number");
  }

  @Test
  void anEmptyFileAndOneOfCommentsReplaceNothing() throws Exception {
    for (String yaml : new String[] {"", "\n\n", "# nothing yet\n", "---\n"}) {
      assertThat(margin(open(yaml))).as(yaml).isEqualTo(5);
    }
  }

  @Test
  void bytesThatAreNoTextDoNoHarmInAComment() throws Exception {
    Files.write(path, "# f\u00fcr uns\nhot: {margin: 2.5}\n".getBytes(StandardCharsets.ISO_8859_1));
    assertThat(margin(ThresholdsFile.open(Optional.of(path)))).isEqualTo(2.5);
    Files.write(path, "\ufeffhot: {margin: 3.5}\r\n".getBytes(StandardCharsets.UTF_8));
    assertThat(margin(ThresholdsFile.open(Optional.of(path)))).isEqualTo(3.5);
  }

  @Test
  void aFileThatIsNothingOfTheKindIsAnError() throws Exception {
    for (String yaml : new String[] {"- hot\n", "hot: {margin", "\0\0\0", "hot\n"}) {
      assertThatThrownBy(() -> open(yaml))
          .as(yaml)
          .isInstanceOf(InvalidThresholds.class)
          .hasMessageContaining("own.yaml: ");
    }
    assertThatThrownBy(() -> ThresholdsFile.open(Optional.of(folder.resolve("absent.yaml"))))
        .isInstanceOf(NoSuchFileException.class);
    assertThatThrownBy(() -> ThresholdsFile.open(Optional.of(folder)))
        .isInstanceOf(IOException.class);
  }

  @Test
  void aChangeIsSeenOnce() throws Exception {
    ThresholdsFile file = open("hot: {margin: 2.5}\n");
    assertThat(file.hasChanged()).isFalse();
    Files.writeString(path, "hot: {margin: 3, dampness: 1}\n");
    assertThat(file.hasChanged()).isTrue();
    assertThat(margin(file)).isEqualTo(3);
    assertThat(file.leftOut()).hasSize(1);
    assertThat(file.hasChanged()).isFalse();
    Files.writeString(path, "hot: {margin: 3}\n");
    assertThat(file.hasChanged()).isTrue();
    assertThat(file.leftOut()).isEmpty();
  }

  @Test
  void thresholdsStayWhileTheFileIsGoneOrBroken() throws Exception {
    ThresholdsFile file = open("hot: {margin: 2.5}\n");
    Files.delete(path);
    assertThat(file.hasChanged()).isFalse();
    Files.writeString(path, "hot: {margin: 3");
    assertThat(file.hasChanged()).isFalse();
    assertThat(margin(file)).isEqualTo(2.5);
    Files.writeString(path, "hot: {margin: 3}");
    assertThat(file.hasChanged()).isTrue();
    assertThat(margin(file)).isEqualTo(3);
  }
}
