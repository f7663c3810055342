package io.fleetgauge.probe.attribution.process;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;

/** A folder with the files of processes as the kernel shows them. */
final class FakeProc {
  final Path folder;

  FakeProc(Path folder) throws IOException {
    this.folder = Files.createDirectories(folder);
  }

  /** A process that runs. */
  FakeProc process(int pid, String cgroup) throws IOException {
    return process(pid, 'S', 1_000 + pid, "python3", 1000, cgroup);
  }

  FakeProc process(int pid, char state, long started, String program, int uid, String cgroup)
      throws IOException {
    Path of = Files.createDirectories(folder.resolve(Integer.toString(pid)));
    stat(pid, state, started, program);
    Files.writeString(of.resolve("cgroup"), cgroup);
    Files.writeString(
        of.resolve("status"),
        "Name:\t%s\nUmask:\t0022\nUid:\t%2$d\t%2$d\t%2$d\t%2$d\nGid:\t0\t0\t0\t0\n"
            .formatted(program, uid));
    return environment(pid);
  }

  void stat(int pid, char state, long started, String program) throws IOException {
    Files.writeString(
        folder.resolve(Integer.toString(pid)).resolve("stat"),
        "%d (%s) %c 1 1 1 0 -1 4194560 100 0 0 0 1 2 3 4 20 0 1 0 %d 1000000 300 1844674407\n"
            .formatted(pid, program, state, started));
  }

  FakeProc environment(int pid, String... variables) throws IOException {
    String text = variables.length == 0 ? "" : String.join("\0", List.of(variables)) + "\0";
    Files.writeString(folder.resolve(Integer.toString(pid)).resolve("environ"), text);
    return this;
  }

  FakeProc program(int pid, String file) throws IOException {
    Path exe = folder.resolve(Integer.toString(pid)).resolve("exe");
    Files.deleteIfExists(exe);
    Files.createSymbolicLink(exe, Path.of(file));
    return this;
  }

  void end(int pid) throws IOException {
    try (var files = Files.walk(folder.resolve(Integer.toString(pid)))) {
      for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
        Files.delete(file);
      }
    }
  }
}
