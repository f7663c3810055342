package io.fleetgauge.probe.config;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fleetgauge.runtime.key.ConfigException;
import io.fleetgauge.runtime.key.ConfigReader;
import java.nio.file.Path;
import java.util.EnumSet;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class HostSettingsTest {
  @Test
  void withoutKeysEverythingIsAsNodeExporterHasIt() throws ConfigException {
    NamePatterns all = new NamePatterns("", "");
    HostSettings settings = read("{}");
    assertThat(settings)
        .isEqualTo(
            new HostSettings(
                Path.of("/proc"),
                Path.of("/sys"),
                Path.of("/"),
                EnumSet.complementOf(EnumSet.of(HostCollector.PROCESSES)),
                new NamePatterns(
                    "",
                    "^/(dev|proc|run/credentials/.+|sys|var/lib/docker/.+"
                        + "|var/lib/containers/storage/.+)($|/)"),
                settings.fileSystemTypes(),
                new NamePatterns("", "^(z?ram|loop|fd|(h|s|v|xv)d[a-z]|nvme\\d+n\\d+p)\\d+$"),
                all,
                all,
                all,
                all,
                all,
                all,
                settings.netstatFields(),
                "^(oom_kill|pgpg|pswp|pg.*fault).*",
                Optional.empty()));
    assertThat(settings.fileSystemTypes().include()).isEmpty();
    assertThat(settings.fileSystemTypes().exclude()).contains("|overlay|", "|tracefs)$");
    assertThat(settings.netstatFields()).contains("Tcp_(ActiveOpens|", "|SndbufErrors))$");
  }

  @Test
  void collectorsAreSwitchedOnAndOffByTheirNames() throws ConfigException {
    HostSettings settings =
        read("host: {collectors: {on: [processes], off: [thermal_zone, netclass]}}");
    EnumSet<HostCollector> expected = EnumSet.allOf(HostCollector.class);
    expected.remove(HostCollector.THERMAL_ZONE);
    expected.remove(HostCollector.NETCLASS);
    assertThat(settings.collectors()).isEqualTo(expected);
  }

  @Test
  void withoutDefaultsOnlyTheNamedCollectorsAreOn() throws ConfigException {
    assertThat(read("host: {collectors: {defaults: false, on: [cpu, meminfo]}}").collectors())
        .containsExactlyInAnyOrder(HostCollector.CPU, HostCollector.MEMINFO);
    assertThat(read("host: {collectors: {defaults: false}}").collectors()).isEmpty();
  }

  @Test
  void aCollectorThatIsNotKnownIsAProblemThatNamesThoseThatAre() {
    assertThatThrownBy(() -> read("host: {collectors: {off: [wifi]}}"))
        .isInstanceOf(ConfigException.class)
        .hasMessageContaining("host.collectors.off: wifi is not allowed; allowed is one of arp,")
        .hasMessageContaining("thermal_zone");
  }

  @Test
  void foldersAndFiltersAreRead() throws ConfigException {
    HostSettings settings =
        read(
            """
            host:
              proc: /host/proc
              sys: /host/sys
              rootfs: /host/root
              filesystem: {mountPoints: {exclude: ^/x}, types: {include: ^(ext4|xfs)$}}
              netdev: {devices: {exclude: ^veth}}
              vmstat: {fields: .*}
            """);
    assertThat(settings.proc()).isEqualTo(Path.of("/host/proc"));
    assertThat(settings.sys()).isEqualTo(Path.of("/host/sys"));
    assertThat(settings.root()).isEqualTo(Path.of("/host/root"));
    assertThat(settings.mountPoints()).isEqualTo(new NamePatterns("", "^/x"));
    assertThat(settings.networkDevices()).isEqualTo(new NamePatterns("", "^veth"));
    assertThat(settings.vmstatFields()).isEqualTo(".*");
  }

  @Test
  void whoIncludesDoesNotExcludeByDefault() throws ConfigException {
    assertThat(read("host: {filesystem: {types: {include: overlay}}}").fileSystemTypes())
        .isEqualTo(new NamePatterns("overlay", ""));
  }

  private static HostSettings read(String yaml) throws ConfigException {
    ConfigReader in = new ConfigReader("f", yaml);
    HostSettings settings = HostSettings.read(in);
    in.finish();
    return settings;
  }
}
