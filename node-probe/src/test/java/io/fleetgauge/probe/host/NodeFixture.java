package io.fleetgauge.probe.host;

import static org.assertj.core.api.Assertions.assertThat;

import io.fleetgauge.probe.config.HostSettings;
import io.fleetgauge.probe.config.ProbeConfig;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * The proc and sys of node_exporter's end-to-end test. The archive is node_exporter's, Apache-2.0,
 * see the NOTICE beside it.
 */
final class NodeFixture {
  private NodeFixture() {}

  /** Unpacks it; the settings are those that node_exporter is tested with. */
  static HostSettings unpack(Path folder) throws Exception {
    Path archive = folder.resolve("fixtures.tar.gz");
    try (var in = NodeFixture.class.getResourceAsStream("node-exporter-fixtures.tar.gz")) {
      Files.copy(in, archive);
    }
    Process tar =
        new ProcessBuilder("tar", "-xzf", archive.toString(), "-C", folder.toString())
            .inheritIO()
            .start();
    assertThat(tar.waitFor()).isZero();
    Path root = Files.createDirectories(folder.resolve("root/run"));
    Files.createSymbolicLink(root.resolve("udev"), folder.resolve("fixtures/udev"));
    return ProbeConfig.read(
            "test",
            """
            hostname: n1
            gateways: [http://127.0.0.1:1]
            host:
              proc: %1$s/fixtures/proc
              sys: %1$s/fixtures/sys
              rootfs: %1$s/root
              collectors: {on: [processes]}
              hwmon: {chips: {include: "(applesmc|asus_nb_wmi|coretemp|hwmon4|ieee80211|nct6779)"}}
              netclass: {devices: {exclude: "(dmz|int)"}}
              netdev: {devices: {include: "lo"}}
              arp: {devices: {exclude: "nope"}}
            """
                .formatted(folder))
        .host();
  }
}
