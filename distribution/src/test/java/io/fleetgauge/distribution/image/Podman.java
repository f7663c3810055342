package io.fleetgauge.distribution.image;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;

/** Podman with a storage of its own, below a folder, on a machine with systemd or without. */
public final class Podman {
  /** Options with which a container may do less than a Pod of the level restricted. */
  static final List<String> RESTRICTED =
      List.of(
          "--network=host",
          "--read-only",
          "--read-only-tmpfs=false",
          "--tmpfs=/tmp:size=64m,mode=1777",
          "--user=65532:65532",
          "--cap-drop=ALL",
          "--security-opt=no-new-privileges",
          "--memory=512m",
          "--pids-limit=256");

  private final Path folder;
  private final List<String> containers = new CopyOnWriteArrayList<>();

  public Podman(Path folder) throws IOException {
    this.folder = folder;
    Files.writeString(
        folder.resolve("containers.conf"),
        """
        [containers]
        default_ulimits = ["nofile=1024:1024", "nproc=1024:1024"]
        [engine]
        runtime = "runc"
        cgroup_manager = "cgroupfs"
        events_logger = "file"
        """);
    Files.writeString(
        folder.resolve("policy.json"), "{\"default\": [{\"type\": \"insecureAcceptAnything\"}]}");
  }

  /** Why no container can be run; empty if one can. */
  public String hindrance() {
    try {
      if (!"root".equals(System.getProperty("user.name"))) {
        return "containers are run as root only";
      }
      run("info");
      return "";
    } catch (IOException | InterruptedException e) {
      return "podman does not run here: " + e.getMessage();
    }
  }

  /** Loads an image; answers the name that Podman gave it. */
  public String load(Path image) throws IOException, InterruptedException {
    String text =
        run("load", "--signature-policy", folder + "/policy.json", "-q", "-i", image + "");
    return text.strip().replaceFirst("(?s).*Loaded image: *", "");
  }

  /** Starts a container in the background. */
  public void start(String name, List<String> options, String image, String... arguments)
      throws IOException, InterruptedException {
    List<String> command = new ArrayList<>(List.of("run", "-d", "--name", name));
    command.addAll(options);
    command.add(image);
    command.addAll(List.of(arguments));
    containers.add(name);
    run(command.toArray(String[]::new));
  }

  public void remove(String name) throws IOException, InterruptedException {
    run("rm", "-f", "-t", "0", name);
    containers.remove(name);
  }

  public String logs(String name) throws IOException, InterruptedException {
    return run("logs", name);
  }

  public String inspect(String name, String format) throws IOException, InterruptedException {
    return run("inspect", "-f", format, name).strip();
  }

  /** The output of a command that succeeds. */
  public String run(String... arguments) throws IOException, InterruptedException {
    List<String> command = new ArrayList<>(List.of("podman", "--storage-driver", "overlay"));
    command.addAll(List.of("--root", folder.resolve("storage").toString()));
    command.addAll(List.of("--runroot", folder.resolve("run").toString()));
    command.addAll(List.of(arguments));
    Path output = Files.createTempFile(folder, "output", "");
    ProcessBuilder builder = new ProcessBuilder(command);
    builder.environment().put("CONTAINERS_CONF", folder.resolve("containers.conf").toString());
    // Health checks are run when a test asks, and not by timers of systemd.
    builder.environment().put("DISABLE_HC_SYSTEMD", "true");
    Process process = builder.redirectErrorStream(true).redirectOutput(output.toFile()).start();
    if (!process.waitFor(120, TimeUnit.SECONDS)) {
      process.destroyForcibly();
    }
    int code = process.waitFor();
    String text = Files.readString(output);
    Files.delete(output);
    if (code != 0) {
      throw new IOException(command + " ends with " + code + ": " + text);
    }
    return text;
  }

  /** The logs of all containers, for a test that failed. */
  public String logs() throws IOException, InterruptedException {
    StringBuilder all = new StringBuilder();
    for (String name : containers) {
      all.append("== ").append(name).append('\n').append(logs(name));
    }
    return all.toString();
  }

  public void removeContainers() throws IOException, InterruptedException {
    for (String name : List.copyOf(containers)) {
      remove(name);
    }
  }

  /** Removes containers and images. */
  public void removeAll() throws IOException, InterruptedException {
    removeContainers();
    run("rmi", "-a", "-f");
  }
}
