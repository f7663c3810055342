package io.fleetgauge.cluster.bus;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Arrays;
import java.util.Random;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class SharesTest {
  @Test
  void evenSharesAddUpToTheLimit() {
    for (int limit = 0; limit < 50; limit++) {
      for (int count = 1; count < 12; count++) {
        int all = count;
        int whole = limit;
        assertThat(IntStream.range(0, count).map(rank -> Shares.even(whole, all, rank)).sum())
            .isEqualTo(limit);
        assertThat(Shares.silent(limit, count)).isEqualTo(Math.max(1, limit / count));
      }
    }
  }

  @Test
  void nobodyGetsMoreThanItDemandsWhileAnotherLacks() {
    assertThat(Shares.byDemand(20, new int[] {40, 40, 3}, 0)).containsExactly(9, 8, 3);
    assertThat(Shares.byDemand(20, new int[] {40, 0, 0}, 0)).containsExactly(20, 0, 0);
    assertThat(Shares.byDemand(20, new int[] {0, 0, 0}, 0)).containsExactly(7, 7, 6);
    assertThat(Shares.byDemand(20, new int[] {10, 3, 1}, 0)).containsExactly(12, 5, 3);
  }

  @Test
  void aScarceBudgetGoesToTheOneWhoseTurnItIs() {
    for (int turn = 0; turn < 6; turn++) {
      int[] shares = Shares.byDemand(1, new int[] {5, 5, 5}, turn);
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
      int[] shares = Shares.byDemand(budget, demands, random.nextInt(10));
      assertThat(Arrays.stream(shares)).allMatch(share -> share >= 0);
      assertThat(Arrays.stream(shares).sum()).isEqualTo(budget);
      if (Arrays.stream(demands).sum() <= budget) {
        for (int j = 0; j < shares.length; j++) {
          assertThat(shares[j]).isGreaterThanOrEqualTo(demands[j]);
        }
      }
    }
  }
}
