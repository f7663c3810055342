package io.fleetgauge.cluster.limits;

import static org.assertj.core.api.Assertions.assertThat;

import io.fleetgauge.sample.wire.WireException;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.Map;
import java.util.Random;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class DivisionTest {
  @Test
  void evenSharesAddUpToTheLimit() {
    for (int limit = 0; limit < 50; limit++) {
      for (int count = 1; count < 12; count++) {
        int all = count;
        int whole = limit;
        assertThat(IntStream.range(0, count).map(rank -> Division.even(whole, all, rank)).sum())
            .isEqualTo(limit);
        assertThat(Division.silent(limit, count)).isEqualTo(Math.max(1, limit / count));
      }
    }
  }

  @Test
  void nobodyGetsMoreThanItDemandsWhileAnotherLacks() {
    assertThat(Division.byDemand(20, new int[] {40, 40, 3}, 0)).containsExactly(9, 8, 3);
    assertThat(Division.byDemand(20, new int[] {40, 0, 0}, 0)).containsExactly(20, 0, 0);
    assertThat(Division.byDemand(20, new int[] {0, 0, 0}, 0)).containsExactly(7, 7, 6);
    assertThat(Division.byDemand(20, new int[] {10, 3, 1}, 0)).containsExactly(12, 5, 3);
  }

  @Test
  void aScarceBudgetGoesToTheOneWhoseTurnItIs() {
    for (int turn = 0; turn < 6; turn++) {
      int[] shares = Division.byDemand(1, new int[] {5, 5, 5}, turn);
      assertThat(shares[turn % 3]).isEqualTo(1);
      assertThat(Arrays.stream(shares).sum()).isEqualTo(1);
    }
  }

  @Test
  void theWholeBudgetIsDividedAndNoShareIsNegative() {
    Random random = new Random(20_261_123);
    for (int i = 0; i < 10_000; i++) {
      int[] demands = random.ints(1 + random.nextInt(8), 0, 30).toArray();
      int budget = random.nextInt(60);
      int[] shares = Division.byDemand(budget, demands, random.nextInt(10));
      assertThat(Arrays.stream(shares)).allMatch(share -> share >= 0);
      assertThat(Arrays.stream(shares).sum()).isEqualTo(budget);
      if (Arrays.stream(demands).sum() <= budget) {
        for (int j = 0; j < shares.length; j++) {
          assertThat(shares[j]).isGreaterThanOrEqualTo(demands[j]);
        }
      }
    }
  }

  @Test
  void loansOfAllGiveEachItsShare() {
    Random random = new Random(7);
    for (int i = 0; i < 10_000; i++) {
      int[] rights = random.ints(1 + random.nextInt(6), 0, 10).toArray();
      int[] demands = random.ints(rights.length, 0, 20).toArray();
      int[] shares = Division.byDemand(Arrays.stream(rights).sum(), demands, 0);
      int[] has = rights.clone();
      for (int lender = 0; lender < rights.length; lender++) {
        int[] loans = Division.loans(rights, shares, lender);
        for (int to = 0; to < rights.length; to++) {
          has[lender] -= loans[to];
          has[to] += loans[to];
        }
      }
      assertThat(has).isEqualTo(shares);
    }
  }

  @Test
  void aNoteHasTheBytesThatAreDrawn() throws WireException {
    ShareNote note =
        new ShareNote(
            true, Map.of("a", new ShareNote.Budget(9, 3, 4, 1, Map.of(2L, 5), Map.of(3L, 6))));
    assertThat(HexFormat.of().formatHex(note.toBytes()))
        .isEqualTo(
            "01"
                + "01"
                + "01"
                + "0161"
                + "09030401"
                + "01"
                + "0200000000000000"
                + "05"
                + "01"
                + "0300000000000000"
                + "06");
    assertThat(ShareNote.fromBytes(note.toBytes())).isEqualTo(note);
  }

  @Test
  void damagedNotesAreAnErrorOrANoteAndNothingElse() {
    byte[] whole =
        new ShareNote(
                false, Map.of("a", new ShareNote.Budget(9, 3, 4, 1, Map.of(2L, 5), Map.of(3L, 6))))
            .toBytes();
    Random random = new Random(20_261_127);
    for (int i = 0; i < 20_000; i++) {
      byte[] bytes = Arrays.copyOf(whole, 1 + random.nextInt(whole.length));
      bytes[random.nextInt(bytes.length)] = (byte) random.nextInt();
      try {
        assertThat(ShareNote.fromBytes(bytes)).isNotNull();
      } catch (WireException e) {
        assertThat(e).hasMessageNotContaining("null");
      }
    }
  }
}
