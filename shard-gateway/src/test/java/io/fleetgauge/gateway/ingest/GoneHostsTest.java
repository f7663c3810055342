package io.fleetgauge.gateway.ingest;

import static org.assertj.core.api.Assertions.assertThat;

import io.fleetgauge.cluster.table.OwnershipTable;
import io.fleetgauge.promql.usage.KeptDay;
import java.util.Map;
import java.util.OptionalLong;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

/** For how long hosts without samples are kept for their usage. */
class GoneHostsTest {
  private static final long DAY = KeptDay.MILLIS;
  private static final long LAST = 20_000 * DAY;

  /** A table with a number of other hosts. */
  static OwnershipTable among(int others, String... more) {
    Map<String, String> owners = new TreeMap<>();
    for (int i = 0; i < others; i++) {
      owners.put("other" + i, "g2");
    }
    for (String host : more) {
      owners.put(host, "g2");
    }
    return OwnershipTable.ofOwners(1, owners);
  }

  private static boolean isKept(OwnershipTable table, long daysAfter) {
    return GoneHosts.isKept(
        table, "n1", OptionalLong.of(LAST), 400 * DAY, LAST + DAY + daysAfter * DAY);
  }

  @Test
  void aHostStaysTheShorterTheMoreHostsThereAre() {
    for (int[] each : new int[][] {{12_000, 199}, {14_000, 99}, {15_000, 49}, {15_979, 0}}) {
      OwnershipTable table = among(each[0], "n1");
      assertThat(isKept(table, each[1])).as(each[0] + " hosts").isTrue();
      assertThat(isKept(table, each[1] + 1)).as(each[0] + " hosts").isFalse();
    }
    assertThat(isKept(among(GoneHosts.MANY, "n1"), 0)).isFalse();
  }

  @Test
  void amongFewHostsItStaysWhileItHasFilesAndComesBackForThem() {
    assertThat(isKept(among(GoneHosts.FEW - 1, "n1"), 400)).isTrue();
    assertThat(isKept(among(GoneHosts.FEW), 400)).isTrue();
    assertThat(GoneHosts.isKept(among(0), "n1", OptionalLong.empty(), 400 * DAY, LAST)).isFalse();
  }

  @Test
  void aHostThatHasLeftAmongManyDoesNotComeBackForItsFiles() {
    assertThat(isKept(among(GoneHosts.FEW + 1), 0)).isFalse();
  }
}
