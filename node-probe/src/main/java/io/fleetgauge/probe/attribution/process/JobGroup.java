package io.fleetgauge.probe.attribution.process;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;

/**
 * The folder of the control group that a container or a job has for itself, as {@code
 * /sys/fs/cgroup} shows it. Not for several threads.
 */
final class JobGroup {
  /** Groups below that of a job, and processes in all of them, that are read. */
  private static final int MOST_GROUPS = 128;

  private static final int MOST_PROCESSES = 1_024;
  private static final int MOST_KNOWN = 256;
  private static final int LONGEST_KNOWN = 4 << 10;

  /** A reader with a control group namespace sees the groups of others from its own. */
  private static final String ABOVE = "/..";

  private static final String PROCESSES = "cgroup.procs";

  private final Path root;
  private final Map<String, Optional<Folders>> known = new HashMap<>();

  /**
   * Where the group is. With version 1 of control groups, each controller has its own folders.
   *
   * @param processes the folder that lists its processes
   * @param cpu the file that counts its CPU time
   * @param memory the folder that tells how much memory it uses
   */
  record Folders(Path processes, Optional<Path> cpu, Optional<Path> memory) {}

  /**
   * @param root where the file systems of control groups are mounted
   */
  JobGroup(Path root) {
    this.root = root;
  }

  /**
   * The folders of the group of a process, if it is that of its container or job: not the root, a
   * slice or a session, in which others are too.
   *
   * @param text of {@code /proc/PID/cgroup}
   */
  Optional<Folders> of(String text) {
    Optional<Folders> folders = known.get(text);
    if (folders == null || folders.isPresent() && !Files.exists(folders.get().processes())) {
      folders = find(text);
      if (text.length() <= LONGEST_KNOWN) {
        if (known.size() >= MOST_KNOWN) {
          known.clear();
        }
        known.put(text, folders);
      }
    }
    return folders;
  }

  private Optional<Folders> find(String text) {
    Path processes = null;
    Optional<Path> cpu = Optional.empty();
    Optional<Path> memory = Optional.empty();
    for (String line : text.split("\n", MOST_GROUPS)) {
      String[] parts = line.split(":", 3);
      String path = parts.length < 3 ? "" : scope(parts[2]);
      if (path.isEmpty()) {
        continue;
      }
      for (Path hierarchy : hierarchies(parts[1])) {
        Optional<Path> found = resolve(hierarchy, path);
        if (found.isPresent()) {
          Path folder = found.get();
          processes = processes == null ? folder : processes;
          cpu = cpu.or(() -> GroupFiles.cpu(folder));
          memory = memory.or(() -> GroupFiles.memory(folder));
          break;
        }
      }
    }
    return processes == null ? Optional.empty() : Optional.of(new Folders(processes, cpu, memory));
  }

  private List<Path> hierarchies(String controllers) {
    if (controllers.isEmpty()) {
      return List.of(root, root.resolve("unified"));
    }
    String name = controllers.startsWith("name=") ? controllers.substring(5) : controllers;
    return List.of(root.resolve(name));
  }

  /** The shortest beginning of a path that names the same container or job; empty without one. */
  static String scope(String path) {
    Cgroup whole = Cgroup.ofPath(path);
    if (!whole.isContainer() && whole.pod().isEmpty() && whole.job().isEmpty()) {
      return "";
    }
    for (int end = path.indexOf('/', 1); end > 0; end = path.indexOf('/', end + 1)) {
      Cgroup part = Cgroup.ofPath(path.substring(0, end));
      if (part.container().equals(whole.container())
          && part.name().equals(whole.name())
          && part.pod().equals(whole.pod())
          && part.job().equals(whole.job())) {
        return path.substring(0, end);
      }
    }
    return path;
  }

  private static Optional<Path> resolve(Path hierarchy, String path) {
    String below = path;
    while (below.startsWith(ABOVE + "/")) {
      below = below.substring(ABOVE.length());
    }
    Path folder = hierarchy.resolve(below.substring(1)).normalize();
    if (isGroup(folder) && folder.startsWith(hierarchy)) {
      return Optional.of(folder);
    }
    if (below.equals(path)) {
      return Optional.empty();
    }
    // The reader's own group and this one have parents in common, which the path does not name.
    for (Path first : folders(hierarchy)) {
      if (isGroup(first.resolve(below.substring(1)))) {
        return Optional.of(first.resolve(below.substring(1)));
      }
      for (Path second : folders(first)) {
        if (isGroup(second.resolve(below.substring(1)))) {
          return Optional.of(second.resolve(below.substring(1)));
        }
      }
    }
    return Optional.empty();
  }

  private static boolean isGroup(Path folder) {
    return Files.exists(folder.resolve(PROCESSES));
  }

  private static List<Path> folders(Path of) {
    List<Path> folders = new ArrayList<>();
    try (DirectoryStream<Path> all = Files.newDirectoryStream(of, Files::isDirectory)) {
      for (Path each : all) {
        if (folders.size() < MOST_GROUPS) {
          folders.add(each);
        }
      }
    } catch (IOException e) {
      return folders; // it has ended
    }
    return folders;
  }

  /** The processes of a group and of those below it. */
  static Set<Integer> processes(Path group) {
    Set<Integer> all = new LinkedHashSet<>();
    List<Path> groups = new ArrayList<>(List.of(group));
    for (int i = 0; i < groups.size() && i < MOST_GROUPS; i++) {
      try {
        String text = Files.readString(groups.get(i).resolve(PROCESSES));
        text.lines().limit(MOST_PROCESSES - all.size()).forEach(line -> add(all, line));
      } catch (IOException e) {
        continue; // it has ended, or its threads are in several groups
      }
      groups.addAll(folders(groups.get(i)));
    }
    return all;
  }

  private static void add(Set<Integer> all, String line) {
    try {
      int pid = Integer.parseInt(line.strip());
      if (pid > 0) {
        all.add(pid);
      }
    } catch (NumberFormatException e) {
      // 0 stands for a process that this namespace does not show.
    }
  }

  /** Bytes that a group has read from disks and written to them; empty where nobody counts. */
  static OptionalLong diskBytes(Path group) {
    String text;
    try {
      text = Files.readString(group.resolve("io.stat"), StandardCharsets.ISO_8859_1);
    } catch (IOException e) {
      return OptionalLong.empty();
    }
    long bytes = 0;
    for (String word : text.split("\\s+")) {
      if (word.startsWith("rbytes=") || word.startsWith("wbytes=")) {
        try {
          bytes += Long.parseLong(word, 7, word.length(), 10);
        } catch (NumberFormatException e) {
          return OptionalLong.empty();
        }
      }
    }
    return OptionalLong.of(bytes);
  }
}
