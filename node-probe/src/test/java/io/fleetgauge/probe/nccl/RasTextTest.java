package io.fleetgauge.probe.nccl;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.util.OptionalLong;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class RasTextTest {
  private static final String HERE = "10.0.0.1";

  private static final String MISMATCH =
      RasStatus.text("2.24.3+cuda12.8", 4, 8, 32, "MISMATCH")
          + """
          #0-0 (27a079b828ff1a75) MISMATCH
            Communicator ranks have different collective operation counts
            30 ranks have launched up to operation 6650
            2 ranks have launched up to operation 6649
            Rank 3 -- GPU 3 managed by process 483072 on node 10.0.0.1
            Rank 12 -- GPU 4 (NVML 6) managed by process 483072 on node 10.0.0.2

          """;

  @Test
  void aHealthyJobNamesNoCommunicator() throws IOException {
    RasAnswer answer = read(RasStatus.text("2.24.3+cuda12.8", 4, 8, 32, "OK"));
    assertThat(answer).isEqualTo(new RasAnswer("2.24.3", java.util.List.of(), 4, 32, 8));
  }

  @Test
  void ranksThatDifferHaveTheirCountsAndAllOthersThatOfMost() throws IOException {
    RasAnswer answer = read(MISMATCH);
    assertThat(answer.communicators())
        .containsExactly(
            new RasAnswer.Communicator(
                "27a079b828ff1a75",
                32,
                0,
                java.util.List.of(new RasAnswer.Rank(3, 483_072, 3, OptionalLong.of(6649))),
                OptionalLong.of(6650)));
  }

  @Test
  void aRankAloneIsInOneLineWithItsCount() throws IOException {
    RasAnswer answer =
        read(
            RasStatus.text("2.24.3+cuda12.8", 1, 8, 8, "MISMATCH")
                + """
                #0-0 (00000000000000ab) MISMATCH
                  Communicator ranks have different collective operation counts
                  7 ranks have launched up to operation 10
                  Rank 5 has launched up to operation 9 -- GPU 0 (NVML 5) managed by process 7 on node 10.0.0.1
                """);
    assertThat(answer.communicators().getFirst().ranks())
        .containsExactly(new RasAnswer.Rank(5, 7, 5, OptionalLong.of(9)));
  }

  @Test
  void countsOfSeveralOperationsAreAddedUp() throws IOException {
    RasAnswer answer =
        read(
            RasStatus.text("2.27.7+cuda12.8", 1, 8, 8, "MISMATCH")
                + """
                #0-0 (00000000000000ab) MISMATCH
                  Communicator ranks have different AllGather operation counts
                  6 ranks have launched up to operation 10
                  2 ranks have launched up to operation 9
                  Rank 5 -- GPU 5 managed by process 7 on node 10.0.0.1
                  Rank 6 -- GPU 6 managed by process 8 on node 10.0.0.1

                  Communicator ranks have different AllReduce operation counts
                  7 ranks have launched up to operation 100
                  Rank 5 has not launched any operations -- GPU 5 managed by process 7 on node 10.0.0.1

                """);
    RasAnswer.Communicator of = answer.communicators().getFirst();
    assertThat(of.others()).hasValue(110);
    assertThat(of.ranks())
        .containsExactly(
            new RasAnswer.Rank(5, 7, 5, OptionalLong.of(9)),
            new RasAnswer.Rank(6, 8, 6, OptionalLong.of(109)));
  }

  @Test
  void missingRanksAreCounted() throws IOException {
    RasAnswer answer =
        read(
            RasStatus.text("2.24.3+cuda12.8", 4, 8, 32, "INCOMPLETE")
                + """
                INCOMPLETE
                  Missing communicator data from 3 job processes
                  Process 3487984 on node 10.0.0.3 managing GPU 5

                #0-0 (27a079b828ff1a75) INCOMPLETE
                  Missing communicator data from 3 ranks
                  The missing ranks: 21,22,23

                """);
    assertThat(answer.communicators().getFirst().missing()).isEqualTo(3);
    assertThat(answer.communicators().getFirst().others()).isEmpty();
  }

  @Test
  void otherProgramsAreNoJobs() {
    assertThatThrownBy(() -> read("HTTP/1.1 400 Bad Request\r\n\r\n"))
        .isInstanceOf(RasFailure.class);
    assertThatThrownBy(() -> read("")).isInstanceOf(RasFailure.class);
  }

  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3, 20_261_127})
  void oddBytesNeverDoMoreThanFail(long seed) {
    Random random = new Random(seed);
    for (int i = 0; i < 5_000; i++) {
      StringBuilder odd = new StringBuilder(MISMATCH);
      for (int changes = random.nextInt(8); changes >= 0; changes--) {
        int at = random.nextInt(odd.length());
        switch (random.nextInt(3)) {
          case 0 -> odd.setCharAt(at, (char) random.nextInt(256));
          case 1 -> odd.deleteCharAt(at);
          default -> odd.insert(at, "99999999999999999999");
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

  private static RasAnswer read(String text) throws IOException {
    return RasText.read(RasInput.of(text), HERE::equals);
  }
}
