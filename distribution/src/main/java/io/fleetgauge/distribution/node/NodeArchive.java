package io.fleetgauge.distribution.node;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.FileTime;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.jar.JarEntry;
import java.util.jar.JarFile;
import java.util.stream.Stream;

/**
 * Makes the archive for nodes. Arguments: the folder of the unpacked general archive, the folder to
 * work in, the C source of the stand-in driver, the folder for the archive, and the time that its
 * files get.
 */
public final class NodeArchive {
  private static final String PROBE = "node-probe";

  /** Where a jar has its native libraries, by the architecture of the JVM. */
  private static final List<String> NATIVE =
      "aarch64".equals(System.getProperty("os.arch"))
          ? List.of("META-INF/native/.*_aarch_64\\.so", "jni/aarch64-Linux/.*\\.so")
          : List.of("META-INF/native/.*_x86_64\\.so", "jni/x86_64-Linux/.*\\.so");

  private final Path installed;
  private final Path home;
  private final Path work;
  private final FileTime time;

  private NodeArchive(Path installed, Path work, FileTime time) {
    String version = installed.getFileName().toString().replaceFirst("fleetgauge-", "");
    this.installed = installed;
    this.work = work;
    this.home = work.resolve("fleetgauge-probe-" + version + "-linux-" + architecture());
    this.time = time;
  }

  private static String architecture() {
    String of = System.getProperty("os.arch");
    return of.equals("amd64") ? "x86_64" : of;
  }

  public static void main(String[] arguments) throws Exception {
    Path work = Path.of(arguments[1]);
    String hindrance = RuntimeImage.hindrance();
    if (!hindrance.isEmpty()) {
      System.err.println("The archive for nodes is not built: " + hindrance);
      return;
    }
    NodeArchive archive =
        new NodeArchive(Path.of(arguments[0]), work, FileTime.from(Instant.parse(arguments[4])));
    delete(work);
    Files.createDirectories(work);
    archive.layOut();
    new TrainingRun(archive.home, work.resolve("training"), Path.of(arguments[2])).run();
    archive.pack(Path.of(arguments[3]));
  }

  private void layOut() throws IOException {
    for (String folder : List.of("bin", "licences")) {
      copyFolder(folder);
    }
    for (String file :
        List.of("LICENSE", "README.md", "etc/probe.yaml", "jvm/common.flags", "jvm/probe.flags")) {
      copy(file);
    }
    Path jar;
    try (Stream<Path> all = Files.list(installed.resolve("lib"))) {
      jar =
          all.filter(file -> file.getFileName().toString().startsWith(PROBE + "-"))
              .findFirst()
              .orElseThrow();
    }
    copy("lib/" + jar.getFileName());
    try (JarFile open = new JarFile(jar.toFile())) {
      for (String name : open.getManifest().getMainAttributes().getValue("Class-Path").split(" ")) {
        copy("lib/" + name);
        unpackNative(installed.resolve("lib").resolve(name));
      }
    }
    keepLicencesOf(home.resolve("lib"));
    RuntimeImage.link(home.resolve("runtime"));
    // The cache remembers times of files, so they are those that the archive will have.
    try (Stream<Path> all = Files.walk(home)) {
      for (Path each : (Iterable<Path>) all::iterator) {
        if (!Files.isSymbolicLink(each)) {
          Files.setLastModifiedTime(each, time);
        }
      }
    }
  }

  private void copyFolder(String folder) throws IOException {
    try (Stream<Path> all = Files.list(installed.resolve(folder))) {
      for (Path file : (Iterable<Path>) all::iterator) {
        copy(folder + "/" + file.getFileName());
      }
    }
  }

  private void copy(String file) throws IOException {
    Path to = home.resolve(file);
    Files.createDirectories(to.getParent());
    Files.copy(installed.resolve(file), to, StandardCopyOption.COPY_ATTRIBUTES);
  }

  /** So that nothing has to be unpacked on the node, where the folder for it may be read-only. */
  private void unpackNative(Path jar) throws IOException {
    try (JarFile open = new JarFile(jar.toFile())) {
      for (JarEntry entry : (Iterable<JarEntry>) open.stream()::iterator) {
        if (NATIVE.stream().anyMatch(pattern -> entry.getName().matches(pattern))) {
          Path to = home.resolve("native").resolve(Path.of(entry.getName()).getFileName());
          Files.createDirectories(to.getParent());
          try (InputStream in = open.getInputStream(entry)) {
            Files.copy(in, to);
          }
        }
      }
    }
  }

  private void keepLicencesOf(Path libraries) throws IOException {
    Path list = home.resolve("licences/third-party.tsv");
    List<String> names;
    try (Stream<Path> all = Files.list(libraries)) {
      names = all.map(file -> file.getFileName().toString().replaceFirst("-\\d.*", "")).toList();
    }
    Files.write(
        list,
        Files.readAllLines(list).stream()
            .filter(line -> line.startsWith("#") || names.contains(line.split("\t")[0]))
            .toList());
  }

  private void pack(Path target) throws IOException, InterruptedException {
    Path file = target.resolve(home.getFileName() + ".tar.gz");
    run(
        work,
        "tar",
        "--sort=name",
        "--owner=0",
        "--group=0",
        "--numeric-owner",
        "--mode=go=rX,u+w",
        "--mtime=" + time,
        "-cf",
        "archive.tar",
        home.getFileName().toString());
    run(work, "gzip", "-n", "archive.tar");
    Files.move(work.resolve("archive.tar.gz"), file, StandardCopyOption.REPLACE_EXISTING);
  }

  /** Runs a program of the machine; its output is part of the failure if it fails. */
  static String run(Path folder, String... command) throws IOException, InterruptedException {
    Process process =
        new ProcessBuilder(command).directory(folder.toFile()).redirectErrorStream(true).start();
    String output = new String(process.getInputStream().readAllBytes());
    if (process.waitFor() != 0) {
      throw new IOException(Arrays.toString(command) + " fails: " + output);
    }
    return output;
  }

  static void delete(Path folder) throws IOException {
    if (!Files.exists(folder)) {
      return;
    }
    List<Path> all;
    try (Stream<Path> found = Files.walk(folder)) {
      all = new ArrayList<>(found.toList());
    }
    all.sort(Comparator.reverseOrder());
    for (Path each : all) {
      Files.delete(each);
    }
  }
}
