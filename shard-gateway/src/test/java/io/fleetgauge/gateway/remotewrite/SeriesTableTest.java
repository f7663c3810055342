package io.fleetgauge.gateway.remotewrite;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.Map;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

class SeriesTableTest {
  @Test
  void itFindsWhatAMapOfTheSameKeysFinds() {
    SplittableRandom random = new SplittableRandom(1);
    SeriesTable table = new SeriesTable(new byte[] {1, 2, 3});
    Map<String, Integer> map = new HashMap<>();
    for (int i = 0; i < 50_000; i++) {
      String key = "k".repeat(random.nextInt(3)) + random.nextInt(20_000);
      byte[] bytes = ("<" + key + ">").getBytes(StandardCharsets.UTF_8);
      int hash = table.hash(bytes, 1, bytes.length - 1);
      int found = table.find(hash, bytes, 1, bytes.length - 1);
      assertThat(found).isEqualTo(map.getOrDefault(key, -1));
      if (found < 0) {
        map.put(key, table.add(hash, bytes, 1, bytes.length - 1));
      }
    }
    assertThat(table.size()).isEqualTo(map.size());
  }
}
