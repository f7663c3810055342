package io.fleetgauge.gateway.remotewrite;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.fail;

import io.fleetgauge.sample.Labels;
import io.fleetgauge.sample.frame.Frame;
import io.fleetgauge.sample.frame.FrameDecoder;
import io.fleetgauge.sample.frame.HostLabels;
import io.fleetgauge.sample.frame.PseudoHosts;
import io.fleetgauge.sample.frame.RunDictionary;
import io.fleetgauge.sample.prometheus.MetricMetadata;
import io.fleetgauge.sample.prometheus.RemoteWriteReader.Version;
import io.fleetgauge.sample.relabel.RelabelFields;
import io.fleetgauge.sample.relabel.Relabelling;
import io.fleetgauge.sample.wire.WireException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class TenantWriterTest {
  private static final long NOW = 1_000_000;
  private static final long FUTURE = 60_000;

  private final Map<String, MetricMetadata> metadata = new HashMap<>();
  private final TenantWriter open = writer(Labels.EMPTY, false);

  private TenantWriter writer(Labels required, boolean stamps) {
    return writer(Relabelling.NONE, required, stamps);
  }

  private TenantWriter writer(Relabelling relabelling, Labels required, boolean stamps) {
    return new TenantWriter(
        new TenantWriter.Rule("team", required, stamps, false),
        relabelling,
        new HostLabels(List.of("Hostname", "instance")),
        FUTURE,
        metadata::put,
        new Random(1));
  }

  private static TenantWriter.Request read(TenantWriter writer, WriteRequest request)
      throws WireException {
    return writer.read(Version.V1, request.bytes(), request.size(), NOW);
  }

  /** The samples of a part as its owner decodes them: labels, time and value. */
  private static Map<String, Double> samples(TenantWriter writer, TenantWriter.Part part)
      throws WireException {
    Map<String, Double> found = new TreeMap<>();
    RunDictionary dictionary = new RunDictionary();
    FrameDecoder before = new FrameDecoder(writer.dictionary(part.host()));
    while (before.hasNext()) {
      dictionary.add(before.next());
    }
    FrameDecoder frames = new FrameDecoder(part.body());
    while (frames.hasNext()) {
      Frame frame = frames.next();
      dictionary.add(frame);
      if (frame instanceof Frame.Tick tick) {
        assertThat(tick.host()).isEqualTo(part.host());
        for (int i = 0; i < tick.ids().length; i++) {
          found.put(dictionary.series(tick.ids()[i]) + " @ " + tick.time(), tick.values()[i]);
        }
      }
    }
    return found;
  }

  @Test
  void aRequestIsSplitByHost() throws Exception {
    TenantWriter.Request request =
        read(
            open,
            new WriteRequest()
                .series(1_000, 1, "Hostname", "n1", "__name__", "up")
                .series(1_000, 2, "Hostname", "n2", "__name__", "up")
                .series(2_000, 3, "Hostname", "n1", "__name__", "up")
                .series(1_000, 4, "__name__", "up", "instance", "n3:9100")
                .series(1_000, 5, "__name__", "up"));
    assertThat(request.samples()).isEqualTo(5);
    assertThat(request.refused().reasons()).isEmpty();
    assertThat(request.parts())
        .extracting(TenantWriter.Part::host)
        .containsExactlyInAnyOrder("n1", "n2", "n3", PseudoHosts.of(Labels.of("__name__", "up")));
    for (TenantWriter.Part part : request.parts()) {
      if (part.host().equals("n1")) {
        assertThat(part.samples()).isEqualTo(2);
        assertThat(samples(open, part))
            .isEqualTo(
                Map.of("up{Hostname=\"n1\"} @ 1000", 1.0, "up{Hostname=\"n1\"} @ 2000", 3.0));
      }
    }
  }

  @Tag("slow")
  @Test
  void runsBeginAnewBeforeTheirLabelsHaveMoreBytesThanAnOwnerHolds() throws Exception {
    for (int i = 0; i < 3; i++) {
      TenantWriter.Request request = read(open, longLabels(7 << 20, i));
      assertThat(samples(open, request.parts().getFirst())).hasSize(request.samples());
    }
    TenantWriter.Request more = read(open, longLabels(15 << 20, 3));
    assertThat(samples(open, more.parts().getFirst())).hasSize(more.samples());
  }

  @Test
  void aRequestWhoseLabelsNoRunHoldsIsRefusedAndTheNextOneIsReadAsUsual() throws Exception {
    assertThatThrownBy(() -> read(open, longLabels(17 << 20, 0)))
        .isInstanceOf(WireException.class)
        .hasMessageStartingWith("the labels of host n1 in one request are more than a run may have")
        .hasMessageEndingWith("send fewer series in a request");
    TenantWriter.Request next = read(open, longLabels(1 << 20, 1));
    assertThat(samples(open, next.parts().getFirst())).hasSize(next.samples());
  }

  /** Series of one host with so many bytes of labels. */
  private static WriteRequest longLabels(int bytes, int number) {
    WriteRequest request = new WriteRequest();
    String value = "x".repeat(16_000);
    for (int i = 0; i < bytes / 16_000; i++) {
      request.series(1_000, 1, "Hostname", "n1", "__name__", "up", "v", number + " " + i + value);
    }
    return request;
  }

  @Test
  void aSecondRequestUsesTheSameRunAndItsDictionary() throws Exception {
    WriteRequest again = new WriteRequest().series(1_000, 1, "Hostname", "n1", "__name__", "up");
    int first = read(open, again).parts().getFirst().body().length;
    TenantWriter.Request second =
        read(open, new WriteRequest().series(2_000, 2, "Hostname", "n1", "__name__", "up"));
    assertThat(second.parts().getFirst().body().length).isLessThan(first);
    assertThat(samples(open, second.parts().getFirst()))
        .isEqualTo(Map.of("up{Hostname=\"n1\"} @ 2000", 2.0));
    assertThat(open.keyBytes()).isPositive();
    open.forget();
    assertThat(open.keyBytes()).isZero();
    assertThat(open.dictionary("n1")).isEmpty();
  }

  @Test
  void relabellingDecidesTheHostAndIsFollowedByTheLabelsOfTheTenant() throws Exception {
    Relabelling rules =
        relabelling(
            List.of(
                Map.of("source_labels", List.of("node"), "target_label", "Hostname"),
                Map.of("target_label", "team", "replacement", "other")));
    WriteRequest one = new WriteRequest().series(1_000, 1, "__name__", "up", "node", "n7");
    TenantWriter writer = writer(rules, Labels.of("team", "a"), true);
    TenantWriter.Part part = read(writer, one).parts().getFirst();
    assertThat(samples(writer, part))
        .containsOnlyKeys("up{Hostname=\"n7\", node=\"n7\", team=\"a\"} @ 1000");
    assertThat(read(writer(rules, Labels.of("team", "a"), false), one).refused().reasons())
        .singleElement()
        .asString()
        .startsWith("the label team is \"other\"");
  }

  @Test
  void samplesOfASeriesThatRelabellingDropsAreCountedEachTime() throws Exception {
    TenantWriter writer =
        writer(
            relabelling(
                List.of(
                    Map.of(
                        "source_labels", List.of("__name__"), "regex", "go_.*", "action", "drop"))),
            Labels.EMPTY,
            false);
    WriteRequest both =
        new WriteRequest()
            .series(1_000, 1, "Hostname", "n1", "__name__", "go_threads")
            .series(1_000, 1, "Hostname", "n1", "__name__", "up");
    for (int i = 0; i < 3; i++) {
      TenantWriter.Request request = read(writer, both);
      assertThat(request.droppedSamples()).isEqualTo(1);
      assertThat(request.samples()).isEqualTo(1);
      assertThat(request.refused().reasons()).isEmpty();
      assertThat(request.refused().invalid()).isZero();
    }
  }

  @Test
  void aSeriesThatLosesItsNameByRelabellingIsRefusedWithTheReason() throws Exception {
    TenantWriter writer =
        writer(
            relabelling(List.of(Map.of("regex", "__name__", "action", "labeldrop"))),
            Labels.EMPTY,
            false);
    WriteRequest one = new WriteRequest().series(1_000, 1, "Hostname", "n1", "__name__", "up");
    assertThat(read(writer, one).refused().reasons())
        .singleElement()
        .asString()
        .contains("ingest.relabel removes the metric name");
  }

  private static Relabelling relabelling(List<Map<String, Object>> rules) {
    return new Relabelling(
        rules.stream()
            .map(
                fields ->
                    new RelabelFields(fields, (field, what) -> fail(field + ": " + what))
                        .rule()
                        .orElseThrow())
            .toList());
  }

  /** Senders keep an order of their series, more or less. */
  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3, 4, 5})
  void theSamplesAreTheSameInWhateverOrderTheirSeriesCome(long seed) throws Exception {
    Random random = new Random(seed);
    List<String[]> series = new ArrayList<>();
    for (int i = 0; i < 40; i++) {
      String longer = i % 3 == 0 ? "x" : "x".repeat(i);
      series.add(new String[] {"Hostname", "n" + i % 3, "__name__", "m" + i / 3, "a", longer});
    }
    for (int round = 1; round < 60; round++) {
      if (random.nextInt(4) == 0) {
        Collections.swap(series, random.nextInt(40), random.nextInt(40));
      }
      Map<String, Double> sent = new TreeMap<>();
      WriteRequest request = new WriteRequest();
      for (String[] each : series) {
        if (random.nextInt(20) > 0) {
          double value = random.nextDouble();
          long time = random.nextInt(50) == 0 ? -round : round * 10_000L;
          request.series(time, value, each);
          sent.put(Labels.of(each) + " @ " + time, value);
        }
      }
      Map<String, Double> found = new TreeMap<>();
      for (TenantWriter.Part part : read(open, request).parts()) {
        found.putAll(samples(open, part));
      }
      assertThat(found).isEqualTo(sent);
    }
  }

  @Test
  void aPartIsNewWhenNothingOfItsSeriesIsAsNew() throws Exception {
    WriteRequest first =
        new WriteRequest()
            .series(1_000, 1, "Hostname", "n1", "__name__", "up")
            .series(1_000, 2, "Hostname", "n2", "__name__", "up");
    assertThat(read(open, first).doubtful().parts()).hasSize(2);
    WriteRequest second =
        new WriteRequest()
            .series(2_000, 1, "Hostname", "n1", "__name__", "up")
            .series(1_000, 2, "Hostname", "n2", "__name__", "up");
    assertThat(read(open, second).doubtful().parts())
        .extracting(TenantWriter.Part::host)
        .containsExactly("n2");
    open.notKept("n1");
    open.notKept("unknown");
    WriteRequest third = new WriteRequest().series(3_000, 1, "Hostname", "n1", "__name__", "up");
    assertThat(read(open, third).doubtful().parts()).hasSize(1);
    WriteRequest ahead = new WriteRequest().series(NOW + 1, 1, "Hostname", "n1", "__name__", "up");
    assertThat(read(open, ahead).doubtful().parts())
        .as("the clock of the owner may be behind")
        .hasSize(1);
  }

  @Test
  void ofASeriesTwiceAtOneTimeTheFirstSampleIsSentAndTheOtherRefused() throws Exception {
    TenantWriter.Request request =
        read(
            open,
            new WriteRequest()
                .series(1_000, 1, "Hostname", "n1", "__name__", "up")
                .series(1_000, 2, "Hostname", "n1", "__name__", "up")
                .series(1_000, 3, "Hostname", "n1", "__name__", "other"));
    FrameDecoder frames = new FrameDecoder(request.parts().getFirst().body());
    int ticks = 0;
    int samples = 0;
    while (frames.hasNext()) {
      if (frames.next() instanceof Frame.Tick tick) {
        ticks++;
        samples += tick.ids().length;
        assertThat(tick.ids()).doesNotHaveDuplicates();
      }
    }
    assertThat(ticks).isEqualTo(1);
    assertThat(samples).isEqualTo(2);
    assertThat(request.parts().getFirst().samples()).isEqualTo(2);
    assertThat(request.refused().reasons())
        .containsExactly(
            "duplicate sample for timestamp 1000 in the request; the first one counts:"
                + " up{Hostname=\"n1\"}");
  }

  @Test
  void seriesWithoutANameAreRefusedWithTheirLabels() throws Exception {
    TenantWriter.Request request =
        read(
            open,
            new WriteRequest()
                .series(1_000, 1, "Hostname", "n1")
                .series(1_000, 1, "Hostname", "n1", "__name__", "up", "", "x")
                .series(1_000, 2, "Hostname", "n1", "__name__", "up"));
    assertThat(request.refused().invalid()).isEqualTo(2);
    assertThat(request.refused().reasons())
        .satisfiesExactly(
            first ->
                assertThat(first).contains("invalid labels for series").contains("no metric name"),
            second -> assertThat(second).contains("a label has an empty name"));
    assertThat(request.samples()).isEqualTo(1);
  }

  @Test
  void aLabelNameTwiceIsRefusedEvenIfOneOfItsValuesIsEmpty() throws Exception {
    for (String other : List.of("b", "a", "")) {
      TenantWriter.Request request =
          read(
              open,
              new WriteRequest()
                  .series(1_000, 1, "Hostname", "n1", "__name__", "up", "zone", "a", "zone", other)
                  .series(1_000, 2, "Hostname", "n1", "__name__", "up"));
      assertThat(request.refused().reasons())
          .containsExactly(
              "invalid labels for series, labels {Hostname=\"n1\", __name__=\"up\", zone=\"a\","
                  + " zone=\""
                  + other
                  + "\"}: duplicated label zone");
      assertThat(request.refused().invalid()).isEqualTo(1);
      assertThat(request.samples()).isEqualTo(1);
    }
  }

  @Test
  void onlyTheFirstTenRefusalsAreTold() throws Exception {
    WriteRequest request = new WriteRequest();
    for (int i = 0; i < 25; i++) {
      request.series(1_000, 1, "Hostname", "n" + i);
    }
    TenantWriter.Request found = read(open, request);
    assertThat(found.refused().invalid()).isEqualTo(25);
    assertThat(found.refused().reasons()).hasSize(10);
    assertThat(found.parts()).isEmpty();
  }

  @Test
  void aLongRefusalIsCutOff() throws Exception {
    TenantWriter.Request found =
        read(open, new WriteRequest().series(1_000, 1, "Hostname", "x".repeat(5_000)));
    assertThat(found.refused().reasons().getFirst()).hasSizeLessThan(1_010).endsWith(" ...");
  }

  @Test
  void aSampleAtTheEdgeOfTheFutureIsAcceptedAndOneAfterItIsNot() throws Exception {
    TenantWriter.Request edge =
        read(open, new WriteRequest().series(NOW + FUTURE, 1, "Hostname", "n1", "__name__", "up"));
    assertThat(edge.ahead()).isEmpty();
    assertThat(edge.samples()).isEqualTo(1);
    TenantWriter.Request ahead =
        read(
            open,
            new WriteRequest()
                .series(NOW + FUTURE + 1, 1, "Hostname", "n1", "__name__", "up")
                .series(NOW, 1, "Hostname", "n1", "__name__", "up"));
    assertThat(ahead.ahead())
        .isEqualTo("out of bounds: the time 1060001 is ahead of the latest allowed, 1060000");
    assertThat(ahead.samples()).isEqualTo(1);
    assertThat(ahead.refused().ahead()).isEqualTo(1);
  }

  @Test
  void aTokenThatRequiresALabelRefusesSeriesWithoutIt() throws Exception {
    TenantWriter strict = writer(Labels.of("tenant", "a"), false);
    TenantWriter.Request request =
        read(
            strict,
            new WriteRequest()
                .series(1_000, 1, "Hostname", "n1", "__name__", "up", "tenant", "a")
                .series(1_000, 2, "Hostname", "n1", "__name__", "up", "tenant", "b")
                .series(1_000, 3, "Hostname", "n1", "__name__", "up"));
    assertThat(request.samples()).isEqualTo(1);
    assertThat(request.refused().foreign()).isEqualTo(2);
    assertThat(request.refused().reasons())
        .satisfiesExactly(
            other ->
                assertThat(other)
                    .startsWith(
                        "the label tenant is \"b\", and tenant team must write \"a\" there"
                            + " (write.labels in the tenants file), labels ")
                    .contains("Hostname"),
            missing ->
                assertThat(missing)
                    .startsWith("the label tenant is missing, and tenant team must write"));
  }

  @Test
  void aTokenThatStampsPutsItsLabelsOnEverySeries() throws Exception {
    TenantWriter stamping = writer(Labels.of("tenant", "a"), true);
    TenantWriter.Request request =
        read(
            stamping,
            new WriteRequest().series(1_000, 1, "Hostname", "n1", "__name__", "up", "tenant", "b"));
    assertThat(samples(stamping, request.parts().getFirst()))
        .isEqualTo(Map.of("up{Hostname=\"n1\", tenant=\"a\"} @ 1000", 1.0));
  }

  @Test
  void metadataIsPassedOn() throws Exception {
    read(open, new WriteRequest().gauge("up", "Whether it is up."));
    assertThat(metadata).containsEntry("up", new MetricMetadata("gauge", "Whether it is up.", ""));
  }

  @Test
  void bytesThatAreNoMessageAreRefusedAndTheNextRequestIsReadAsUsual() throws Exception {
    byte[] noise = new WriteRequest().series(1_000, 1, "Hostname", "n1", "__name__", "up").bytes();
    assertThatThrownBy(() -> open.read(Version.V1, noise, noise.length - 3, NOW))
        .isInstanceOf(WireException.class);
    TenantWriter.Request request =
        read(open, new WriteRequest().series(2_000, 5, "Hostname", "n1", "__name__", "up"));
    assertThat(samples(open, request.parts().getFirst()))
        .isEqualTo(Map.of("up{Hostname=\"n1\"} @ 2000", 5.0));
  }

  @Test
  void metadataOfATenantIsBounded() {
    MetadataTable table = new MetadataTable();
    MetadataTable.OfTenant tenant = table.of("a");
    for (int i = 0; i <= MetadataTable.MAX_METRICS; i++) {
      tenant.put("m" + i, new MetricMetadata("gauge", "", ""));
    }
    assertThat(table.dropped()).isEqualTo(1);
    tenant.put("m0", new MetricMetadata("counter", "", ""));
    assertThat(table.dropped()).as("a known metric is replaced").isEqualTo(1);
    table.of("b").put("x", new MetricMetadata("gauge", "of b", ""));
    assertThat(table.read(List.of("b"))).containsOnlyKeys("x");
    assertThat(table.read(List.of())).hasSize(MetadataTable.MAX_METRICS + 1);
    assertThat(table.read(List.of("a")).get("m0").type()).isEqualTo("counter");
    assertThat(table.read(List.of("c"))).isEmpty();
  }
}
