package io.fleetgauge.gateway.ingest;

import static org.assertj.core.api.Assertions.assertThat;

import io.fleetgauge.sample.Labels;
import io.fleetgauge.sample.Tick;
import io.fleetgauge.sample.frame.FrameEncoder;
import io.fleetgauge.sample.journal.Journal;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class JournalTailTest {
  private final FrameEncoder encoder = new FrameEncoder("h", 7);

  @TempDir Path folder;

  private void append(Journal journal, long time) throws Exception {
    byte[] record =
        encoder.encode(
            new Tick(time, List.of(Labels.of(Labels.NAME, "m")), new double[] {1}, null));
    CompletableFuture<Boolean> done = new CompletableFuture<>();
    journal.append(journal.segment(), record, done::complete);
    assertThat(done.get(10, TimeUnit.MINUTES)).isTrue();
  }

  @Test
  void itHasTheTicksOfRecordsBehindThePosition() throws Exception {
    Journal.Position first;
    try (Journal journal = Journal.open(Journal.Settings.defaults(folder))) {
      append(journal, 1_000);
      append(journal, 2_000);
      first = journal.position();
      append(journal, 3_000);
    }
    try (Journal journal = Journal.open(Journal.Settings.defaults(folder))) {
      append(journal, 4_000);
    }
    assertThat(ticks(first)).containsExactly("h@3000", "h@4000");
    assertThat(ticks(Journal.Position.START)).hasSize(4);
  }

  private List<String> ticks(Journal.Position from) throws Exception {
    List<String> heard = new ArrayList<>();
    JournalTail tail = new JournalTail(from, (host, time) -> heard.add(host + "@" + time));
    try (Journal journal = Journal.open(Journal.Settings.defaults(folder))) {
      journal.replay(
          (segment, record) -> {
            try {
              tail.record(segment, "h", record);
            } catch (Exception e) {
              throw new IllegalStateException(e);
            }
          });
    }
    return heard;
  }
}
