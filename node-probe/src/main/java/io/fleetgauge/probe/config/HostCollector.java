package io.fleetgauge.probe.config;

import java.util.EnumSet;
import java.util.Locale;
import java.util.Set;

/** The collectors of host metrics that there are, under node_exporter's names. */
public enum HostCollector {
  ARP,
  BONDING,
  CONNTRACK,
  CPU,
  CPUFREQ,
  DISKSTATS,
  DMI,
  EDAC,
  ENTROPY,
  FILEFD,
  FILESYSTEM,
  HWMON,
  INFINIBAND,
  KERNEL_HUNG,
  LOADAVG,
  MDADM,
  MEMINFO,
  NETCLASS,
  NETDEV,
  NETSTAT,
  NFS,
  NVME,
  OS,
  PRESSURE,
  PROCESSES,
  RAPL,
  SCHEDSTAT,
  SOCKSTAT,
  SOFTNET,
  STAT,
  TEXTFILE,
  THERMAL_ZONE,
  TIME,
  TIMEX,
  UDP_QUEUES,
  UNAME,
  VMSTAT,
  XFS;

  /** The collectors that are on unless configured otherwise. */
  public static Set<HostCollector> defaults() {
    return EnumSet.complementOf(EnumSet.of(PROCESSES));
  }

  /** Its name in the configuration, and in the label {@code collector}. */
  public String text() {
    return name().toLowerCase(Locale.ROOT);
  }
}
