package io.fleetgauge.gateway.store;

import static org.assertj.core.api.Assertions.assertThat;

import io.fleetgauge.promql.query.Selection;
import io.fleetgauge.promql.query.StopCheck;
import io.fleetgauge.sample.Labels;
import io.fleetgauge.sample.Series;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class LateSamplesTest {
  private static final long START = 1_800_000_000_000L;

  @TempDir Path folder;
  private HostWriter writer;
  private final List<String> heard = new ArrayList<>();
  private long readUntil = Long.MIN_VALUE;

  @BeforeEach
  void listen() {
    writer = new HostWriter(folder.resolve("blocks"), "h");
    writer.store().onLate(listener());
  }

  private LateSamples listener() {
    return new LateSamples() {
      @Override
      public boolean isLate(String host, Lane.Source source, long time) {
        return time <= readUntil;
      }

      @Override
      public void stored(String host, long time, List<Labels> series) {
        series.forEach(each -> heard.add(each.metric() + "@" + (time - START)));
      }

      @Override
      public void stored(String host, long after, long to) {
        heard.add("(" + (after - START) + "," + (to - START) + "]");
      }
    };
  }

  private void send(long time, double value, String... metrics) {
    Labels[] series = new Labels[metrics.length];
    double[] values = new double[metrics.length];
    for (int i = 0; i < metrics.length; i++) {
      series[i] = writer.series(metrics[i]);
      values[i] = value;
    }
    writer.send(START + time, series, values, null);
  }

  @Test
  void onlySamplesOfATimeThatWasReadAreHeard() {
    send(1_000, 1, "a", "b");
    readUntil = START + 1_000;
    send(2_000, 1, "a", "b");
    assertThat(heard).isEmpty();
    send(1_000, 1, "c");
    assertThat(heard).containsExactly("c@1000");
  }

  @Test
  void samplesThatWereHereOrAreRefusedAreNotHeard() {
    send(1_000, 1, "a", "b");
    readUntil = START + 1_000;
    send(1_000, 1, "a", "b", "c");
    send(1_000, 2, "a");
    assertThat(heard).containsExactly("c@1000");
  }

  @Test
  void whoeverReadsAfterItWasAskedFindsTheSample() {
    List<Integer> found = new ArrayList<>();
    writer
        .store()
        .onLate(
            new LateSamples() {
              @Override
              public boolean isLate(String host, Lane.Source source, long time) {
                try {
                  List<Series> read =
                      writer
                          .store()
                          .select(
                              List.of("h"),
                              new Selection(List.of(), time - 1, time),
                              Long.MAX_VALUE,
                              incomplete -> {},
                              StopCheck.NEVER);
                  found.add(read.size());
                } catch (Exception e) {
                  throw new IllegalStateException(e);
                }
                return false;
              }

              @Override
              public void stored(String host, long time, List<Labels> series) {}

              @Override
              public void stored(String host, long after, long to) {}
            });
    send(1_000, 1, "a", "b");
    send(500, 1, "a", "b");
    assertThat(found).containsExactly(2, 2);
  }

  @Test
  void aBlockOfABackupIsHeardAsARange() throws Exception {
    HostWriter other = new HostWriter(folder.resolve("other"), "h");
    other.send(START, other.series("a"), 1);
    other.send(START + HostWriter.BLOCK_MILLIS * 3, other.series("a"), 1);
    other.sealAll(START + HostWriter.BLOCK_MILLIS * 4);
    Path block = other.store().blockFiles("h").getFirst();
    Path copy = Files.copy(block, folder.resolve(block.getFileName().toString()));
    send(HostWriter.BLOCK_MILLIS * 3, 1, "b");
    writer.store().adopt("h", List.of(copy));
    assertThat(heard).hasSize(1).first().asString().startsWith("(").endsWith("]");
  }
}
