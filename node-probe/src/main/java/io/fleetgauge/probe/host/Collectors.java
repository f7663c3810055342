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
import io.fleetgauge.probe.host.reading.NodeFiles;
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
  static Collector of(
      HostCollector name, NodeFiles files, HostSettings settings, LongSupplier clock) {
    return switch (name) {
      case ARP -> new Arp(files, filter(settings.arpDevices()));
      case BONDING -> new Bonding(files);
      case CONNTRACK -> new Conntrack(files);
      case CPU -> new Cpu(files);
      case CPUFREQ -> new CpuFreq(files);
      case DISKSTATS -> new DiskStats(files, filter(settings.disks()));
      case DMI -> new Dmi(files);
      case EDAC -> new Edac(files);
      case ENTROPY -> new Entropy(files);
      case FILEFD -> new FileFd(files);
      case FILESYSTEM ->
          new FileSystem(
              files,
              filter(settings.mountPoints()),
              filter(settings.fileSystemTypes()),
              new NetworkMounts(Libc::space, System::nanoTime));
      case HWMON -> new HwMon(files, filter(settings.chips()), filter(settings.sensors()));
      case INFINIBAND -> new Infiniband(files, filter(settings.infinibandDevices()));
      case KERNEL_HUNG -> new KernelHung(files);
      case LOADAVG -> new LoadAvg(files);
      case MDADM -> new MdAdm(files);
      case MEMINFO -> new MemInfo(files);
      case NETCLASS -> new NetClass(files, filter(settings.networkClasses()));
      case NETDEV -> new NetDev(files, filter(settings.networkDevices()));
      case NETSTAT -> new NetStat(files, Filter.of(settings.netstatFields(), ""));
      case NFS -> new Nfs(files);
      case NVME -> new Nvme(files);
      case OS -> new OsRelease(files);
      case PRESSURE -> new Pressure(files);
      case PROCESSES -> new Processes(files);
      case RAPL -> new Rapl(files);
      case SCHEDSTAT -> new SchedStat(files);
      case SOCKSTAT -> new SockStat(files, Libc.pageBytes());
      case SOFTNET -> new SoftNet(files);
      case STAT -> new Stat(files);
      case TEXTFILE -> new Textfile(settings.textfiles(), files);
      case THERMAL_ZONE -> new ThermalZone(files);
      case TIME -> new Time(files, clock);
      case TIMEX -> new Timex();
      case UDP_QUEUES -> new UdpQueues(files);
      case UNAME -> new Uname(files);
      case VMSTAT -> new VmStat(files, Filter.of(settings.vmstatFields(), ""));
      case XFS -> new Xfs(files);
    };
  }

  private static Filter filter(NamePatterns patterns) {
    return Filter.of(patterns.include(), patterns.exclude());
  }
}
