package io.fleetgauge.probe.nccl;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.io.InputStream;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.OptionalLong;
import java.util.function.Predicate;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Answers of NCCL 2.28.9 on an H200, of a job of four ranks. */
class RealRasTest {
  private static final Predicate<String> HERE = "127.0.0.1"::equals;
  private static final Duration LIMIT = Duration.ofMinutes(10);

  static String answer(String name) throws IOException {
    try (InputStream in = RealRasTest.class.getResourceAsStream("ras-2.28.9-" + name)) {
      return new String(in.readAllBytes(), StandardCharsets.US_ASCII);
    }
  }

  private static RasAnswer json(String name) throws IOException {
    return RasJson.read(RasInput.of(answer(name)), HERE);
  }

  private static RasAnswer text(String name) throws IOException {
    return RasText.read(RasInput.of(answer(name)), HERE);
  }

  private static List<OptionalLong> operations(RasAnswer answer) {
    return answer.communicators().getFirst().ranks().stream()
        .map(RasAnswer.Rank::operations)
        .toList();
  }

  @ParameterizedTest
  @CsvSource({"work.json, 0", "stall.json, 0", "stopped.json, 1", "killed.json, 1"})
  void theRanksThatDoNotAnswerAreCounted(String name, int missing) throws IOException {
    RasAnswer answer = json(name);
    assertThat(answer.version()).isEqualTo("2.28.9");
    assertThat(answer.nodes()).isEqualTo(1);
    assertThat(answer.communicators())
        .singleElement()
        .satisfies(
            of -> {
              assertThat(of.id()).isEqualTo("eeaea4e249238330");
              assertThat(of.size()).isEqualTo(4);
              assertThat(of.missing()).isEqualTo(missing);
              assertThat(of.ranks())
                  .extracting(RasAnswer.Rank::pid)
                  .containsExactlyInAnyOrder(477, 478, 479, 480);
            });
  }

  @Test
  void operationsOfAllKindsAreAddedUp() throws IOException {
    assertThat(operations(json("work.json"))).containsOnly(OptionalLong.of(2 * 733));
    assertThat(json("stall.json").communicators().getFirst().ranks())
        .contains(
            new RasAnswer.Rank(2, 479, 0, OptionalLong.of(2 * 891)),
            new RasAnswer.Rank(3, 480, 0, OptionalLong.of(2 * 892)));
  }

  @Test
  void aRankThatIsStoppedOrKilledHasNoCount() throws IOException {
    assertThat(json("stopped.json").communicators().getFirst().ranks())
        .contains(new RasAnswer.Rank(1, 478, 0, OptionalLong.empty()));
    assertThat(json("killed.json").communicators().getFirst().ranks())
        .contains(new RasAnswer.Rank(3, 480, 0, OptionalLong.empty()));
  }

  @ParameterizedTest
  @ValueSource(strings = {"work", "stall", "stopped", "killed"})
  void theTextTellsOfAllProcesses(String name) throws IOException {
    RasAnswer answer = text(name + ".txt");
    assertThat(answer.version()).isEqualTo("2.28.9");
    assertThat(answer.processes()).isEqualTo(4);
    assertThat(answer.perNode()).isEqualTo(4);
  }

  @Test
  void theTextOfAMismatchOfTwoOperationsSaysTheSameAsTheJson() throws IOException {
    assertThat(text("work.txt").communicators()).isEmpty();
    RasAnswer.Communicator of = text("stall.txt").communicators().getFirst();
    assertThat(of.id()).isEqualTo("eeaea4e249238330");
    assertThat(of.size()).isEqualTo(4);
    assertThat(of.others()).hasValue(2 * 892);
    assertThat(of.ranks()).containsExactly(new RasAnswer.Rank(2, 479, 0, OptionalLong.of(2 * 891)));
  }

  @ParameterizedTest
  @CsvSource({"stopped.txt, 1", "killed.txt, 1"})
  void theTextCountsMissingRanks(String name, int missing) throws IOException {
    RasAnswer.Communicator of = text(name).communicators().getFirst();
    assertThat(of.missing()).isEqualTo(missing);
    assertThat(of.size()).isEqualTo(4);
    assertThat(of.others()).isEmpty();
    assertThat(of.ranks()).allMatch(rank -> rank.operations().isEmpty());
  }

  @Test
  void aJobOf228HasNoMonitor() throws IOException {
    RasClient client = new RasClient(RasThread.MOST_BYTES, LIMIT);
    try (RasServer server = new RasServer(RasServer.json(answer("work.json")));
        Socket socket = client.connect(server.address)) {
      RasInput in = RasInput.of(socket, 1 << 20, System.nanoTime() + LIMIT.toNanos());
      assertThat(client.greet(socket, in)).isTrue();
      assertThat(client.accepts(socket, in, "MONITOR all")).isFalse();
      assertThat(server.commands).contains("MONITOR all");
      assertThatThrownBy(
              () ->
                  new RasMonitor(client)
                      .await(server.address, System.nanoTime() + LIMIT.toNanos(), event -> {}))
          .hasMessageContaining("no MONITOR");
    }
  }
}
