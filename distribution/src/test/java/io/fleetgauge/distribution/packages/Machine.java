package io.fleetgauge.distribution.packages;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * A machine with nothing but Debian's base system: a root that debootstrap made, on which changes
 * are laid over. Units are started as systemd would: as their user, with their capabilities, in
 * their folder.
 */
final class Machine implements AutoCloseable {
  private static final String PATH = "PATH=/usr/sbin:/usr/bin:/sbin:/bin";

  private final Path top;
  private final Path root;
  private final Map<String, Process> running = new LinkedHashMap<>();

  /** Lays a folder over a root. */
  Machine(Path base, Path top) throws Exception {
    this.top = top;
    this.root = Files.createDirectories(top.resolve("root"));
    Path upper = Files.createDirectories(top.resolve("upper"));
    Path work = Files.createDirectories(top.resolve("work"));
    String layers = "lowerdir=%s,upperdir=%s,workdir=%s".formatted(base, upper, work);
    Commands.run("mount", "-t", "overlay", "-o", layers, "overlay", root.toString());
    for (String folder : List.of("proc", "sys", "dev")) {
      Commands.run("mount", "--bind", "/" + folder, root.resolve(folder).toString());
    }
  }

  Path path(String absolute) {
    return root.resolve(absolute.substring(1));
  }

  /** Runs a command of the machine as root. */
  String run(String... command) throws IOException, InterruptedException {
    List<String> all =
        new ArrayList<>(List.of("env", "-i", PATH, "LC_ALL=C.UTF-8", "chroot", root.toString()));
    all.addAll(List.of(command));
    return Commands.run(all.toArray(new String[0]));
  }

  /** Installs a package, or upgrades to it; asks nothing. */
  String install(Path deb) throws IOException, InterruptedException {
    Path copy = root.resolve("root").resolve(deb.getFileName().toString());
    Files.copy(deb, copy);
    try {
      return run("dpkg", "--install", "/root/" + copy.getFileName());
    } finally {
      Files.delete(copy);
    }
  }

  /** Takes a program away, as where it is not installed. */
  void hide(String program) throws IOException {
    Files.delete(path(program));
  }

  /** Starts what ExecStart of an installed unit says. */
  void start(String process) throws IOException {
    String unit =
        Files.readString(path("/usr/lib/systemd/system/fleetgauge-" + process + ".service"));
    String user = only(unit, "User");
    List<String> command = new ArrayList<>(List.of("setpriv", "--reuid=" + user));
    command.addAll(List.of("--regid=" + only(unit, "Group"), "--clear-groups", "--no-new-privs"));
    String capabilities =
        Stream.of(only(unit, "CapabilityBoundingSet").split(" "))
            .filter(name -> !name.isEmpty())
            .map(name -> ",+" + name.replace("CAP_", "").toLowerCase(Locale.ROOT))
            .reduce("-all", String::concat);
    command.add("--inh-caps=" + capabilities);
    command.add("--ambient-caps=" + capabilities);
    command.add("--bounding-set=" + capabilities);
    command.add("--");
    command.add(only(unit, "ExecStart"));
    ProcessBuilder builder =
        new ProcessBuilder(
                "env",
                "-i",
                PATH,
                "LANG=C.UTF-8",
                "FLEETGAUGE_HEAP=256m",
                "chroot",
                root.toString(),
                "sh",
                "-c",
                "cd %s && umask %s && exec %s"
                    .formatted(
                        only(unit, "WorkingDirectory"),
                        only(unit, "UMask"),
                        String.join(" ", command)))
            .redirectErrorStream(true)
            .redirectOutput(ProcessBuilder.Redirect.appendTo(log(process).toFile()));
    running.put(process, builder.start());
  }

  private static String only(String unit, String key) {
    Matcher line = Pattern.compile("(?m)^" + key + "=(.*)$").matcher(unit);
    assertThat(line.find()).as("the unit has %s", key).isTrue();
    return line.group(1);
  }

  /** Ends it as systemd does: by SIGTERM, within TimeoutStopSec. */
  void stop(String process) throws Exception {
    String unit =
        Files.readString(path("/usr/lib/systemd/system/fleetgauge-" + process + ".service"));
    long seconds = Long.parseLong(only(unit, "TimeoutStopSec").replace("s", ""));
    Process of = running.remove(process);
    of.destroy();
    assertThat(of.waitFor(seconds, TimeUnit.SECONDS)).as(process).isTrue();
    assertThat(of.exitValue())
        .as(Files.readString(log(process)))
        .isEqualTo(Integer.parseInt(only(unit, "SuccessExitStatus")));
  }

  boolean isRunning(String process) {
    return running.containsKey(process) && running.get(process).isAlive();
  }

  Path log(String process) {
    return top.resolve(process + ".log");
  }

  /**
   * Every file of the machine, without what package managers and accounts note about themselves.
   */
  Set<String> files() throws IOException {
    Set<String> files = new TreeSet<>();
    for (String folder : List.of("etc", "usr", "var", "run", "opt", "srv", "tmp")) {
      try (Stream<Path> all = Files.walk(root.resolve(folder))) {
        all.filter(file -> Files.exists(file, LinkOption.NOFOLLOW_LINKS))
            .map(file -> "/" + root.relativize(file))
            .filter(file -> !file.matches("/var/(lib/dpkg|cache|log)/.*"))
            // A unit has a folder of its own there, which goes with it.
            .filter(file -> !file.startsWith("/tmp/hsperfdata_"))
            .filter(file -> !file.matches("/etc/(passwd|group|shadow|gshadow|subuid|subgid)-"))
            .filter(file -> !file.matches("/etc/\\.pwd\\.lock|/var/lib/systemd/deb-systemd-.*"))
            .forEach(files::add);
      }
    }
    return files;
  }

  @Override
  public void close() throws IOException {
    try {
      for (Process process : running.values()) {
        process.destroyForcibly().waitFor();
      }
      for (String folder : List.of("dev", "sys", "proc")) {
        Commands.run("umount", root.resolve(folder).toString());
      }
      Commands.run("umount", root.toString());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IOException("interrupted while " + root + " was given back", e);
    }
  }
}
