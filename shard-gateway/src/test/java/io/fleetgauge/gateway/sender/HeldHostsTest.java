package io.fleetgauge.gateway.sender;

import static org.assertj.core.api.Assertions.assertThat;

import io.fleetgauge.cluster.table.ClusterView;
import io.fleetgauge.cluster.table.Holders;
import io.fleetgauge.cluster.table.OwnershipTable;
import io.fleetgauge.gateway.sender.SentRecord.Term;
import io.fleetgauge.gateway.sender.TimeRanges.Range;
import io.fleetgauge.gateway.store.HostWriter;
import io.fleetgauge.gateway.store.Lane;
import io.fleetgauge.gateway.store.Store;
import io.fleetgauge.gateway.store.owner.Dimensions;
import io.fleetgauge.runtime.config.AccessSettings;
import io.fleetgauge.sample.Labels;
import io.fleetgauge.sample.prometheus.RemoteWriteReader.Version;
import io.fleetgauge.sample.relabel.Relabelling;
import io.vertx.core.Future;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Hosts of the gateway {@code a}; {@code b} is another one. */
class HeldHostsTest {
  private static final long START = 1_800_000_000_000L;
  private static final Labels SERIES = Labels.of(Labels.NAME, "m", "Hostname", "h");
  private static final SenderSettings SETTINGS =
      new SenderSettings(
          "r",
          URI.create("http://127.0.0.1/"),
          Version.V1,
          Map.of(),
          List.of(),
          false,
          true,
          Relabelling.NONE,
          Duration.ofSeconds(30),
          Duration.ofSeconds(10),
          100,
          4,
          1_000,
          AccessSettings.NONE);

  private long now = START;
  private boolean isWholeCopy;
  private boolean isRecovered = true;
  private SentRecords records;
  private ReceiverSender sender;
  private HeldHosts hosts;

  @TempDir Path folder;

  @BeforeEach
  void open() {
    Store store = new Store(folder, HostWriter.limits(100), Dimensions.DEFAULT);
    records = new SentRecords(folder.resolve("sent"));
    records.begun("r", START - 100_000);
    sender =
        new ReceiverSender(
            SETTINGS,
            new HostSamples(store, SETTINGS),
            series -> Future.succeededFuture(Receiver.Outcome.ACCEPTED),
            Runnable::run,
            () -> now,
            () -> 0);
    hosts =
        new HeldHosts(
            new HeldHosts.Surroundings(
                "a", store, (host, since) -> isWholeCopy, () -> isRecovered, () -> now, () -> 0),
            records,
            List.of(sender));
  }

  private static ClusterView view(String owner, long since, Set<String> behind, String... copies) {
    Map<String, Holders> table = new TreeMap<>();
    table.put(
        "h",
        new Holders(
            owner,
            since,
            behind,
            List.of(copies).stream().map(each -> new Holders.Copy(each, since, true)).toList(),
            Optional.empty()));
    return new ClusterView(
        new OwnershipTable(1, since, List.of("a", "b"), new TreeMap<>(table)),
        Map.of("a", URI.create("http://a"), "b", URI.create("http://b")),
        false);
  }

  private static SentRecord record(long epoch, long until, Range... gaps) {
    return new SentRecord("r", "h", new Term(1, epoch), until, List.of(gaps));
  }

  private List<SentRecord> told(ClusterView view) {
    List<SentRecord> all =
        hosts.tells(view).stream()
            .peek(each -> hosts.answered(each, true))
            .flatMap(
                each -> SentRecords.parse(new String(each.body(), StandardCharsets.UTF_8)).stream())
            .filter(each -> !each.isBegin())
            .toList();
    return all;
  }

  @Test
  void aCopyHearsOfLateSamplesAndBeginsWithThem() {
    isWholeCopy = true;
    ClusterView before = view("b", 1, Set.of(), "a");
    hosts.follow(before);
    assertThat(hosts.told(List.of(record(1, START - 20_000)))).isTrue();
    assertThat(hosts.isLate("h", Lane.Source.JOURNAL, START - 60_000)).isTrue();
    assertThat(hosts.isLate("h", Lane.Source.JOURNAL, START)).isFalse();
    hosts.stored("h", START - 60_000, List.of(SERIES));
    ClusterView after = view("a", 2, Set.of(), "b");
    hosts.follow(after);
    assertThat(told(after))
        .containsExactly(record(2, START - 20_000, new Range(START - 60_001, START - 60_000)));
  }

  @Test
  void theClockOfAnOwnerMayBeAhead() {
    isWholeCopy = true;
    hosts.follow(view("b", 1, Set.of(), "a"));
    hosts.told(List.of(record(1, START + 50_000)));
    hosts.follow(view("b", 1, Set.of(), "a"));
    assertThat(hosts.isLate("h", Lane.Source.JOURNAL, START + 50_000)).isTrue();
  }

  @Test
  void aCopyThatIsNotWholeHearsWhatSendersSendOnly() {
    hosts.follow(view("b", 1, Set.of(), "a"));
    assertThat(hosts.isLate("h", Lane.Source.JOURNAL, START - 60_000)).isFalse();
    assertThat(hosts.isLate("h", Lane.Source.SENDER, START - 60_000)).isTrue();
  }

  @Test
  void anOwnerThatFindsThatItLacksSomethingHearsWhatItCatchesUpWith() {
    records.told(record(1, START - 60_000), now);
    hosts.follow(view("a", 2, Set.of(), "b"));
    hosts.follow(view("a", 2, Set.of("a"), "b"));
    assertThat(hosts.isLate("h", Lane.Source.JOURNAL, START - 50_000)).isTrue();
    assertThat(hosts.isLate("h", Lane.Source.JOURNAL, START - 60_000))
        .as("the owner before has sent it")
        .isFalse();
  }

  @Test
  void anOwnerWaitsForWhatAnotherGatewayHasAsLongAsThatOneIsThere() {
    records.told(record(1, START - 20_000), now);
    ClusterView view = view("a", 2, Set.of("b"), "b");
    hosts.follow(view);
    assertThat(told(view)).isEmpty();
    now += 7_000;
    hosts.follow(view);
    sender.look();
    assertThat(sender.lagSeconds()).isEqualTo(7);
    ClusterView gone = view("a", 2, Set.of("c"), "b");
    hosts.follow(gone);
    assertThat(told(gone)).containsExactly(record(2, START - 20_000));
  }

  @Test
  void nobodySendsBeforeAllIsReadOfWhatWasThereBeforeTheStart() {
    isRecovered = false;
    records.told(record(1, START - 20_000), now);
    ClusterView view = view("a", 2, Set.of(), "b");
    hosts.follow(view);
    assertThat(told(view)).isEmpty();
    isRecovered = true;
    hosts.follow(view);
    assertThat(told(view)).hasSize(1);
  }

  @Test
  void theLastRecordOfAnOwnerIsToldAlthoughTheNextOneHasToldBefore() {
    records.told(record(1, START - 20_000), now);
    hosts.follow(view("a", 2, Set.of(), "b"));
    hosts.stored("h", START - 60_000, List.of(SERIES));
    isWholeCopy = true;
    ClusterView after = view("b", 3, Set.of(), "a");
    hosts.follow(after);
    hosts.told(List.of(record(3, START - 10_000)));
    assertThat(told(after))
        .containsExactly(record(2, START - 20_000, new Range(START - 60_001, START - 60_000)));
    assertThat(told(after)).as("once").isEmpty();
    assertThat(records.of("r", "h")).contains(record(3, START - 10_000));
  }

  @Test
  void ofALateRecordOfAnEarlierOwnerWhatIsNewIsSentAndAnOwnOneThatComesBackChangesNothing() {
    records.told(record(1, START - 20_000), now);
    ClusterView view = view("a", 2, Set.of(), "b");
    hosts.follow(view);
    told(view);
    hosts.told(List.of(record(2, START - 20_000, new Range(1, 2))));
    assertThat(told(view)).isEmpty();
    hosts.told(List.of(record(1, START - 19_000, new Range(3, 4))));
    assertThat(told(view)).containsExactly(record(2, START - 20_000, new Range(3, 4)));
  }

  @Test
  void recordsOfHostsAndReceiversThatAreNotKnownAreNotTaken() {
    hosts.follow(view("b", 1, Set.of(), "a"));
    assertThat(hosts.told(List.of(new SentRecord("r", "x", Term.NONE, 1, List.of())))).isFalse();
    assertThat(hosts.told(List.of(new SentRecord("x", "h", Term.NONE, 1, List.of())))).isTrue();
    assertThat(records.of("x", "h")).isEmpty();
    assertThat(records.of("r", "x")).isEmpty();
  }
}
