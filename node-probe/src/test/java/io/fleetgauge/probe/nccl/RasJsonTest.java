package io.fleetgauge.probe.nccl;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.util.OptionalLong;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class RasJsonTest {
  private static final String HERE = "10.0.0.1";

  @Test
  void ofAnAnswerTheRanksOfThisNodeAreKept() throws IOException {
    RasStatus status =
        new RasStatus()
            .communicator(0x9f8aL)
            .rank(0, HERE, 101, 0, 500)
            .rank(1, HERE, 102, 1, 499)
            .rank(2, "10.0.0.2", 101, 0, 500)
            .communicator(0x1L)
            .rank(0, "10.0.0.2", 101, 0, 7);
    RasAnswer answer = read(status.json("2.28.7"));
    assertThat(answer.version()).isEqualTo("2.28.7");
    assertThat(answer.nodes()).isEqualTo(2);
    assertThat(answer.communicators())
        .containsExactly(
            new RasAnswer.Communicator(
                "0000000000009f8a",
                3,
                0,
                java.util.List.of(
                    new RasAnswer.Rank(0, 101, 0, OptionalLong.of(500)),
                    new RasAnswer.Rank(1, 102, 1, OptionalLong.of(499))),
                OptionalLong.empty()));
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void aMissingRankIsCountedAlsoWhereACommaIsMissing(boolean isBroken) throws IOException {
    RasStatus status =
        new RasStatus()
            .communicator(0x9f8aL)
            .rank(0, HERE, 101, 0, 500)
            .missing(1, HERE, 102, 1)
            .missing(2, "10.0.0.2", 7, 0);
    RasAnswer answer = read((isBroken ? status.broken() : status).json("2.28.9"));
    assertThat(answer.communicators().getFirst().missing()).isEqualTo(2);
    assertThat(answer.communicators().getFirst().ranks())
        .contains(new RasAnswer.Rank(1, 102, 1, OptionalLong.empty()));
  }

  @Test
  void aRankThatHasLeftItsCommunicatorIsNotMissing() throws IOException {
    String status =
        new RasStatus()
            .communicator(5)
            .rank(0, HERE, 101, 0, 500)
            .missing(1, HERE, 102, 1)
            .json("2.29.2")
            .replace("\"unresponsive\": true", "\"unresponsive\": false");
    RasAnswer answer = read(status);
    assertThat(answer.communicators().getFirst().missing()).isZero();
    assertThat(answer.communicators().getFirst().ranks()).hasSize(1);
  }

  @Test
  void communicatorsOfOneHashAreToldApart() throws IOException {
    RasAnswer answer =
        read(
            new RasStatus()
                .communicator(5)
                .rank(0, HERE, 101, 0, 500)
                .communicator(5)
                .rank(0, HERE, 102, 0, 500)
                .json("2.28.7")
                .replaceFirst("0x1f2e:0x77", "0x1f2e:0x78"));
    assertThat(answer.communicators())
        .extracting(RasAnswer.Communicator::id)
        .doesNotHaveDuplicates();
  }

  @Test
  void anAnswerThatIsCutIsDamaged() {
    String whole = new RasStatus().communicator(5).rank(0, HERE, 101, 0, 500).json("2.28.7");
    for (int length = 0; length < whole.length() - 2; length++) {
      String cut = whole.substring(0, length);
      assertThatThrownBy(() -> read(cut)).as(cut).isInstanceOf(RasFailure.class);
    }
  }

  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3, 20_261_127})
  void oddBytesNeverDoMoreThanFail(long seed) {
    String whole =
        new RasStatus()
            .communicator(5)
            .rank(0, HERE, 101, 0, 500)
            .missing(1, HERE, 102, 1)
            .broken()
            .json("2.28.7");
    Random random = new Random(seed);
    for (int i = 0; i < 20_000; i++) {
      StringBuilder odd = new StringBuilder(whole);
      for (int changes = random.nextInt(6); changes >= 0; changes--) {
        int at = random.nextInt(odd.length());
        switch (random.nextInt(3)) {
          case 0 -> odd.setCharAt(at, (char) random.nextInt(256));
          case 1 -> odd.deleteCharAt(at);
          default -> odd.insert(at, "{}[]\",:0-\\".charAt(random.nextInt(10)));
        }
      }
      try {
        read(odd.toString());
      } catch (RasFailure e) {
        assertThat(e.reason()).isEqualTo(RasFailure.Reason.DAMAGED);
      } catch (IOException e) {
        throw new AssertionError(odd.toString(), e);
      }
    }
  }

  @Test
  void aDeepAnswerIsDamaged() {
    assertThatThrownBy(() -> read("{\"a\": " + "[".repeat(1_000_000)))
        .isInstanceOf(RasFailure.class)
        .hasMessageContaining("deeper");
  }

  private static RasAnswer read(String text) throws IOException {
    return RasJson.read(RasInput.of(text), HERE::equals);
  }
}
