package io.fleetgauge.probe.host;

import static org.assertj.core.api.Assertions.assertThat;

import io.fleetgauge.probe.host.reading.CollectorReadings;
import io.fleetgauge.probe.host.reading.Faults;
import io.fleetgauge.probe.host.reading.NodeFiles;
import io.fleetgauge.sample.Tick;
import io.fleetgauge.sample.prometheus.TextExposition;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class TextfileTest {
  private static final Instant TIME = Instant.ofEpochSecond(1_700_000_000);

  @TempDir private Path folder;
  private final Faults faults = new Faults();
  private final CollectorReadings readings = new CollectorReadings(faults);
  private Textfile collector;

  @BeforeEach
  void create() {
    collector = new Textfile(Optional.of(folder));
  }

  @Test
  void filesOfMetricsAreReadWithTypeHelpAndTime() throws IOException {
    file("a.prom", "# HELP jobs_total Jobs.\n# TYPE jobs_total counter\njobs_total{q=\"x\"} 3\n");
    file("b.prom", "depth 4\n");
    file("c.txt", "other 5\n");
    assertThat(read())
        .containsExactly(
            "jobs_total{q=\"x\"} 3.0",
            "node_textfile_mtime_seconds{file=\"" + folder.resolve("a.prom") + "\"} 1.7E9",
            "depth{} 4.0",
            "node_textfile_mtime_seconds{file=\"" + folder.resolve("b.prom") + "\"} 1.7E9",
            "node_textfile_scrape_error{} 0.0");
    assertThat(collector.families())
        .containsEntry("jobs_total", new TextExposition.Family("counter", "Jobs."));
    assertThat(faults.count()).isZero();
  }

  @Test
  void aDamagedFileGivesNoSampleAndIsAnErrorUntilItIsMended() throws IOException {
    file("a.prom", "jobs 3\nboom {\n");
    file("b.prom", "depth 4\n");
    assertThat(read())
        .contains("depth{} 4.0", "node_textfile_scrape_error{} 1.0")
        .noneMatch(line -> line.startsWith("jobs") || line.contains("a.prom"));
    assertThat(faults.count()).isEqualTo(1);
    file("a.prom", "jobs 3\n");
    assertThat(read()).contains("jobs{} 3.0", "node_textfile_scrape_error{} 0.0");
  }

  @Test
  void aFileWithATimestampIsAnError() throws IOException {
    file("a.prom", "jobs 3 1700000000000\n");
    assertThat(read()).containsExactly("node_textfile_scrape_error{} 1.0");
  }

  @Test
  void aFileWhoseLastLineHasNoEndIsAnError() throws IOException {
    file("a.prom", "jobs 3\ndepth 12");
    assertThat(read()).containsExactly("node_textfile_scrape_error{} 1.0");
  }

  @Test
  void aFileAboveTheLimitIsAnError() throws IOException {
    file("a.prom", "jobs 3\n" + "#".repeat(Textfile.MAX_BYTES));
    assertThat(read()).containsExactly("node_textfile_scrape_error{} 1.0");
  }

  @Test
  void samplesAboveTheLimitAreLeftOutAndAnError() throws IOException {
    StringBuilder text = new StringBuilder();
    for (int i = 0; i <= Textfile.MAX_SAMPLES; i++) {
      text.append("m{i=\"").append(i).append("\"} 1\n");
    }
    file("a.prom", text.toString());
    assertThat(read())
        .hasSize(Textfile.MAX_SAMPLES + 1)
        .contains("node_textfile_scrape_error{} 1.0");
    assertThat(faults.count()).isEqualTo(1);
  }

  @Test
  void aSeriesThatTwoFilesHaveCountsOnceAndIsAnError() throws IOException {
    file("a.prom", "jobs 3\n");
    file("b.prom", "jobs 4\n");
    assertThat(read())
        .contains("jobs{} 3.0", "node_textfile_scrape_error{} 1.0")
        .doesNotContain("jobs{} 4.0");
  }

  @Test
  void withoutAFolderThereIsNoErrorButWithoutItsFilesThereIs() {
    assertThat(read(new Textfile(Optional.empty())))
        .containsExactly("node_textfile_scrape_error{} 0.0");
    Path gone = folder.resolve("gone");
    assertThat(read(new Textfile(Optional.of(gone))))
        .containsExactly("node_textfile_scrape_error{} 1.0");
  }

  private List<String> read() {
    return read(collector);
  }

  private List<String> read(Textfile textfile) {
    Tick.Builder builder = new Tick.Builder();
    readings.begin(builder);
    textfile.read(new NodeFiles(folder, folder, folder, faults), readings);
    Tick tick = builder.at(0);
    List<String> lines = new ArrayList<>();
    for (int i = 0; i < tick.size(); i++) {
      lines.add(tick.series().get(i) + " " + tick.values()[i]);
    }
    return lines;
  }

  private void file(String name, String text) throws IOException {
    Path file = folder.resolve(name);
    Files.writeString(file, text);
    Files.setLastModifiedTime(file, FileTime.from(TIME));
  }
}
