package io.fleetgauge.probe.host;

import io.fleetgauge.probe.config.HostCollector;
import io.fleetgauge.probe.config.HostSettings;
import io.fleetgauge.probe.config.NamePatterns;
import io.fleetgauge.probe.host.hardware.Dmi;
import io.fleetgauge.probe.host.hardware.Edac;
import io.fleetgauge.probe.host.hardware.HwMon;
import io.fleetgauge.probe.host.hardware.Rapl;
import io.fleetgauge.probe.host.hardware.ThermalZone;
import io.fleetgauge.probe.host.kernel.Cpu;
import io.fleetgauge.probe.host.kernel.CpuFreq;
import io.fleetgauge.probe.host.kernel.Entropy;
import io.fleetgauge.probe.host.kernel.FileFd;
import io.fleetgauge.probe.host.kernel.KernelHung;
import io.fleetgauge.probe.host.kernel.LoadAvg;
import io.fleetgauge.probe.host.kernel.MemInfo;
import io.fleetgauge.probe.host.kernel.OsRelease;
import io.fleetgauge.probe.host.kernel.Pressure;
import io.fleetgauge.probe.host.kernel.Processes;
import io.fleetgauge.probe.host.kernel.SchedStat;
import io.fleetgauge.probe.host.kernel.Stat;
import io.fleetgauge.probe.host.kernel.Time;
import io.fleetgauge.probe.host.kernel.Timex;
import io.fleetgauge.probe.host.kernel.Uname;
import io.fleetgauge.probe.host.kernel.VmStat;
import io.fleetgauge.probe.host.network.Arp;
import io.fleetgauge.probe.host.network.Bonding;
import io.fleetgauge.probe.host.network.Conntrack;
import io.fleetgauge.probe.host.network.Infiniband;
import io.fleetgauge.probe.host.network.NetClass;
import io.fleetgauge.probe.host.network.NetDev;
import io.fleetgauge.probe.host.network.NetStat;
import io.fleetgauge.probe.host.network.SockStat;
import io.fleetgauge.probe.host.network.SoftNet;
import io.fleetgauge.probe.host.network.UdpQueues;
import io.fleetgauge.probe.host.reading.Collector;
import io.fleetgauge.probe.host.reading.Filter;
import io.fleetgauge.probe.host.reading.Libc;
import io.fleetgauge.probe.host.storage.DiskStats;
import io.fleetgauge.probe.host.storage.FileSystem;
import io.fleetgauge.probe.host.storage.MdAdm;
import io.fleetgauge.probe.host.storage.NetworkMounts;
import io.fleetgauge.probe.host.storage.Nfs;
import io.fleetgauge.probe.host.storage.Nvme;
import io.fleetgauge.probe.host.storage.Xfs;
import java.util.function.LongSupplier;

/** Which class a collector's name stands for. */
final class Collectors {
  private Collectors() {}

  /**
   * @param clock ms since the epoch
   */
  static Collector of(HostCollector name, HostSettings settings, LongSupplier clock) {
    return switch (name) {
      case ARP -> new Arp(filter(settings.arpDevices()));
      case BONDING -> new Bonding();
      case CONNTRACK -> new Conntrack();
      case CPU -> new Cpu();
      case CPUFREQ -> new CpuFreq();
      case DISKSTATS -> new DiskStats(filter(settings.disks()));
      case DMI -> new Dmi();
      case EDAC -> new Edac();
      case ENTROPY -> new Entropy();
      case FILEFD -> new FileFd();
      case FILESYSTEM ->
          new FileSystem(
              filter(settings.mountPoints()),
              filter(settings.fileSystemTypes()),
              new NetworkMounts(Libc::space, System::nanoTime));
      case HWMON -> new HwMon(filter(settings.chips()), filter(settings.sensors()));
      case INFINIBAND -> new Infiniband(filter(settings.infinibandDevices()));
      case KERNEL_HUNG -> new KernelHung();
      case LOADAVG -> new LoadAvg();
      case MDADM -> new MdAdm();
      case MEMINFO -> new MemInfo();
      case NETCLASS -> new NetClass(filter(settings.networkClasses()));
      case NETDEV -> new NetDev(filter(settings.networkDevices()));
      case NETSTAT -> new NetStat(Filter.of(settings.netstatFields(), ""));
      case NFS -> new Nfs();
      case NVME -> new Nvme();
      case OS -> new OsRelease();
      case PRESSURE -> new Pressure();
      case PROCESSES -> new Processes();
      case RAPL -> new Rapl();
      case SCHEDSTAT -> new SchedStat();
      case SOCKSTAT -> new SockStat(Libc.pageBytes());
      case SOFTNET -> new SoftNet();
      case STAT -> new Stat();
      case TEXTFILE -> new Textfile(settings.textfiles());
      case THERMAL_ZONE -> new ThermalZone();
      case TIME -> new Time(clock);
      case TIMEX -> new Timex();
      case UDP_QUEUES -> new UdpQueues();
      case UNAME -> new Uname();
      case VMSTAT -> new VmStat(Filter.of(settings.vmstatFields(), ""));
      case XFS -> new Xfs();
    };
  }

  private static Filter filter(NamePatterns patterns) {
    return Filter.of(patterns.include(), patterns.exclude());
  }
}
