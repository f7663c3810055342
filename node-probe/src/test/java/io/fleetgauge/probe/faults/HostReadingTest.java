package io.fleetgauge.probe.faults;

import static org.assertj.core.api.Assertions.assertThat;

import io.fleetgauge.probe.host.reading.Faults;
import io.fleetgauge.probe.host.reading.NodeFiles;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class HostReadingTest {
  private static final long SECOND = 1_000_000_000L;

  @TempDir private Path proc;
  private HostReading reading;
  private long nanos;

  @BeforeEach
  void open() throws Exception {
    Files.createDirectory(proc.resolve("pressure"));
    reading = new HostReading(new NodeFiles(proc, proc, Path.of("/"), new Faults()));
  }

  private void write(String cpu, long cpuMicros, long ioSome, long ioFull) throws Exception {
    Files.writeString(proc.resolve("stat"), "cpu  " + cpu + " 0 0\ncpu0 1 2 3 4 5 6 7 8 0 0\n");
    Files.writeString(
        proc.resolve("pressure/cpu"),
        "some avg10=0.00 avg60=0.00 avg300=0.00 total=" + cpuMicros + "\n");
    Files.writeString(
        proc.resolve("pressure/io"),
        "some avg10=0.00 avg60=0.00 avg300=0.00 total="
            + ioSome
            + "\nfull avg10=0.00 avg60=0.00 avg300=0.00 total="
            + ioFull
            + "\n");
  }

  private Map<String, Double> read() {
    Map<String, Double> values = new TreeMap<>();
    reading.read(
        nanos,
        (series, value) -> {
          if (!Double.isNaN(value)) {
            values.put(series.metric(), value);
          }
        });
    nanos += SECOND;
    return values;
  }

  @Test
  void aReadingHasSharesOfTheTimeSinceTheOneBefore() throws Exception {
    write("100 0 50 1000 20 0 0 0", 1_000_000, 500, 100);
    assertThat(read()).isEmpty();
    write("160 0 60 1020 30 0 0 0", 1_250_000, 500_500, 100);
    assertThat(read())
        .isEqualTo(
            Map.of(
                "node_recent_cpu_busy_ratio", 0.7,
                "node_recent_cpu_iowait_ratio", 0.1,
                "node_recent_pressure_cpu_waiting_ratio", 0.25,
                "node_recent_pressure_io_waiting_ratio", 0.5,
                "node_recent_pressure_io_stalled_ratio", 0.0));
  }

  @Test
  void whatTheKernelTakesBackGivesNoNegativeShare() throws Exception {
    write("100 0 50 1000 20 0 0 0", 1_000_000, 500, 100);
    read();
    write("100 0 50 1100 10 0 0 0", 900_000, 5_000_500, 100);
    assertThat(read())
        .containsEntry("node_recent_cpu_busy_ratio", 0.0)
        .containsEntry("node_recent_cpu_iowait_ratio", 0.0)
        .containsEntry("node_recent_pressure_cpu_waiting_ratio", 0.0)
        .containsEntry("node_recent_pressure_io_waiting_ratio", 1.0);
  }

  @Test
  void whatIsMissingOrDamagedIsAGapAndBeginsAnew() throws Exception {
    write("100 0 50 1000 20 0 0 0", 1_000_000, 500, 100);
    read();
    Files.writeString(proc.resolve("stat"), "cpu  x y\n");
    Files.delete(proc.resolve("pressure/cpu"));
    assertThat(read())
        .containsOnlyKeys(
            "node_recent_pressure_io_waiting_ratio", "node_recent_pressure_io_stalled_ratio");
    write("200 0 50 1100 20 0 0 0", 2_000_000, 500, 100);
    assertThat(read())
        .doesNotContainKeys("node_recent_cpu_busy_ratio", "node_recent_pressure_cpu_waiting_ratio");
    write("300 0 50 1200 20 0 0 0", 2_100_000, 500, 100);
    assertThat(read())
        .containsEntry("node_recent_cpu_busy_ratio", 0.5)
        .containsEntry("node_recent_pressure_cpu_waiting_ratio", 0.1);
  }
}
