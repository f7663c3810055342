package io.fleetgauge.load.nodes;

import io.fleetgauge.load.nodes.driver.Fault;
import io.fleetgauge.load.nodes.driver.Incident;
import io.fleetgauge.load.nodes.driver.Noise;
import io.fleetgauge.probe.sampling.Reader;
import io.fleetgauge.probe.sampling.TickClass;
import io.fleetgauge.probe.sampling.TickClasses;
import java.util.ArrayList;
import java.util.List;
import java.util.function.DoubleSupplier;

/**
 * The host that a node's GPUs are in, as the probe's collectors show it: CPUs, memory, disks and
 * network follow what the GPUs do. Counters count from the start of the machine. Not for several
 * threads.
 */
final class HostModel {
  private static final int CPUS = 4;
  private static final double ALL_CPUS = 96;

  /** Adapters with one port each. */
  static final List<String> PORTS = List.of("mlx5_0", "mlx5_1", "mlx5_2", "mlx5_3");

  private static final double MEMORY = 2_164_260_864_000.0;
  private static final double BOOTED_BEFORE = 20 * 86_400;
  private static final String[] MODES = {
    "idle", "iowait", "irq", "nice", "softirq", "steal", "system", "user"
  };
  private static final double[] SHARES = {0, 0.004, 0, 0, 0.006, 0, 0.24, 0.75};

  private final String hostname;
  private final long seed;
  private final long booted;

  /** CPUs whose time a series counts. */
  private final double cpusOfSeries;

  private final List<Reader> readers = new ArrayList<>();
  private long time;
  private double busy;
  private double load1;
  private double load5;
  private double load15;

  /** The port that is down; -1 for none. */
  private int down = -1;

  private HostLoad loaded = HostLoad.of(0);
  private double iowait;
  private double stalled;
  private double waited;
  private double read;
  private double written;
  private final double[] received = new double[PORTS.size()];
  private final double[] symbolErrors = new double[PORTS.size()];
  private final double[] recoveries = new double[PORTS.size()];
  private final double[] restarts = new double[PORTS.size()];
  private final double[] downs = new double[PORTS.size()];

  /** Seconds of full load since the machine was started. */
  private double work;

  private double uptime;

  /**
   * @param isWhole true if the series of few CPUs count the time of all CPUs that it has
   * @param first time of the first tick, ms since the epoch
   */
  HostModel(
      String hostname, int number, TickClasses classes, boolean isWhole, long seed, long first) {
    this.hostname = hostname;
    this.cpusOfSeries = isWhole ? ALL_CPUS / CPUS : 1;
    this.seed = seed * 31 + number;
    long uptimeSeconds = (long) (BOOTED_BEFORE * (0.2 + Noise.of(this.seed, 1, 0)));
    this.booted = first / 1_000 - uptimeSeconds;
    this.uptime = uptimeSeconds;
    this.work = 0.3 * uptime;
    this.time = first;
    core(classes.core());
    network(classes.core());
    disks(classes.core(), classes.other());
    memory(classes.core());
    other(classes.other());
    constant(classes.constant());
    success(classes.core());
  }

  /** One for each collector. */
  List<Reader> readers() {
    return readers;
  }

  /**
   * Goes on to a time.
   *
   * @param load what the jobs do on the host
   * @param incidents that the host has then
   */
  void turnTo(long millis, HostLoad load, List<Incident> incidents) {
    double seconds = (millis - time) / 1_000.0;
    time = millis;
    loaded = load;
    boolean isStarved = false;
    for (Incident incident : incidents) {
      isStarved |= incident.fault() == Fault.STRAGGLER_HOST;
    }
    double cores = load.cores() + 1 + 2 * Noise.of(seed, 2, millis);
    busy = isStarved ? 0.97 : Math.min(0.9, cores / ALL_CPUS);
    work += busy * seconds;
    uptime += seconds;
    iowait += seconds * (load.blocked() > 0 ? 0.6 * (1 - busy) : 0.004 * busy);
    stalled += seconds * (load.blocked() > 0 ? 0.7 : 0.02 * busy);
    waited += seconds * (isStarved ? 0.6 : 0.02 * busy);
    read += Math.rint(seconds * (load.read() + 40_000));
    written += Math.rint(seconds * (load.written() + 90_000));
    for (int port = 0; port < received.length; port++) {
      received[port] += Math.rint(seconds * (load.network() / received.length + 900));
      restarts[port] += Noise.of(seed, 5 + port, millis) < 0.01 ? 2 : 0;
    }
    for (Incident incident : incidents) {
      count(incident, seconds);
    }
    double running = ALL_CPUS * busy;
    load1 += (running - load1) * Math.min(1, seconds / 60);
    load5 += (running - load5) * Math.min(1, seconds / 300);
    load15 += (running - load15) * Math.min(1, seconds / 900);
    down = -1;
    for (Incident incident : incidents) {
      if (incident.fault() == Fault.PORT_DOWN) {
        down = incident.part() % PORTS.size();
      }
    }
  }

  private void count(Incident incident, double seconds) {
    int port = incident.part() % PORTS.size();
    switch (incident.fault()) {
      case PORT_DOWN -> downs[port] += down < 0 ? 1 : 0;
      case PORT_ERRORS -> {
        symbolErrors[port] += Math.rint(Math.max(1, incident.amount() * seconds));
        recoveries[port] += Math.rint(seconds / 7);
      }
      case PORT_SLOW -> restarts[port] += Math.rint(incident.amount() * seconds);
      case STRAGGLER_NETWORK -> restarts[port] += Math.rint(35 * seconds);
      default -> {}
    }
  }

  private Readout reader(String name, TickClass tickClass) {
    Readout reader = new Readout(name, tickClass);
    readers.add(reader);
    return reader;
  }

  /** A counter that rises with the work of the host, and a little without. */
  private DoubleSupplier counter(double perBusySecond) {
    return () -> Math.rint(perBusySecond * (work + 0.001 * uptime));
  }

  private DoubleSupplier seconds(double perBusySecond) {
    return () -> Math.rint(perBusySecond * (work + 0.001 * uptime) * 1000) / 1000;
  }

  private static double hundredths(double value) {
    return Math.rint(value * 100) / 100;
  }

  private void core(TickClass core) {
    Readout cpu = reader("cpu", core);
    for (int i = 0; i < CPUS; i++) {
      for (int mode = 0; mode < MODES.length; mode++) {
        double share = SHARES[mode] * (1 - 0.02 * i);
        DoubleSupplier value =
            mode == 0
                ? () -> hundredths(cpusOfSeries * (uptime - work - iowait))
                : mode == 1
                    ? () -> hundredths(cpusOfSeries * iowait)
                    : () -> hundredths(cpusOfSeries * share * work);
        cpu.add("node_cpu_seconds_total", value, "cpu", "" + i, "mode", MODES[mode]);
      }
      cpu.add("node_cpu_guest_seconds_total", () -> 0, "cpu", "" + i, "mode", "user");
    }
    reader("loadavg", core)
        .add("node_load1", () -> hundredths(load1))
        .add("node_load5", () -> hundredths(load5))
        .add("node_load15", () -> hundredths(load15));
    reader("stat", core)
        .add("node_boot_time_seconds", () -> booted)
        .add("node_context_switches_total", counter(180_000))
        .add("node_forks_total", counter(40))
        .add("node_intr_total", counter(90_000))
        .add("node_procs_running", () -> 1 + Math.rint(96 * busy))
        .add("node_procs_blocked", () -> loaded.blocked());
    reader("time", core).add("node_time_seconds", () -> time / 1_000.0);
    reader("pressure", core)
        .add("node_pressure_cpu_waiting_seconds_total", () -> hundredths(waited))
        .add("node_pressure_io_waiting_seconds_total", () -> hundredths(1.2 * stalled))
        .add("node_pressure_io_stalled_seconds_total", () -> hundredths(stalled))
        .add("node_pressure_memory_waiting_seconds_total", seconds(0.001))
        .add("node_pressure_memory_stalled_seconds_total", seconds(0.001));
    reader("vmstat", core)
        .add("node_vmstat_oom_kill", () -> 0)
        .add("node_vmstat_pgfault", counter(250_000))
        .add("node_vmstat_pgmajfault", counter(20))
        .add("node_vmstat_pgpgin", counter(400_000))
        .add("node_vmstat_pgpgout", counter(90_000))
        .add("node_vmstat_pswpin", () -> 0)
        .add("node_vmstat_pswpout", () -> 0);
    reader("filefd", core)
        .add("node_filefd_allocated", () -> Math.rint(9_000 + 20_000 * busy))
        .add("node_filefd_maximum", () -> 9.223372036854775807E18);
    reader("conntrack", core)
        .add("node_nf_conntrack_entries", () -> Math.rint(400 + 2_000 * busy))
        .add("node_nf_conntrack_entries_limit", () -> 1_048_576);
    reader("sockstat", core)
        .add("node_sockstat_TCP_inuse", () -> Math.rint(120 + 300 * busy))
        .add("node_sockstat_TCP_tw", () -> Math.rint(10 + 60 * busy))
        .add("node_sockstat_sockets_used", () -> Math.rint(1_400 + 2_000 * busy));
  }

  private void network(TickClass core) {
    Readout netdev = reader("netdev", core);
    for (String device : List.of("ens1f0", "eth0")) {
      double bytes = device.equals("eth0") ? 4e6 : 9e7;
      for (String way : List.of("receive", "transmit")) {
        String metric = "node_network_" + way;
        netdev
            .add(metric + "_bytes_total", counter(bytes), "device", device)
            .add(metric + "_packets_total", counter(bytes / 900), "device", device)
            .add(metric + "_errs_total", () -> 0, "device", device)
            .add(metric + "_drop_total", () -> 0, "device", device);
      }
    }
    Readout infiniband = reader("infiniband", core);
    for (int i = 0; i < PORTS.size(); i++) {
      int number = i;
      String[] port = {"device", PORTS.get(i), "port", "1"};
      infiniband
          .add("node_infiniband_port_data_received_bytes_total", () -> received[number], port)
          .add("node_infiniband_port_data_transmitted_bytes_total", () -> received[number], port)
          .add("node_infiniband_link_downed_total", () -> downs[number], port)
          .add("node_infiniband_symbol_error_total", () -> symbolErrors[number], port)
          .add("node_infiniband_link_error_recovery_total", () -> recoveries[number], port)
          .add("node_infiniband_excessive_buffer_overrun_errors_total", () -> 0, port)
          .add("node_infiniband_local_link_integrity_errors_total", () -> 0, port)
          .add("node_infiniband_roce_slow_restart_total", () -> restarts[number], port)
          .add("node_infiniband_rate_bytes_per_second", () -> 5e10, port)
          .add("node_infiniband_state_id", () -> down == number ? 1 : 4, port)
          .add("node_infiniband_physical_state_id", () -> down == number ? 3 : 5, port);
    }
  }

  private void disks(TickClass core, TickClass other) {
    Readout disks = reader("diskstats", core);
    for (String device : List.of("nvme0n1", "nvme1n1")) {
      disks
          .add("node_disk_read_bytes_total", () -> Math.rint(read / 2), "device", device)
          .add("node_disk_written_bytes_total", () -> Math.rint(written / 2), "device", device)
          .add("node_disk_reads_completed_total", counter(5_000), "device", device)
          .add("node_disk_writes_completed_total", counter(700), "device", device)
          .add("node_disk_read_time_seconds_total", seconds(0.6), "device", device)
          .add("node_disk_write_time_seconds_total", seconds(0.1), "device", device)
          .add("node_disk_io_time_seconds_total", seconds(0.3), "device", device)
          .add("node_disk_io_time_weighted_seconds_total", seconds(0.7), "device", device)
          .add("node_disk_io_now", () -> Math.rint(12 * busy), "device", device);
    }
    Readout files = reader("filesystem", other);
    filesystem(files, "/dev/nvme0n1p2", "ext4", "/", 9.4e11);
    filesystem(files, "/dev/nvme1n1", "xfs", "/scratch", 3.8e12);
  }

  private void filesystem(Readout files, String device, String type, String mount, double size) {
    String[] labels = {"device", device, "fstype", type, "mountpoint", mount};
    DoubleSupplier free = () -> Math.rint(size * (0.7 - 0.2 * busy) / 4096) * 4096;
    files
        .add("node_filesystem_size_bytes", () -> size, labels)
        .add("node_filesystem_avail_bytes", free, labels)
        .add("node_filesystem_free_bytes", free, labels)
        .add("node_filesystem_files", () -> 5.8e7, labels)
        .add("node_filesystem_files_free", () -> Math.rint(5.7e7 - 1e5 * busy), labels)
        .add("node_filesystem_readonly", () -> 0, labels)
        .add("node_filesystem_device_error", () -> 0, labels);
  }

  private void memory(TickClass core) {
    Readout memory = reader("meminfo", core);
    String[] parts = {
      "MemFree",
      "MemAvailable",
      "Buffers",
      "Cached",
      "Active",
      "Inactive",
      "AnonPages",
      "Mapped",
      "Shmem",
      "Slab",
      "PageTables",
      "KernelStack",
      "Dirty",
      "Committed_AS"
    };
    double[] idle = {.93, .96, .002, .02, .01, .02, .008, .002, .001, .003, .0004, 2e-5, 1e-6, .02};
    double[] full = {.35, .55, .004, .22, .30, .20, .250, .060, .050, .008, .0020, 6e-5, 1e-5, .40};
    for (int i = 0; i < parts.length; i++) {
      int part = i;
      memory.add(
          "node_memory_" + parts[i] + "_bytes",
          () -> {
            double share = idle[part] + (full[part] - idle[part]) * Math.min(1, 2.5 * busy);
            return Math.rint(MEMORY * share / 4096) * 4096;
          });
    }
    memory.add("node_memory_MemTotal_bytes", () -> MEMORY);
    memory.add("node_memory_CommitLimit_bytes", () -> MEMORY / 2);
    for (String none : List.of("SwapTotal", "SwapFree", "SwapCached", "HardwareCorrupted")) {
      memory.add("node_memory_" + none + "_bytes", () -> 0);
    }
  }

  private void other(TickClass other) {
    reader("hwmon", other)
        .add(
            "node_hwmon_temp_celsius",
            () -> Math.rint(38 + 30 * busy),
            "chip",
            "platform_coretemp_0",
            "sensor",
            "temp1")
        .add(
            "node_hwmon_power_average_watt",
            () -> Math.rint(900 + 2_400 * busy),
            "chip",
            "acpi_device_power_meter",
            "sensor",
            "power1");
    reader("processes", other)
        .add("node_processes_pids", () -> Math.rint(900 + 600 * busy))
        .add("node_processes_threads", () -> Math.rint(2_100 + 9_000 * busy))
        .add("node_processes_max_processes", () -> 4_194_304);
    reader("timex", other)
        .add("node_timex_offset_seconds", () -> 1e-6 * Math.rint(20 * Noise.of(seed, 3, time)))
        .add("node_timex_sync_status", () -> 1);
  }

  private void constant(TickClass constant) {
    reader("uname", constant)
        .add(
            "node_uname_info",
            () -> 1,
            "domainname",
            "(none)",
            "machine",
            "x86_64",
            "nodename",
            hostname,
            "release",
            "6.8.0-48-generic",
            "sysname",
            "Linux",
            "version",
            "#48-Ubuntu SMP PREEMPT_DYNAMIC");
    reader("os", constant)
        .add(
            "node_os_info",
            () -> 1,
            "id",
            "ubuntu",
            "name",
            "Ubuntu",
            "pretty_name",
            "Ubuntu 24.04.1 LTS",
            "version_id",
            "24.04");
  }

  /** The probe tells of every collector how its reading went. */
  private void success(TickClass core) {
    for (Reader reader : List.copyOf(readers)) {
      if (reader instanceof Readout collector && collector.classes().contains(core)) {
        collector.add("node_scrape_collector_success", () -> 1, "collector", reader.name());
      }
    }
  }
}
