package io.fleetgauge.probe;

import io.fleetgauge.probe.config.GpuSettings;
import io.fleetgauge.probe.config.ProbeConfig;
import io.fleetgauge.probe.config.ScrapeSettings;
import io.fleetgauge.probe.host.reading.ClockState;
import io.fleetgauge.probe.host.reading.Libc;
import io.fleetgauge.probe.nccl.RasPorts;
import io.fleetgauge.probe.nvml.CallLog;
import io.fleetgauge.probe.nvml.NativeMemory;
import io.fleetgauge.probe.nvml.Nvml;
import io.fleetgauge.probe.nvml.NvmlCall;
import io.fleetgauge.probe.nvml.NvmlReturn;
import io.fleetgauge.runtime.doctor.DiscoveryChecks;
import io.fleetgauge.runtime.doctor.Findings;
import java.io.IOException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.SocketChannel;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** Checks whether a node has what its probe reads. */
record NodeChecks(ProbeConfig config) {
  private static final long DRIVER_MILLIS = 15_000;
  private static final int HTTP = 80;
  private static final int HTTPS = 443;

  /** Loads the driver's library and counts GPUs; a driver that hangs is a finding. */
  void gpus(Findings findings) {
    if (!config.gpu().enabled()) {
      findings.skipped("gpu.enabled is false: no GPU is read");
      return;
    }
    Findings ofDriver = new Findings().about("gpus");
    Thread asking =
        Thread.ofPlatform().daemon().name("driver").start(() -> driver(config.gpu(), ofDriver));
    try {
      asking.join(DRIVER_MILLIS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    if (asking.isAlive()) {
      findings.failure(
          "the driver has not responded for " + DRIVER_MILLIS / 1_000 + " s",
          "check the kernel log for NVRM messages; the node may have to be drained and restarted");
      return;
    }
    findings.addAll(ofDriver);
  }

  private static void driver(GpuSettings settings, Findings findings) {
    List<String> devices = devices();
    Nvml nvml;
    try {
      nvml = Nvml.load(settings.library(), settings.driverRoots(), new CallLog(System::nanoTime));
    } catch (UnsatisfiedLinkError e) {
      if (devices.isEmpty() && settings.expected() == 0) {
        findings.skipped("there is no driver and no device of a GPU: the node has none");
      } else {
        findings.failure(
            "the library "
                + settings.library()
                + " of gpu.library cannot be loaded: "
                + e.getMessage()
                + (devices.isEmpty() ? "" : "; the node has " + String.join(", ", devices)),
            "install the driver, or name its folder in gpu.driverRoots");
      }
      return;
    }
    int code = nvml.init();
    if (code != NvmlReturn.SUCCESS) {
      findings.failure(
          "the driver cannot be used: " + meaning(code) + " (code " + code + ")", advice(code));
      return;
    }
    NativeMemory out = nvml.allocate(8);
    code = nvml.ask(NvmlCall.COUNT, null, out);
    int count = code == NvmlReturn.SUCCESS ? out.i32(0) : 0;
    String text =
        count
            + " GPUs, driver "
            + nvml.text(NvmlCall.DRIVER_VERSION, null)
            + ", NVML "
            + nvml.text(NvmlCall.NVML_VERSION, null);
    List<Integer> lost = new ArrayList<>();
    for (int gpu = 0; gpu < count; gpu++) {
      if (nvml.handle(gpu, out) != NvmlReturn.SUCCESS) {
        lost.add(gpu);
      }
    }
    nvml.shutdown();
    if (!lost.isEmpty()) {
      findings.failure(
          text + "; these cannot be opened: " + lost,
          "check the kernel log for XIDs; reset the GPUs, or restart the node");
    } else if (count < Math.max(settings.expected(), devices.size())) {
      findings.failure(
          text
              + "; "
              + (settings.expected() > count
                  ? "gpu.expected is " + settings.expected()
                  : "the node has " + String.join(", ", devices)),
          "check the kernel log for XID 79; a GPU has fallen off the bus, or this container does"
              + " not have all devices");
    } else {
      findings.ok(text);
    }
  }

  private static List<String> devices() {
    List<String> devices = new ArrayList<>();
    try (DirectoryStream<Path> all =
        Files.newDirectoryStream(
            Path.of("/dev"), path -> path.getFileName().toString().matches("nvidia\\d+"))) {
      all.forEach(device -> devices.add(device.toString()));
    } catch (IOException e) {
      return List.of(); // no folder of devices
    }
    return devices.stream().sorted().toList();
  }

  private static String meaning(int code) {
    return switch (code) {
      case NvmlReturn.DRIVER_NOT_LOADED -> "its kernel module is not loaded";
      case NvmlReturn.LIB_RM_VERSION_MISMATCH ->
          "the library and the kernel module have different versions";
      case NvmlReturn.NO_PERMISSION -> "this user may not open its devices";
      case NvmlReturn.GPU_IS_LOST -> "a GPU is lost";
      default -> "it does not start";
    };
  }

  private static String advice(int code) {
    return switch (code) {
      case NvmlReturn.DRIVER_NOT_LOADED -> "run modprobe nvidia, and check the kernel log";
      case NvmlReturn.LIB_RM_VERSION_MISMATCH ->
          "restart the node, so that the kernel module is that of the installed driver";
      case NvmlReturn.NO_PERMISSION -> "let this user read and write /dev/nvidia*";
      default -> "run nvidia-smi, and check the kernel log";
    };
  }

  /** Tells whether the kernel keeps its clock synchronised. */
  void clock(Findings findings) {
    ClockState state;
    try {
      state = Libc.clock();
    } catch (IllegalStateException | UnsatisfiedLinkError e) {
      findings.skipped("the kernel does not report whether its clock is synchronized: " + e);
      return;
    }
    if (state == null) {
      findings.skipped("this user may not read whether the clock is synchronized");
    } else if (state.result() == ClockState.TIME_ERROR) {
      findings.warning(
          "the kernel's clock is not synchronized",
          "start chrony, systemd-timesyncd or another NTP client");
    } else {
      findings.ok(
          "the kernel's clock is synchronized, its error is "
              + state.maxError() / 1_000
              + " ms at most");
    }
  }

  /** XIDs are read from it. */
  void kernelLog(Findings findings) {
    if (!config.gpu().enabled()) {
      return;
    }
    Path log = config.gpu().kernelLog();
    if (Files.isReadable(log)) {
      findings.ok("gpu.kernelLog " + log + " can be read");
    } else {
      findings.warning(
          "gpu.kernelLog " + log + " cannot be read: XIDs of GPUs that hang are not seen",
          "let the probe read it, with the capability SYSLOG, or by mounting it into its"
              + " container");
    }
  }

  /** Hung collective operations are seen by it. */
  void ras(Findings findings) {
    if (!config.nccl().enabled() || !config.gpu().enabled()) {
      return;
    }
    Map<String, String> ports = RasPorts.look(config.nccl(), config.host().proc());
    if (ports.isEmpty()) {
      findings.skipped(
          "no process listens at "
              + String.join(", ", config.nccl().addresses())
              + ", the RAS port"
              + " of jobs with NCCL 2.24 or later, in this network namespace");
    }
    ports.forEach(
        (address, refusal) -> {
          if (refusal.isEmpty()) {
            findings.ok("the RAS port " + address + " of NCCL answers");
          } else {
            findings.warning(
                "the RAS port " + address + " of NCCL does not answer: " + refusal,
                "check which process listens there; nccl.ras.addresses names the ports of jobs");
          }
        });
  }

  /** Owners of GPUs come from it. */
  void kubelet(Findings findings) {
    Path socket = config.attribution().kubelet().socket();
    if (!config.attribution().kubelet().enabled() || !Files.exists(socket)) {
      findings.skipped("there is no socket " + socket + " of a kubelet");
      return;
    }
    try (SocketChannel channel = SocketChannel.open(StandardProtocolFamily.UNIX)) {
      channel.connect(UnixDomainSocketAddress.of(socket));
      findings.ok("the kubelet accepts connections at " + socket);
    } catch (IOException e) {
      findings.failure(
          "the kubelet's socket " + socket + " cannot be used: " + e.getMessage(),
          "start the kubelet, and let the user of the probe write to the socket");
    }
  }

  /** Exporters that the probe scrapes. */
  void exporters(Findings findings) {
    for (ScrapeSettings exporter : config.scrape()) {
      String scheme = exporter.url().getScheme();
      int port =
          exporter.url().getPort() > 0
              ? exporter.url().getPort()
              : scheme.equals("https") ? HTTPS : HTTP;
      Optional<String> refusal = DiscoveryChecks.refusal(exporter.url().getHost() + ":" + port);
      if (refusal.isEmpty()) {
        findings.ok(
            "the exporter " + exporter.name() + " accepts connections at " + exporter.url());
      } else {
        findings.warning(
            "the exporter "
                + exporter.name()
                + " cannot be reached at "
                + exporter.url()
                + ": "
                + refusal.get(),
            "start it, or correct its url in scrape");
      }
    }
  }
}
