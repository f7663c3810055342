package io.fleetgauge.gateway.status;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.File;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * In a root without an entry in the table of mounts, as chroot and some containers have, the JDK
 * knows no file system of a folder. Its disk works all the same. Needs root.
 */
@Tag("slow")
class MissingMountEntryTest {
  private static final String CONFIG =
      """
      http: {host: 127.0.0.1, port: 0}
      store: {folder: /data}
      cluster: {host: 127.0.0.1, port: 0, members: ["127.0.0.1:9"]}
      """;

  /** Everything of this machine is seen in the new root but what is mounted or private. */
  private static final Set<String> LEFT_OUT = Set.of("tmp", "proc", "sys", "run", "mnt", "media");

  @TempDir private Path root;

  private static String output(List<String> command) throws Exception {
    Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
    process.getOutputStream().close();
    String text = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    process.waitFor(2, TimeUnit.MINUTES);
    return text;
  }

  /** Mounts what Java needs below the root, in a namespace of its own, and runs a class there. */
  private List<String> inTheRoot(String... command) throws IOException {
    StringBuilder script = new StringBuilder("set -e\n");
    try (Stream<Path> top = Files.list(Path.of("/"))) {
      for (Path each : top.sorted().toList()) {
        String name = each.getFileName().toString();
        if (Files.isSymbolicLink(each)) {
          Files.createSymbolicLink(root.resolve(name), Files.readSymbolicLink(each));
        } else if (Files.isDirectory(each) && !LEFT_OUT.contains(name)) {
          Path below = Files.createDirectory(root.resolve(name));
          script.append("mount --rbind ").append(each).append(' ').append(below).append('\n');
        }
      }
    }
    Path proc = Files.createDirectory(root.resolve("proc"));
    script.append("mount -t proc proc ").append(proc).append('\n');
    script.append("exec chroot ").append(root);
    for (String word : command) {
      script.append(" '").append(word).append('\'');
    }
    return List.of("unshare", "--mount", "--propagation", "private", "sh", "-c", script.toString());
  }

  @Test
  void theDoctorFindsTheDiskOfAGatewayWell() throws Exception {
    String classPath = System.getProperty("java.class.path");
    Set<String> folders = new TreeSet<>(List.of(classPath.split(File.pathSeparator)));
    folders.add(System.getProperty("java.home"));
    assumeTrue(folders.stream().noneMatch(each -> each.startsWith("/tmp/")), "Java is not in /tmp");
    String made;
    try {
      made = output(List.of("unshare", "--mount", "true"));
    } catch (IOException e) {
      made = e.toString();
    }
    assumeTrue(made.isEmpty(), "namespaces of mounts can be made: " + made);
    Files.createDirectory(root.resolve("tmp"));
    Files.createDirectory(root.resolve("data"));
    Files.writeString(root.resolve("tmp/gateway.yaml"), CONFIG);
    String found =
        output(
            inTheRoot(
                System.getProperty("java.home") + "/bin/java",
                "-Xmx128m",
                "-cp",
                classPath,
                "io.fleetgauge.runtime.process.Main",
                "doctor",
                "gateway",
                "--config",
                "/tmp/gateway.yaml",
                "--quick",
                "--all"));
    assertThat(found)
        .contains("are free (of unknown type)")
        .doesNotContain("Mount point not found")
        .doesNotContain("cannot be written");
  }
}
