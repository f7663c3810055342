package io.fleetgauge.distribution.packages;

import java.io.IOException;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Where jars come from, known by where they are in the local repository of Maven.
 *
 * @param group of Maven
 * @param artifact of Maven
 * @param classifier empty where there is none
 */
record Coordinates(String group, String artifact, String version, String classifier) {
  private static final String OURS = "io.fleetgauge";

  /**
   * The coordinates of all jars, by the names of their files.
   *
   * @param repository the local repository
   * @param classPath jars of the repository, and of modules that are built with this one
   */
  static Map<String, Coordinates> of(Path repository, List<Path> classPath) {
    Map<String, Coordinates> all = new HashMap<>();
    for (Path jar : classPath) {
      String file = jar.getFileName().toString();
      if (!file.endsWith(".jar")) {
        continue;
      }
      if (jar.startsWith(repository)) {
        Path version = jar.getParent();
        Path artifact = version.getParent();
        String group = repository.relativize(artifact.getParent()).toString().replace('/', '.');
        String name = artifact.getFileName() + "-" + version.getFileName();
        String rest = file.substring(name.length(), file.length() - ".jar".length());
        all.put(
            file,
            new Coordinates(
                group,
                artifact.getFileName().toString(),
                version.getFileName().toString(),
                rest.isEmpty() ? "" : rest.substring(1)));
      }
    }
    return all;
  }

  /** A jar of ours, or of a library. */
  static Coordinates of(String file, Map<String, Coordinates> known, String ourVersion)
      throws IOException {
    Coordinates found = known.get(file);
    if (found != null) {
      return found;
    }
    String end = "-" + ourVersion + ".jar";
    if (!file.endsWith(end)) {
      throw new IOException("nothing is known of where " + file + " comes from");
    }
    return new Coordinates(OURS, file.substring(0, file.length() - end.length()), ourVersion, "");
  }

  /** As scanners for vulnerabilities name it. */
  String purl() {
    String end = classifier.isEmpty() ? "?type=jar" : "?classifier=" + classifier + "&type=jar";
    return "pkg:maven/%s/%s@%s%s".formatted(group, artifact, version, end);
  }

  boolean isOurs() {
    return group.equals(OURS);
  }
}
