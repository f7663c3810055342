package io.fleetgauge.gateway.sender;

import static org.assertj.core.api.Assertions.assertThat;

import io.fleetgauge.gateway.sender.Receiver.Outcome;
import io.fleetgauge.gateway.sender.SentRecord.Term;
import io.fleetgauge.gateway.sender.TimeRanges.Range;
import io.fleetgauge.gateway.store.HostWriter;
import io.fleetgauge.gateway.store.Lane;
import io.fleetgauge.gateway.store.Store;
import io.fleetgauge.gateway.store.WriteOutcome;
import io.fleetgauge.gateway.store.owner.Dimensions;
import io.fleetgauge.runtime.config.AccessSettings;
import io.fleetgauge.sample.Labels;
import io.fleetgauge.sample.Series;
import io.fleetgauge.sample.prometheus.RemoteWriteReader.Version;
import io.fleetgauge.sample.relabel.Relabelling;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Turns, limits and rates. */
class ReceiverSenderTest {
  private static final long START = 1_800_000_000_000L;
  private static final int MAX_SAMPLES = 10;
  private static final int RATE = 20;

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
          MAX_SAMPLES,
          4,
          RATE,
          AccessSettings.NONE);

  private final Deque<Runnable> thread = new ArrayDeque<>();
  private final Deque<Request> inFlight = new ArrayDeque<>();
  private long now = START;
  private Store store;
  private ReceiverSender sender;

  @TempDir Path folder;

  private record Request(List<Series> series, Promise<Outcome> answer) {
    String host() {
      return series.getFirst().labels().value("Hostname");
    }

    long last() {
      return series.getLast().times()[series.getLast().size() - 1];
    }
  }

  @BeforeEach
  void open() {
    store = new Store(folder, HostWriter.limits(1_000), Dimensions.DEFAULT);
    sender =
        new ReceiverSender(
            SETTINGS,
            new HostSamples(store, SETTINGS),
            this::send,
            thread::add,
            () -> now,
            () -> now - 3_600_000);
  }

  private Future<Outcome> send(List<Series> series) {
    Promise<Outcome> answer = Promise.promise();
    inFlight.add(new Request(series, answer));
    return answer.future();
  }

  private void look() {
    sender.look();
    for (Runnable task = thread.poll(); task != null; task = thread.poll()) {
      task.run();
    }
  }

  private Request answer(Outcome outcome) {
    Request first = inFlight.remove();
    first.answer.complete(outcome);
    for (Runnable task = thread.poll(); task != null; task = thread.poll()) {
      task.run();
    }
    return first;
  }

  private void begin(String host, Range... gaps) {
    sender.begin(new SentRecord("r", host, Term.NONE, START, List.of(gaps)));
  }

  /** Writes a tick each second. */
  private void write(String host, long from, long to) {
    Lane lane = store.lane(host);
    for (long time = from; time <= to; time += 1_000) {
      Lane.Handle handle = lane.handle(Labels.of(Labels.NAME, "m", "Hostname", host));
      lane.append(
          Lane.Source.SENDER,
          time,
          Long.MAX_VALUE,
          new Lane.Handle[] {handle},
          new double[] {1},
          null,
          new WriteOutcome());
    }
  }

  @Test
  void allHostsHaveTheirTurnAlthoughFewRequestsAreInFlight() {
    for (int i = 0; i < 9; i++) {
      begin("h" + i);
      write("h" + i, START + 1_000, START + 200_000);
    }
    now = START + 100_000;
    look();
    assertThat(inFlight).as("three of four: one is for old samples").hasSize(3);
    Set<String> served = new TreeSet<>();
    for (int i = 0; i < 9; i++) {
      served.add(answer(Outcome.ACCEPTED).host());
    }
    assertThat(served).hasSize(9);
  }

  @Test
  void theNextRequestLeavesWhenOneIsAnsweredAndASeriesStaysInOrder() {
    begin("h");
    write("h", START + 1_000, START + 60_000);
    now = START + 70_000;
    look();
    Map<String, Long> newest = new HashMap<>();
    int requests = 0;
    while (!inFlight.isEmpty()) {
      Request request = answer(requests % 3 == 1 ? Outcome.again(0, "") : Outcome.ACCEPTED);
      if (requests++ % 3 != 1) {
        assertThat(request.last()).isGreaterThan(newest.getOrDefault(request.host(), 0L));
        newest.put(request.host(), request.last());
      } else {
        now += 5_000;
        look();
      }
    }
    assertThat(newest).containsEntry("h", START + 60_000);
  }

  @Test
  void newSamplesAreNotStoppedByOldOnesNorOldOnesByNewOnes() {
    begin("a", new Range(START - 100_000, START));
    begin("b");
    write("a", START - 99_000, START + 20_000);
    write("b", START + 1_000, START + 20_000);
    now = START + 20_000;
    look();
    List<Long> last = new ArrayList<>();
    inFlight.forEach(each -> last.add(each.last()));
    assertThat(last).filteredOn(each -> each > START).hasSize(2);
    assertThat(last).filteredOn(each -> each <= START).hasSize(1);
  }

  @Test
  void oldSamplesLeaveAtTheirRate() {
    begin("a", new Range(START - 100_000, START));
    write("a", START - 99_000, START);
    int sent = 0;
    for (int second = 0; second < 5; second++) {
      look();
      while (!inFlight.isEmpty()) {
        sent += HostSamples.count(answer(Outcome.ACCEPTED).series);
      }
      assertThat(sent)
          .as("a second's worth may leave early")
          .isBetween(RATE * (second + 1), RATE * (second + 2));
      now += 1_000;
    }
    while (sent < 100) {
      look();
      while (!inFlight.isEmpty()) {
        sent += HostSamples.count(answer(Outcome.ACCEPTED).series);
      }
      now += 1_000;
    }
    look();
    assertThat(sender.gapSeconds()).isZero();
  }

  @Test
  void nothingLeavesUntilAReceiverThatIsTooBusyWantsItAgain() {
    begin("a");
    begin("b");
    write("a", START + 1_000, START + 200_000);
    now = START + 20_000;
    look();
    answer(Outcome.again(60_000, "slow down"));
    write("b", START + 1_000, START + 20_000);
    now += 59_999;
    look();
    assertThat(inFlight).isEmpty();
    now += 1;
    look();
    assertThat(inFlight).hasSize(2);
  }

  @Test
  void aRequestThatCannotBeMadeIsMadeAgain() {
    begin("a");
    write("a", START + 1_000, START + 20_000);
    ReceiverSender failing =
        new ReceiverSender(
            SETTINGS,
            new HostSamples(store, SETTINGS),
            series -> {
              throw new IllegalStateException("no memory");
            },
            thread::add,
            () -> now,
            () -> 0);
    failing.begin(new SentRecord("r", "a", Term.NONE, START, List.of()));
    now = START + 20_000;
    failing.look();
    assertThat(failing.inFlight()).isOne();
    thread.poll().run();
    assertThat(failing.inFlight()).isZero();
    now += 1_000;
    failing.look();
    assertThat(failing.inFlight()).isOne();
  }
}
