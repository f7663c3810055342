package io.fleetgauge.distribution;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.jar.JarFile;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * The archive, unpacked as on a machine where it is installed.
 *
 * @param file the archive
 * @param home the folder that it unpacks to
 */
record InstalledArchive(Path file, Path home) {
  private static final Path TARGET =
      Path.of(System.getProperty("fleetgauge.root"), "distribution", "target");

  static InstalledArchive unpack(Path folder) throws Exception {
    Path file = only(TARGET, "fleetgauge-\\d.*\\.tar\\.gz");
    output("tar", "-xzf", file.toString(), "-C", folder.toString());
    return new InstalledArchive(file, only(folder, "fleetgauge-.*"));
  }

  private static Path only(Path folder, String name) throws IOException {
    try (Stream<Path> all = Files.list(folder)) {
      List<Path> found = all.filter(file -> file.getFileName().toString().matches(name)).toList();
      assertThat(found).as("%s in %s", name, folder).hasSize(1);
      return found.getFirst();
    }
  }

  Set<String> libraries() {
    try (Stream<Path> all = Files.list(home.resolve("lib"))) {
      return all.map(file -> file.getFileName().toString())
          .collect(Collectors.toCollection(TreeSet::new));
    } catch (IOException e) {
      throw new IllegalStateException(e);
    }
  }

  /** The jar of a process and the libraries that its manifest names. */
  Set<String> classPath(String module) throws IOException {
    Path jar = only(home.resolve("lib"), module + "-\\d.*\\.jar");
    try (JarFile open = new JarFile(jar.toFile())) {
      Set<String> names = new TreeSet<>();
      names.add(jar.getFileName().toString());
      names.addAll(
          Arrays.asList(open.getManifest().getMainAttributes().getValue("Class-Path").split(" ")));
      return names;
    }
  }

  /** One line for each entry: mode, owner, size, time and name. */
  List<String> listing() throws Exception {
    return output("tar", "--numeric-owner", "-tvzf", file.toString()).lines().toList();
  }

  static Set<FileTime> times(Path jar) throws IOException {
    try (JarFile open = new JarFile(jar.toFile())) {
      return open.stream().map(entry -> entry.getLastModifiedTime()).collect(Collectors.toSet());
    }
  }

  /** Starts the launcher of the archive, in a folder, with this JVM's Java. */
  Process start(Path folder, Path output, String... command) throws IOException {
    List<String> line = new ArrayList<>(List.of(home.resolve("bin/fleetgauge").toString()));
    line.addAll(List.of(command));
    ProcessBuilder builder =
        new ProcessBuilder(line)
            .directory(folder.toFile())
            .redirectErrorStream(true)
            .redirectOutput(output.toFile());
    Map<String, String> environment = builder.environment();
    environment.put("JAVA_HOME", System.getProperty("java.home"));
    environment.put("FLEETGAUGE_HEAP", "256m");
    return builder.start();
  }

  private static String output(String... command) throws Exception {
    Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
    String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    assertThat(process.waitFor()).as(output).isZero();
    return output;
  }
}
