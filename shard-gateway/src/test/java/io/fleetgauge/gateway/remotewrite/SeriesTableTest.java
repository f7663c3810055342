package io.fleetgauge.gateway.remotewrite;

import static org.assertj.core.api.Assertions.assertThat;

import io.fleetgauge.gateway.ownership.HostLabels;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.Map;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

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

  @ParameterizedTest
  @CsvSource({
    "n1,,,n1",
    ",n2,n3:9100,n2",
    ",,n3:9100,n3",
    ",,n3,n3",
    ",,[::1]:9100,[::1]",
    ",,fe80::1,fe80::1",
    ",,n3:abc,n3:abc",
    ",,,no-host"
  })
  void aHostIsFoundByTheFirstLabelThatNamesIt(
      String hostname, String node, String instance, String host) {
    HostLabels hostLabels = new HostLabels(java.util.List.of("Hostname", "node", "instance"));
    Map<String, String> labels = new HashMap<>();
    labels.put("Hostname", hostname == null ? "" : hostname);
    labels.put("node", node == null ? "" : node);
    labels.put("instance", instance == null ? "" : instance);
    assertThat(hostLabels.hostOf(io.fleetgauge.sample.Labels.of(labels))).isEqualTo(host);
  }
}
