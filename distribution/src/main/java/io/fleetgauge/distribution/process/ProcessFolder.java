package io.fleetgauge.distribution.process;

import io.fleetgauge.sample.files.PrivateFiles;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.FileTime;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.jar.JarEntry;
import java.util.jar.JarFile;
import java.util.stream.Stream;

/**
 * A folder from which one process runs without anything else of the machine.
 *
 * @param process what runs from it
 * @param home the folder
 */
public record ProcessFolder(ShippedProcess process, Path home) {
  /** The place of native libraries within jars, by the architecture of the JVM. */
  private static final List<String> NATIVE =
      "aarch64".equals(System.getProperty("os.arch"))
          ? List.of(
              "META-INF/native/.*_aarch_64\\.so",
              "jni/aarch64-Linux/.*\\.so",
              "org/xerial/snappy/native/Linux/aarch64/.*\\.so",
              "net/jpountz/util/linux/aarch64/.*\\.so")
          : List.of(
              "META-INF/native/.*_x86_64\\.so",
              "jni/x86_64-Linux/.*\\.so",
              "org/xerial/snappy/native/Linux/x86_64/.*\\.so",
              "net/jpountz/util/linux/amd64/.*\\.so");

  /** The architecture as archives name it. */
  public static String architecture() {
    String of = System.getProperty("os.arch");
    return of.equals("amd64") ? "x86_64" : of;
  }

  /**
   * Makes the folder, without a cache of classes.
   *
   * @param installed the unpacked general archive
   * @param images images of the JDK that were linked before, by their modules; one is added if need
   *     be
   */
  public void layOut(Path installed, Map<List<String>, Path> images)
      throws IOException, InterruptedException {
    PrivateFiles.delete(home);
    for (String folder : List.of("bin", "licences")) {
      copy(installed, folder);
    }
    for (String file : List.of("LICENSE", "README.md")) {
      copy(installed, file);
    }
    for (String file : process.flags()) {
      copy(installed, file);
    }
    for (String file : process.examples()) {
      copy(installed, file);
    }
    for (String name : libraries(installed)) {
      copy(installed, "lib/" + name);
      unpackNative(installed.resolve("lib").resolve(name));
    }
    keepLicences();
    Path runtime = home.resolve("runtime");
    Path linked = images.putIfAbsent(process.javaModules(), runtime);
    if (linked == null) {
      RuntimeImage.link(process.javaModules(), runtime);
    } else {
      Programs.run(home, "cp", "-a", linked.toString(), runtime.toString());
    }
  }

  /** The jars of its modules, and those that they name. */
  private Set<String> libraries(Path installed) throws IOException {
    Set<String> names = new TreeSet<>();
    for (String module : process.modules()) {
      Path jar = jar(installed, module);
      names.add(jar.getFileName().toString());
      try (JarFile open = new JarFile(jar.toFile())) {
        names.addAll(
            List.of(open.getManifest().getMainAttributes().getValue("Class-Path").split(" ")));
      }
    }
    return names;
  }

  private static Path jar(Path installed, String module) throws IOException {
    try (Stream<Path> all = Files.list(installed.resolve("lib"))) {
      return all.filter(file -> file.getFileName().toString().startsWith(module + "-"))
          .findFirst()
          .orElseThrow(() -> new IOException(installed + " has no jar of " + module));
    }
  }

  private void copy(Path installed, String name) throws IOException {
    Path from = installed.resolve(name);
    if (Files.isDirectory(from)) {
      try (Stream<Path> all = Files.list(from)) {
        for (Path file : (Iterable<Path>) all::iterator) {
          copy(installed, name + "/" + file.getFileName());
        }
      }
      return;
    }
    Path to = home.resolve(name);
    Files.createDirectories(to.getParent());
    Files.copy(from, to, StandardCopyOption.COPY_ATTRIBUTES);
  }

  /** So that nothing has to be unpacked at the start, where the folder for it may be read-only. */
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

  /** The names of the jars without version, in order. */
  public List<Path> jars() throws IOException {
    try (Stream<Path> all = Files.list(home.resolve("lib"))) {
      return all.sorted().toList();
    }
  }

  private void keepLicences() throws IOException {
    Path list = home.resolve("licences/third-party.tsv");
    List<String> names =
        jars().stream()
            .map(file -> file.getFileName().toString().replaceFirst("-\\d.*", ""))
            .toList();
    Files.write(
        list,
        Files.readAllLines(list).stream()
            .filter(line -> line.startsWith("#") || names.contains(line.split("\t")[0]))
            .toList());
  }

  /**
   * Gives every file the same time, and a mode that depends on nobody's umask. The cache of classes
   * remembers the times of jars, so this comes before it is made.
   */
  public void settle(FileTime time) throws IOException {
    settle(home, time);
  }

  /** As above, for any folder. */
  public static void settle(Path folder, FileTime time) throws IOException {
    for (Path each : files(folder).values()) {
      boolean runs = Files.isDirectory(each) || Files.isExecutable(each);
      Files.setPosixFilePermissions(
          each, PosixFilePermissions.fromString(runs ? "rwxr-xr-x" : "rw-r--r--"));
      Files.setLastModifiedTime(each, time);
    }
  }

  /** Everything in the folder but symbolic links, by path relative to it, in order. */
  public Map<String, Path> files() throws IOException {
    return files(home);
  }

  private static Map<String, Path> files(Path folder) throws IOException {
    Map<String, Path> files = new TreeMap<>();
    try (Stream<Path> all = Files.walk(folder)) {
      all.filter(each -> !Files.isSymbolicLink(each))
          .forEach(each -> files.put(folder.relativize(each).toString(), each));
    }
    return files;
  }

  /** The launcher of the folder. */
  public Path launcher() {
    return home.resolve("bin/fleetgauge");
  }

  /** The cache of classes, which may not be there. */
  public Path cache() {
    return home.resolve(process.cache());
  }
}
