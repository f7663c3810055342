package io.fleetgauge.load.nodes;

import io.fleetgauge.load.nodes.driver.DriverModel;
import io.fleetgauge.probe.attribution.process.ProcessOwners;
import io.fleetgauge.probe.attribution.process.ProcessReport;
import io.fleetgauge.probe.attribution.process.ProcessSampling;
import io.fleetgauge.probe.attribution.runtime.ContainerName;
import io.fleetgauge.probe.attribution.runtime.ContainerNames;
import io.fleetgauge.probe.config.ProcessSettings;
import io.fleetgauge.probe.gpu.GpuThread;
import io.fleetgauge.probe.sampling.Reader;
import io.fleetgauge.probe.sampling.TickClass;
import io.fleetgauge.sample.Labels;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;

/**
 * The processes that hold a node's GPUs, as its proc file system and its container runtime show
 * them to the probe. The files are in a folder of its own. Not for several threads.
 */
final class SimulatedProcesses implements AutoCloseable {
  private static final int MOST_SERIES = 64;
  private static final List<String> FILES = List.of("cgroup", "environ", "stat");

  private final Path proc;
  private final Map<Integer, Labels> owners = new TreeMap<>();
  private final Map<String, ContainerName> containers = new ConcurrentHashMap<>();

  SimulatedProcesses() {
    try {
      proc = Files.createTempDirectory("simulated-proc");
      proc.toFile().deleteOnExit();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** The probe's readers of what processes use. */
  List<Reader> readers(GpuThread thread, TickClass core) {
    ContainerNames names = ContainerNames.of(containers);
    ProcessSampling sampling =
        new ProcessSampling(
            new ProcessSettings(true, MOST_SERIES, true, true, Optional.empty()),
            thread::processes,
            new ProcessOwners(proc, proc, names),
            () -> {},
            (gpu, owner) -> Labels.EMPTY,
            core);
    return List.of(sampling, new ProcessReport(sampling, names, core));
  }

  /**
   * The process on a GPU is of this owner from now on.
   *
   * @param part number of the GPU's instance, or of the process among those that share it, from 0
   * @param owner labels that name its pod, and its Slurm job if it has one; empty for no process
   * @param time ms since the epoch
   */
  void own(int gpu, int part, Labels owner, long time) {
    int pid = DriverModel.pid(gpu, part);
    if (owner.equals(owners.getOrDefault(pid, Labels.EMPTY))) {
      return;
    }
    owners.put(pid, owner);
    try {
      Path folder = proc.resolve(Integer.toString(pid));
      Files.deleteIfExists(folder.resolve("stat"));
      if (!owner.isEmpty()) {
        Files.createDirectories(folder);
        folder.toFile().deleteOnExit();
        for (String file : FILES) {
          folder.resolve(file).toFile().deleteOnExit();
        }
        Files.writeString(folder.resolve("cgroup"), "0::" + group(owner) + "\n");
        Files.writeString(folder.resolve("environ"), "");
        Files.writeString(folder.resolve("stat"), stat(pid, time));
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    containers.clear();
    owners.values().stream()
        .filter(each -> !each.isEmpty())
        .forEach(each -> containers.put(container(each), name(each)));
  }

  private static String stat(int pid, long time) {
    String zeros = "0 ".repeat(18);
    return pid + " (python) R " + zeros + time / 10 + " 0 0\n";
  }

  /** A step of a Slurm job is a container too. */
  private static String group(Labels owner) {
    String job = owner.value("hpc_job");
    String pod = "kubepods-burstable-pod" + uid(owner).replace('-', '_');
    String outer =
        job.isEmpty()
            ? "/kubepods.slice/kubepods-burstable.slice/" + pod + ".slice"
            : "/system.slice/slurmstepd.scope/job_" + job + "/step_0";
    return outer + "/cri-containerd-" + container(owner) + ".scope";
  }

  private static ContainerName name(Labels owner) {
    String container = owner.value("container");
    String pod = owner.value("pod");
    String namespace = owner.value("namespace");
    String name = String.join("_", "k8s", container, pod, namespace, uid(owner), "0");
    return new ContainerName(name, container, pod, namespace, uid(owner));
  }

  private static byte[] bytes(Labels owner) {
    return (owner.value("namespace") + "/" + owner.value("pod")).getBytes(StandardCharsets.UTF_8);
  }

  private static String uid(Labels owner) {
    return UUID.nameUUIDFromBytes(bytes(owner)).toString();
  }

  private static String container(Labels owner) {
    try {
      return HexFormat.of().formatHex(MessageDigest.getInstance("SHA-256").digest(bytes(owner)));
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException(e);
    }
  }

  @Override
  public void close() {
    try {
      for (int pid : owners.keySet()) {
        Path folder = proc.resolve(Integer.toString(pid));
        for (String file : FILES) {
          Files.deleteIfExists(folder.resolve(file));
        }
        Files.deleteIfExists(folder);
      }
      Files.deleteIfExists(proc);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
