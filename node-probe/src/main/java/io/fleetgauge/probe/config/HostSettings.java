package io.fleetgauge.probe.config;

import io.fleetgauge.runtime.key.ConfigReader;
import io.fleetgauge.runtime.key.Key;
import io.fleetgauge.runtime.key.KeyType;
import java.nio.file.Path;
import java.util.EnumSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * Settings of what is read of the host. Default filters are those of node_exporter.
 *
 * @param proc {@code host.proc}
 * @param sys {@code host.sys}
 * @param root {@code host.rootfs}
 * @param collectors the collectors that are on
 * @param mountPoints {@code host.filesystem.mountPoints}
 * @param fileSystemTypes {@code host.filesystem.types}
 * @param disks {@code host.diskstats.devices}
 * @param networkDevices {@code host.netdev.devices}
 * @param networkClasses {@code host.netclass.devices}
 * @param arpDevices {@code host.arp.devices}
 * @param infinibandDevices {@code host.infiniband.devices}
 * @param chips {@code host.hwmon.chips}
 * @param sensors {@code host.hwmon.sensors}
 * @param netstatFields {@code host.netstat.fields}
 * @param vmstatFields {@code host.vmstat.fields}
 * @param textfiles {@code host.textfile.directory}
 */
public record HostSettings(
    Path proc,
    Path sys,
    Path root,
    Set<HostCollector> collectors,
    NamePatterns mountPoints,
    NamePatterns fileSystemTypes,
    NamePatterns disks,
    NamePatterns networkDevices,
    NamePatterns networkClasses,
    NamePatterns arpDevices,
    NamePatterns infinibandDevices,
    NamePatterns chips,
    NamePatterns sensors,
    String netstatFields,
    String vmstatFields,
    Optional<Path> textfiles) {
  private static final Key<Path> PROC =
      Key.of(
          "host.proc",
          KeyType.path(),
          Path.of("/proc"),
          "Folder where the proc file system of the node is mounted.");
  private static final Key<Path> SYS =
      Key.of(
          "host.sys",
          KeyType.path(),
          Path.of("/sys"),
          "Folder where the sys file system of the node is mounted.");
  private static final Key<Path> ROOT =
      Key.of(
          "host.rootfs",
          KeyType.path(),
          Path.of("/"),
          "Folder where the root file system of the node is mounted.");
  private static final Key<Boolean> DEFAULTS =
      Key.of(
          "host.collectors.defaults",
          KeyType.flag(),
          true,
          "Whether the default collectors of host metrics are enabled: all but `processes`.");
  private static final Key<List<HostCollector>> ON =
      collectors("on", "Further collectors of host metrics to enable");
  private static final Key<List<HostCollector>> OFF =
      collectors("off", "Collectors of host metrics to disable");

  private static final NamePatterns.Keys MOUNT_POINTS =
      new NamePatterns.Keys(
          "host.filesystem.mountPoints",
          "mount points",
          "^/(dev|proc|run/credentials/.+|sys|var/lib/docker/.+|var/lib/containers/storage/.+)"
              + "($|/)",
          "");
  private static final NamePatterns.Keys TYPES =
      new NamePatterns.Keys(
          "host.filesystem.types",
          "types of file systems",
          "^(autofs|binfmt_misc|bpf|cgroup2?|configfs|debugfs|devpts|devtmpfs|fusectl|hugetlbfs"
              + "|iso9660|mqueue|nsfs|overlay|proc|procfs|pstore|rpc_pipefs|securityfs|selinuxfs"
              + "|squashfs|erofs|sysfs|tracefs)$",
          "that of node_exporter, see [host metrics](host-metrics.md)");

  /** Partitions and pseudo devices: their numbers are contained in those of their disks. */
  private static final NamePatterns.Keys DISKS =
      new NamePatterns.Keys(
          "host.diskstats.devices",
          "disks",
          "^(z?ram|loop|fd|(h|s|v|xv)d[a-z]|nvme\\d+n\\d+p)\\d+$",
          "");

  private static final NamePatterns.Keys NETDEV = devices("netdev.devices", "network devices");
  private static final NamePatterns.Keys NETCLASS =
      devices("netclass.devices", "network devices of sys");
  private static final NamePatterns.Keys ARP = devices("arp.devices", "devices of ARP entries");
  private static final NamePatterns.Keys INFINIBAND =
      devices("infiniband.devices", "RDMA adapters");
  private static final NamePatterns.Keys CHIPS = devices("hwmon.chips", "chips of sensors");
  private static final NamePatterns.Keys SENSORS =
      devices("hwmon.sensors", "sensors, written as chip;sensor,");

  private static final String NETSTAT_FIELDS =
      "^(.*_(InErrors|InErrs)|Ip_Forwarding|Ip(6|Ext)_(InOctets|OutOctets)"
          + "|Icmp6?_(InMsgs|OutMsgs)|TcpExt_(Listen.*|Syncookies.*|TCPSynRetrans|TCPTimeouts"
          + "|TCPOFOQueue|TCPRcvQDrop)|Tcp_(ActiveOpens|InSegs|OutSegs|OutRsts|PassiveOpens"
          + "|RetransSegs|CurrEstab)|Udp6?_(InDatagrams|OutDatagrams|NoPorts|RcvbufErrors"
          + "|SndbufErrors))$";
  private static final Key<String> NETSTAT =
      Key.derived(
          "host.netstat.fields",
          KeyType.pattern(),
          "that of node_exporter, see [host metrics](host-metrics.md)",
          "Regular expression for the counters of network protocols to read; it matches anywhere in"
              + " the name.");
  private static final Key<String> VMSTAT =
      Key.of(
          "host.vmstat.fields",
          KeyType.pattern(),
          "^(oom_kill|pgpg|pswp|pg.*fault).*",
          "Regular expression for the counters of memory management to read; it matches anywhere in"
              + " the name.");

  private static final Key<Path> TEXTFILES =
      Key.optional(
          "host.textfile.directory",
          KeyType.path(),
          "Folder of `*.prom` files with metrics of other programs, in Prometheus's text format.");

  private static Key<List<HostCollector>> collectors(String name, String meaning) {
    return Key.of(
        "host.collectors." + name,
        KeyType.listOf(KeyType.choice(HostCollector.class), 0),
        List.of(),
        meaning + ", by node_exporter's names.");
  }

  private static NamePatterns.Keys devices(String section, String names) {
    return new NamePatterns.Keys("host." + section, names, "", "none");
  }

  public static HostSettings read(ConfigReader in) {
    Set<HostCollector> collectors =
        in.get(DEFAULTS)
            ? EnumSet.copyOf(HostCollector.defaults())
            : EnumSet.noneOf(HostCollector.class);
    collectors.addAll(in.get(ON));
    in.get(OFF).forEach(collectors::remove);
    return new HostSettings(
        in.get(PROC),
        in.get(SYS),
        in.get(ROOT),
        Set.copyOf(collectors),
        MOUNT_POINTS.read(in),
        TYPES.read(in),
        DISKS.read(in),
        NETDEV.read(in),
        NETCLASS.read(in),
        ARP.read(in),
        INFINIBAND.read(in),
        CHIPS.read(in),
        SENSORS.read(in),
        in.get(NETSTAT, NETSTAT_FIELDS),
        in.get(VMSTAT),
        in.find(TEXTFILES));
  }
}
