package io.fleetgauge.load.chaos;

import static io.fleetgauge.load.chaos.BusMember.LIMIT;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.fleetgauge.load.fleet.ChildJvm;
import io.fleetgauge.load.fleet.ChildProcess;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * The event bus and the heartbeats of three members in network namespaces, of which one is cut off
 * for a while. Each is a gateway and a query API.
 */
@Tag("slow")
class BusSplitTest {
  private static final Duration SOON = Duration.ofMinutes(10);

  private final HttpClient client =
      HttpClient.newBuilder()
          .version(HttpClient.Version.HTTP_1_1)
          .connectTimeout(Duration.ofSeconds(2))
          .build();
  private final ObjectMapper json = new ObjectMapper();
  private final List<Member> members = new ArrayList<>();
  @TempDir private Path folder;
  private Namespaces spaces;

  private final class Member {
    final int number;
    final String id;
    final String address;
    final ChildProcess jvm;

    Member(int number, ChaosFleet.Place place, String gateways) throws IOException {
      this.number = number;
      this.id = "m" + number;
      this.address = place.address();
      changeTenants("a");
      this.jvm =
          ChildJvm.start(
              folder,
              "192m",
              Map.of(),
              place.within(),
              ChildJvm.SHORT_LIVED,
              "bus-member",
              id,
              address,
              gateways,
              folder.toString());
    }

    /** Replaces its own tenants file, of which it tells the others when it has seen it. */
    void changeTenants(String tenant) throws IOException {
      Files.writeString(folder.resolve(id + ".yaml"), "tenants: {" + tenant + ": {}}");
    }

    private String text(String path) throws IOException {
      try {
        HttpResponse<String> response =
            client.send(
                HttpRequest.newBuilder(
                        URI.create("http://" + address + ":" + BusMember.HTTP + "/" + path))
                    .timeout(Duration.ofMinutes(1))
                    .build(),
                HttpResponse.BodyHandlers.ofString());
        assertThat(response.statusCode()).as(response.body()).isEqualTo(200);
        return response.body();
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        throw new IllegalStateException(e);
      }
    }

    JsonNode ask(String path) {
      try {
        return json.readTree(text(path));
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }

    /** Number of hints of other processes that its gateway has received. */
    long hints() {
      try {
        return text("metrics")
            .lines()
            .filter(line -> line.startsWith("hints_bus_messages_received_total "))
            .mapToLong(line -> (long) Double.parseDouble(line.split(" ")[1]))
            .sum();
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }

    boolean isUp() {
      assertThat(jvm.process().isAlive()).as(jvm.output()).isTrue();
      try {
        return ask("state").path("gateways").asInt() == 3;
      } catch (UncheckedIOException e) {
        return false; // not listening
      }
    }

    int number(String of) {
      return ask("state").path(of).asInt();
    }

    boolean knows(String host) {
      for (JsonNode each : ask("state").path("hosts")) {
        if (each.asText().equals(host)) {
          return true;
        }
      }
      return false;
    }

    /** Whether those are live, and the only ones that the cluster's membership shows. */
    boolean lists(Integer... others) {
      JsonNode list = ask("others");
      TreeSet<String> live = new TreeSet<>();
      list.path("live").forEach(each -> live.add(each.asText()));
      TreeSet<String> listed = new TreeSet<>();
      list.path("listed").forEach(each -> listed.add(each.asText()));
      TreeSet<String> ids = new TreeSet<>();
      List.of(others).forEach(each -> ids.add("m" + each));
      return live.equals(ids) && listed.equals(ids);
    }
  }

  /** Number of queries that a member ran from a moment on. */
  private record Change(long nanos, int member, int count) {}

  @BeforeEach
  void start() throws Exception {
    if (!Namespaces.areAllowed()) {
      System.out.println("BusSplitTest is skipped: " + Namespaces.NEEDED);
    }
    assumeTrue(Namespaces.areAllowed(), Namespaces.NEEDED);
    spaces = new Namespaces();
    Files.writeString(folder.resolve("secret"), "the-secret-of-this-cluster");
    List<ChaosFleet.Place> places = new ArrayList<>();
    for (int i = 1; i <= 3; i++) {
      places.add(spaces.add("m" + i));
    }
    String gateways =
        String.join(
            ",", places.stream().map(place -> place.address() + ":" + BusMember.GATEWAY).toList());
    for (int i = 1; i <= 3; i++) {
      members.add(new Member(i, places.get(i - 1), gateways));
    }
    until(() -> members.stream().allMatch(Member::isUp));
    until(this::allListAllOthers);
  }

  @AfterEach
  void stop() {
    members.forEach(member -> member.jvm.close());
    if (spaces != null) {
      spaces.close();
    }
    client.close();
  }

  private void until(BooleanSupplier holds) {
    await().pollInterval(Duration.ofMillis(100)).atMost(SOON).until(holds::getAsBoolean);
  }

  private boolean allListAllOthers() {
    return members.get(0).lists(2, 3) && members.get(1).lists(1, 3) && members.get(2).lists(1, 2);
  }

  @Test
  void bothSidesOfASplitKeepToTheirSharesAndAreOneClusterAgainWhenItHeals() throws Exception {
    Member first = members.get(0);
    Member second = members.get(1);
    Member cutOff = members.get(2);
    cutOff.ask("wants/" + 2 * LIMIT);
    until(() -> cutOff.number("running") == LIMIT);

    spaces.split(List.of(first.id, second.id), List.of(cutOff.id), true);
    first.ask("wants/" + 2 * LIMIT);
    second.ask("wants/" + 2 * LIMIT);
    until(
        () ->
            cutOff.number("running") == LIMIT / 3
                && first.number("running") + second.number("running") == 2 * LIMIT / 3);
    long split = System.nanoTime();
    first.ask("register/new");
    // The others go on as a cluster of two when the member that is silent has been removed.
    until(() -> first.knows("new") && second.knows("new"));
    assertThat(cutOff.knows("new")).isFalse();
    until(cutOff::lists);
    until(() -> first.lists(2) && second.lists(1));
    assertThat(most(split, System.nanoTime())).as("queries at once").isEqualTo(LIMIT);

    spaces.split(List.of(first.id, second.id), List.of(cutOff.id), false);
    until(this::allListAllOthers);
    until(() -> cutOff.knows("new"));
    until(
        () -> members.stream().mapToInt(member -> member.number("epoch")).distinct().count() == 1);
    long hints = cutOff.hints();
    first.changeTenants("c");
    until(() -> cutOff.hints() > hints);
    first.ask("wants/0");
    second.ask("wants/0");
    until(() -> cutOff.number("running") == LIMIT);
    assertThat(most(split, System.nanoTime())).as("queries at once").isEqualTo(LIMIT);
  }

  /** Most queries of all members that ran at once. */
  private int most(long from, long to) {
    List<Change> changes = new ArrayList<>();
    for (Member member : members) {
      for (JsonNode line : member.ask("timeline").path("lines")) {
        changes.add(new Change(line.path(0).asLong(), member.number, line.path(1).asInt()));
      }
    }
    changes.sort(Comparator.comparingLong(Change::nanos));
    Map<Integer, Integer> running = new HashMap<>();
    int now = 0;
    int most = 0;
    for (Change change : changes) {
      if (change.nanos >= from) {
        most = Math.max(most, now);
      }
      if (change.nanos > to) {
        break;
      }
      running.put(change.member, change.count);
      now = running.values().stream().mapToInt(count -> count).sum();
    }
    return Math.max(most, now);
  }
}
