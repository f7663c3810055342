package io.fleetgauge.gateway.store;

import static org.assertj.core.api.Assertions.assertThat;

import io.fleetgauge.sample.Labels;
import io.fleetgauge.sample.frame.PseudoHosts;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What the caches of query APIs learn of a store. */
class StoreChangesTest {
  @TempDir private Path folder;
  private HostWriter writer;
  private Store store;

  @BeforeEach
  void open() {
    writer = new HostWriter(folder, "n1");
    store = writer.store();
  }

  private void send(String host, long time) {
    Lane lane = store.lane(host);
    Lane.Handle[] handles = {lane.handle(Labels.of(Labels.NAME, "up", "Hostname", host))};
    lane.append(
        Lane.Source.SENDER,
        time,
        Long.MAX_VALUE,
        handles,
        new double[] {1},
        null,
        new WriteOutcome());
  }

  private StoreChanges changes(long before, long since) {
    return store.changes(before, since, host -> true);
  }

  private void derive(String host, long time) {
    Lane lane = store.lane(host);
    Lane.Handle[] handles = {lane.handle(Labels.of(Labels.NAME, "ALERTS", "Hostname", host))};
    lane.append(
        Lane.Source.SENDER,
        true,
        time,
        Long.MAX_VALUE,
        handles,
        new double[] {1},
        null,
        new WriteOutcome());
  }

  @Test
  void anotherIncarnationIsToldNoHostsBecauseAllMayHaveChanged() throws Exception {
    send("n1", 1_000);
    StoreChanges first = changes(0, 0);
    assertThat(first.hosts()).isEmpty();
    assertThat(first.incarnation()).isPositive();
    assertThat(changes(first.incarnation() + 1, 0).hosts()).isEmpty();
    writer.restart();
    assertThat(writer.store().changes(0, 0, host -> true).incarnation())
        .isNotEqualTo(first.incarnation());
  }

  @Test
  void hostsThatHaveChangedSinceTheCursorAreTold() {
    send("n1", 1_000);
    send("n2", 1_000);
    StoreChanges first = changes(0, 0);
    assertThat(changes(first.incarnation(), first.cursor()).hosts()).isEmpty();
    send("n2", 7_000);
    StoreChanges next = changes(first.incarnation(), first.cursor());
    assertThat(next.cursor()).isGreaterThan(first.cursor());
    assertThat(next.hosts())
        .containsExactly(
            new StoreChanges.OfHost("n2", false, List.of(new StoreChanges.Range(5_000, 10_000))));
    assertThat(changes(first.incarnation(), next.cursor()).hosts()).isEmpty();
  }

  @Test
  void aNewHostHasChangedAltogether() {
    send("n1", 1_000);
    StoreChanges first = changes(0, 0);
    store.lane("n9");
    assertThat(changes(first.incarnation(), first.cursor()).hosts())
        .containsExactly(new StoreChanges.OfHost("n9", true, List.of()));
  }

  @Test
  void theWatermarkIsTheNewestTimeOfTheHostThatIsFurthestBehind() {
    assertThat(changes(0, 0).watermark()).isEqualTo(Long.MIN_VALUE);
    send("n1", 400_000);
    send("n2", 390_000);
    assertThat(changes(0, 0).watermark()).isEqualTo(390_000);
    send("n2", 410_000);
    assertThat(changes(0, 0).watermark()).isEqualTo(400_000);
  }

  @Test
  void aHostThatHasMissedFourTicksDoesNotHoldTheWatermarkBack() {
    send("n1", 400_000);
    send("n2", 340_001);
    assertThat(changes(0, 0).watermark()).isEqualTo(340_001);
    send("n3", 400_001);
    assertThat(changes(0, 0).watermark()).isEqualTo(400_000);
  }

  @Test
  void aHostIsCompleteUntilItsNextTickIsDue() {
    send("n1", 400_000);
    send("n1", 410_000);
    send("n2", 405_000);
    send("n2", 420_000);
    assertThat(changes(0, 0).watermark()).isEqualTo(419_999);
    send("n1", 420_000);
    assertThat(changes(0, 0).watermark()).isBetween(428_000L, 429_999L);
  }

  @Test
  void aHostThatIsNoNodeDoesNotHoldTheWatermarkBack() {
    send("n1", 400_000);
    send(PseudoHosts.of(Labels.of("a", "b")), 380_000);
    assertThat(changes(0, 0).watermark()).isEqualTo(400_000);
  }

  @Test
  void aHostThatAnotherGatewayOwnsDoesNotHoldTheWatermarkBack() {
    send("n1", 400_000);
    send("n2", 390_000);
    assertThat(store.changes(0, 0, "n1"::equals).watermark()).isEqualTo(400_000);
    assertThat(store.changes(0, 0, "n2"::equals).watermark()).isEqualTo(390_000);
    assertThat(store.changes(0, 0, "n3"::equals).watermark()).isEqualTo(Long.MIN_VALUE);
  }

  @Test
  void samplesThatAreDerivedNeitherMoveTheWatermarkNorHoldItBack() {
    send("n1", 400_000);
    send("n1", 410_000);
    send("n2", 400_000);
    send("n2", 410_000);
    long complete = changes(0, 0).watermark();
    derive("n1", 425_000);
    derive("n1", 440_000);
    derive("n3", 405_000);
    derive("n3", 500_000);
    assertThat(changes(0, 0).watermark()).isEqualTo(complete);
    assertThat(store.lane("n1").newest()).as("yet they are seen").isEqualTo(440_000);
    send("n1", 420_000);
    send("n2", 420_000);
    assertThat(changes(0, 0).watermark()).isEqualTo(complete + 10_000);
  }

  @Test
  void aLaneSaysWhetherATimeIsUnchangedSinceAChange() {
    send("n1", 1_000);
    long before = store.changeCount();
    assertThat(store.lane("n1").isUnchanged(before, 0, 100_000)).isTrue();
    send("n1", 52_000);
    assertThat(store.lane("n1").isUnchanged(before, 0, 50_000)).isTrue();
    assertThat(store.lane("n1").isUnchanged(before, 0, 52_000)).isFalse();
    assertThat(store.lane("n1").isUnchanged(store.changeCount(), 0, 52_000)).isTrue();
  }

  @Test
  void aTickThatIsRefusedIsNoChange() {
    send("n1", 10_000_000);
    long before = store.changeCount();
    send("n1", 1_000);
    assertThat(store.changeCount()).isEqualTo(before);
  }
}
