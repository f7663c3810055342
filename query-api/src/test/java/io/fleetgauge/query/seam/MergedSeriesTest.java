package io.fleetgauge.query.seam;

import static org.assertj.core.api.Assertions.assertThat;

import io.fleetgauge.promql.lookup.HostRetention;
import io.fleetgauge.query.config.SourceSettings;
import io.fleetgauge.sample.Labels;
import io.fleetgauge.sample.Series;
import io.fleetgauge.sample.Staleness;
import io.fleetgauge.sample.frame.HostLabels;
import io.fleetgauge.sample.frame.PseudoHosts;
import java.net.URI;
import java.util.Arrays;
import java.util.List;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

class MergedSeriesTest {
  private static final long NOW = 1_000_000_000;
  private static final long YEAR = 1L << 40;
  private static final HostLabels HOSTS = new HostLabels(List.of("Hostname", "node", "instance"));
  private static final HostSeams SEAMS =
      HostSeams.of(
          List.of(new HostRetention("n1", 100, YEAR), new HostRetention("n2", 200, YEAR)),
          NOW,
          HostSeams.NONE,
          List.of());

  private static final SourceSettings PLAIN =
      SourceSettings.at(
          "old",
          URI.create("http://old:9090"),
          SourceSettings.Kind.PROMETHEUS,
          SourceSettings.Holds.OLDER);
  private static final SourceSettings OWNED = PLAIN.withOwnerLabels();

  private static Labels of(String host) {
    return Labels.of("__name__", "up", "Hostname", host);
  }

  private static Series series(Labels labels, long... times) {
    return new Series(labels, times, LongStream.of(times).asDoubleStream().toArray());
  }

  private static Series wrong(Labels labels, long... times) {
    double[] values = new double[times.length];
    Arrays.fill(values, -1);
    return new Series(labels, times, values);
  }

  private static MergedSeries merged(Series... here) {
    MergedSeries merged = new MergedSeries(SEAMS);
    merged.addGateways(List.of(here), HOSTS, true);
    return merged;
  }

  @Test
  void samplesFromTheSeamOnAreTheGatewaysAndOlderOnesTheStores() {
    MergedSeries merged = merged(series(of("n1"), 90, 100, 110), series(of("n2"), 200, 210));
    merged.addOlder(
        List.of(wrongAfter(of("n1"), 100, 80, 99, 100, 105), wrongAfter(of("n2"), 200, 150, 200)),
        OWNED);
    assertThat(merged.series())
        .containsExactly(series(of("n1"), 80, 99, 100, 110), series(of("n2"), 150, 200, 210));
  }

  /** Right before the seam and wrong from then on. */
  private static Series wrongAfter(Labels labels, long seam, long... times) {
    double[] values = LongStream.of(times).mapToDouble(time -> time < seam ? time : -1).toArray();
    return new Series(labels, times, values);
  }

  @Test
  void aSeriesWithoutTheLabelsOfOwnersEndsWhereTheOneWithThemBegins() {
    Labels gpu = of("n1").with("gpu", "0");
    MergedSeries merged = merged(series(gpu.with("job", "a"), 105, 120));
    merged.addOlder(List.of(series(gpu, 80, 95), series(of("n1"), 80)), PLAIN);
    assertThat(merged.series())
        .containsExactlyInAnyOrder(
            new Series(gpu, new long[] {80, 95, 105}, new double[] {80, 95, Staleness.MARKER}),
            series(gpu.with("job", "a"), 105, 120),
            series(of("n1"), 80));
    MergedSeries none = merged(series(gpu.with("job", "a"), 105, 120));
    none.addOlder(List.of(series(gpu, 100, 101)), PLAIN);
    assertThat(none.series()).as("nothing is older").hasSize(1);
    MergedSeries free = merged(series(gpu.with("job", "a"), 110), series(gpu, 100, 105));
    free.addOlder(List.of(series(gpu, 95)), PLAIN);
    assertThat(free.series()).as("it goes on").contains(series(gpu, 95, 100, 105));
  }

  @Test
  void aHostThatOnlyTheStoreHasIsReadThereAtAllTimes() {
    MergedSeries merged = merged();
    merged.addOlder(List.of(series(of("gone"), 5, 5_000)), OWNED);
    assertThat(merged.series()).containsExactly(series(of("gone"), 5, 5_000));
  }

  @Test
  void theSeamOfAHostThatTheGatewaysHaveNotToldOfIsItsOldestSampleHere() {
    MergedSeries merged = merged(series(of("new"), 700, 710));
    merged.addOlder(List.of(wrongAfter(of("new"), 700, 600, 700, 705)), OWNED);
    assertThat(merged.series()).containsExactly(series(of("new"), 600, 700, 710));
  }

  @Test
  void aSeriesWithoutAHostHasTheSeamOfItsPseudoHostOrTheEarliest() {
    Labels rule = Labels.of("__name__", "rack:up:sum");
    HostSeams seams =
        HostSeams.of(
            List.of(
                new HostRetention("n1", 100, YEAR),
                new HostRetention(PseudoHosts.of(rule), 50, YEAR)),
            NOW,
            HostSeams.NONE,
            List.of());
    MergedSeries merged = new MergedSeries(seams);
    merged.addGateways(List.of(series(rule, 50, 60)), HOSTS, true);
    merged.addOlder(List.of(wrongAfter(rule, 50, 40, 50, 60)), OWNED);
    assertThat(merged.series()).containsExactly(series(rule, 40, 50, 60));

    MergedSeries without = merged();
    without.addOlder(List.of(series(rule, 50, 99, 100, 250)), OWNED);
    assertThat(without.series()).containsExactly(series(rule, 50, 99));
    Labels exporter = Labels.of("__name__", "up", "instance", "db:9187");
    MergedSeries other = merged();
    other.addOlder(List.of(series(exporter, 50, 99, 100, 250)), OWNED);
    assertThat(other.series()).containsExactly(series(exporter, 50, 99));
  }

  @Test
  void ofTwoStoresTheSecondCountsOnlyBeforeTheOldestSampleOfTheFirst() {
    MergedSeries merged = merged(series(of("n1"), 100));
    merged.addOlder(List.of(series(of("n1"), 60, 80)), OWNED);
    merged.addOlder(List.of(wrongAfter(of("n1"), 60, 40, 59, 60, 70, 99)), OWNED);
    assertThat(merged.series()).containsExactly(series(of("n1"), 40, 59, 60, 80, 100));
  }

  @Test
  void aStoreWithOtherSeriesAddsOnlyThoseThatAreNowhereElse() {
    Labels job = Labels.of("__name__", "slurm_job", "Hostname", "n1");
    MergedSeries merged = merged(series(of("n1"), 100));
    merged.addOther(List.of(series(job, 10, 900), wrong(of("n1"), 50, 150)));
    assertThat(merged.series()).containsExactly(series(job, 10, 900), series(of("n1"), 100));
  }

  @Test
  void withoutAStoreWithOlderSamplesNothingHereIsCut() {
    MergedSeries merged = new MergedSeries(SEAMS);
    merged.addGateways(List.of(series(of("n1"), 90, 100)), HOSTS, false);
    merged.addOther(List.of());
    assertThat(merged.series()).containsExactly(series(of("n1"), 90, 100));
  }

  @Test
  void aSeamIsNotBeforeWhatRetentionRemovesInTheNextMinute() {
    HostSeams seams =
        HostSeams.of(
            List.of(new HostRetention("n1", 5, 600_000), new HostRetention("n2", NOW - 7, 600_000)),
            NOW,
            HostSeams.NONE,
            List.of());
    assertThat(seams.of("n1")).isEqualTo(NOW - 600_000 + HostSeams.MARGIN);
    assertThat(seams.of("n2")).isEqualTo(NOW - 7);
    assertThat(seams.earliest()).isEqualTo(seams.of("n1"));
    assertThat(seams.reach()).isEqualTo(seams.of("n1"));
    assertThat(seams.young()).containsOnlyKeys("n2");
    assertThat(seams.of("nosuch")).isEqualTo(HostSeams.NEVER);
  }

  @Test
  void theSeamOfAHostThatCannotBeAskedIsTheOneThatWasKnown() {
    HostSeams later =
        HostSeams.of(List.of(new HostRetention("n2", 300, YEAR)), NOW, SEAMS, List.of("n1", "n9"));
    assertThat(later.byHost()).containsOnlyKeys("n1", "n2");
    assertThat(later.of("n1")).isEqualTo(100);
    assertThat(later.of("n2")).isEqualTo(300);
  }
}
