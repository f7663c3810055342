package io.fleetgauge.distribution.image;

import com.google.cloud.tools.jib.api.buildplan.AbsoluteUnixPath;
import com.google.cloud.tools.jib.api.buildplan.FileEntriesLayer;
import com.google.cloud.tools.jib.api.buildplan.FilePermissions;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Predicate;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * The folder of a process, by the layers that its files go into: {@code runtime/}, {@code lib/},
 * {@code native/}, {@code jvm/}, {@code etc/}, {@code rules/}, {@code docs/} and a cache of
 * classes.
 */
final class LayeredFolder {
  /**
   * Libraries of the desktop, of which a process has the classes of its beans; they need a display.
   */
  private static final Pattern NEVER_LOADED =
      Pattern.compile(
          "runtime/lib/lib(awt.*|fontmanager|freetype|javajpeg|jawt|jsound|lcms|mlib_image"
              + "|splashscreen)\\.so");

  final Path home;
  private final List<String> files = new ArrayList<>();
  private final Set<String> libraries = new HashSet<>();

  LayeredFolder(Path home) throws IOException {
    this.home = home;
    try (Stream<Path> all = Files.walk(home)) {
      all.filter(Files::isRegularFile)
          .map(file -> home.relativize(file).toString())
          .filter(file -> !NEVER_LOADED.matcher(file).matches())
          .sorted()
          .forEach(files::add);
    }
    for (String line : Files.readAllLines(home.resolve("licences/third-party.tsv"))) {
      if (!line.startsWith("#")) {
        libraries.add(line.split("\t")[0]);
      }
    }
  }

  boolean hasNative() {
    return files.stream().anyMatch(file -> file.startsWith("native/"));
  }

  boolean has(String file) {
    return files.contains(file);
  }

  /** The path of the cache of classes, empty if there is none. */
  String cache() {
    return files.stream().filter(file -> file.endsWith(".aot")).findFirst().orElse("");
  }

  /** The file of a jar in {@code lib/}, by its name without version. */
  String jar(String artifact) {
    return files.stream()
        .filter(file -> file.matches("lib/" + artifact + "-\\d[^/]*\\.jar"))
        .map(file -> file.substring("lib/".length()))
        .findFirst()
        .orElseThrow(
            () -> new IllegalStateException(home + " has no " + artifact + "-VERSION.jar in lib/"));
  }

  private boolean isLibrary(String file) {
    return file.startsWith("lib/")
        && libraries.contains(file.substring("lib/".length()).replaceFirst("-\\d.*", ""));
  }

  /** The JVM and what comes with it. */
  FileEntriesLayer runtime() throws IOException {
    return layer("Java runtime", file -> file.startsWith("runtime/") && !file.endsWith(".aot"));
  }

  /** Files that change when a library gets another version. */
  FileEntriesLayer dependencies() throws IOException {
    return layer(
        "libraries",
        file -> isLibrary(file) || file.startsWith("native/") || file.startsWith("licences/"));
  }

  /**
   * Files that every release changes: our jars, flags, examples, rules, and the cache of classes.
   */
  FileEntriesLayer application() throws IOException {
    return layer(
        "Fleetgauge",
        file ->
            file.startsWith("lib/") && !isLibrary(file)
                || file.startsWith("jvm/")
                || file.startsWith("etc/")
                || file.startsWith("rules/")
                || file.startsWith("docs/")
                || file.endsWith(".aot")
                || file.equals("LICENSE"));
  }

  private FileEntriesLayer layer(String name, Predicate<String> wanted) throws IOException {
    FileEntriesLayer.Builder layer = FileEntriesLayer.builder().setName(name);
    for (String file : files) {
      if (wanted.test(file)) {
        Path from = home.resolve(file);
        layer.addEntry(
            from,
            AbsoluteUnixPath.get(ProcessKind.HOME).resolve(file),
            FilePermissions.fromOctalString(Files.isExecutable(from) ? "755" : "644"),
            // The cache of classes fits only jars that are as old as those it was made with.
            Files.getLastModifiedTime(from).toInstant());
      }
    }
    return layer.build();
  }
}
