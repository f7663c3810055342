package io.fleetgauge.runtime.doctor;

import io.fleetgauge.runtime.process.Main;
import io.fleetgauge.runtime.terminal.Figures;
import java.io.IOException;
import java.io.InputStream;
import java.lang.management.ManagementFactory;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import java.util.OptionalLong;

/** Checks that Java, the limits of this user, and the kernel are as the process needs them. */
record MachineChecks(ExaminedProcess process, Findings findings, Path proc) {
  private static final int MOST_BYTES = 1 << 16;
  private static final int JAVA = 25;
  private static final double WARN_HEAP = 0.75;
  private static final long LEAST_TASKS = 1_024;
  private static final long LEAST_MAPS = 65_530;
  private static final long LEAST_BACKLOG = 1_024;
  private static final String UNLIMITED = "unlimited";

  void run() {
    java();
    memory();
    limit("Max open files", process.openFiles(), "LimitNOFILE in its systemd unit, or ulimit -n");
    limit(
        "Max processes", LEAST_TASKS, "TasksMax and LimitNPROC in its systemd unit, or ulimit -u");
    if (process.clusterPort().isPresent()) {
      setting("vm.max_map_count", LEAST_MAPS, "blocks are mapped into memory");
      setting(
          "net.core.somaxconn",
          LEAST_BACKLOG,
          "probes that connect at the same time wait in this queue");
      overcommit();
    }
  }

  private void java() {
    Findings java = findings.about("java");
    String text =
        "version %s, Java %s of %s, flags %s"
            .formatted(
                Main.VERSION,
                Runtime.version(),
                System.getProperty("java.vendor"),
                String.join(" ", ManagementFactory.getRuntimeMXBean().getInputArguments()));
    if (Runtime.version().feature() < JAVA) {
      java.failure(text, "run it with Java " + JAVA + "; set JAVA_HOME to one");
    } else {
      java.ok(text);
    }
  }

  private void memory() {
    Findings memory = findings.about("memory");
    OptionalLong machine = machineMemory();
    long heap = Runtime.getRuntime().maxMemory();
    if (machine.isEmpty()) {
      memory.skipped("the memory of this machine is not known");
      return;
    }
    String text =
        "the heap may take %s of %s of the machine or its container"
            .formatted(Figures.bytes(heap), Figures.bytes(machine.getAsLong()));
    if (heap > WARN_HEAP * machine.getAsLong()) {
      memory.warning(
          text,
          "lower FLEETGAUGE_HEAP to half of the memory; classes, threads and the cache of blocks"
              + " need the rest");
    } else {
      memory.ok(text);
    }
  }

  private OptionalLong machineMemory() {
    OptionalLong total =
        line(proc.resolve("meminfo"), "MemTotal:")
            .map(line -> OptionalLong.of(Long.parseLong(line.replaceAll("\\D", "")) << 10))
            .orElse(OptionalLong.empty());
    Optional<String> limit = text(Path.of("/sys/fs/cgroup/memory.max"));
    if (limit.isPresent() && limit.get().matches("\\d{1,18}")) {
      long most = Long.parseLong(limit.get());
      return OptionalLong.of(Math.min(most, total.orElse(most)));
    }
    return total;
  }

  private void limit(String name, long least, String where) {
    Findings limits = findings.about("limits");
    Optional<String> line = line(proc.resolve("self/limits"), name);
    if (line.isEmpty()) {
      limits.skipped("the kernel does not report \"" + name + "\"");
      return;
    }
    String soft = line.get().substring(name.length()).strip().split("\\s+")[0];
    if (!soft.equals(UNLIMITED) && Long.parseLong(soft) < least) {
      limits.warning(
          name + " is " + soft + " for user " + System.getProperty("user.name"),
          "allow " + Figures.count(least) + " or more with " + where);
    } else {
      limits.ok(name + " is " + soft);
    }
  }

  private void setting(String name, long least, String why) {
    Findings kernel = findings.about("kernel");
    Optional<String> value = text(proc.resolve("sys").resolve(name.replace('.', '/')));
    if (value.isEmpty() || !value.get().matches("\\d{1,18}")) {
      kernel.skipped(name + " is not known");
    } else if (Long.parseLong(value.get()) < least) {
      kernel.warning(
          name + " is " + value.get() + "; " + why,
          "run sysctl -w " + name + "=" + least + ", and write it to a file in /etc/sysctl.d");
    } else {
      kernel.ok(name + " is " + value.get());
    }
  }

  private void overcommit() {
    Optional<String> value = text(proc.resolve("sys/vm/overcommit_memory"));
    if (value.isPresent() && value.get().equals("2")) {
      findings
          .about("kernel")
          .warning(
              "vm.overcommit_memory is 2: memory that is reserved and not used counts",
              "run sysctl -w vm.overcommit_memory=0, or give the machine swap space");
    }
  }

  private static Optional<String> line(Path file, String begin) {
    return text(file)
        .flatMap(text -> text.lines().filter(line -> line.startsWith(begin)).findFirst());
  }

  private static Optional<String> text(Path file) {
    // Files.readString reads one byte first, and the kernel gives a setting in one read only.
    try (InputStream in = Files.newInputStream(file)) {
      return Optional.of(new String(in.readNBytes(MOST_BYTES), StandardCharsets.UTF_8).strip());
    } catch (IOException e) {
      return Optional.empty(); // not Linux, or another version of the kernel
    }
  }
}
