package io.fleetgauge.distribution.image;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/**
 * A package of Debian, of which files are in the base of the images.
 *
 * @param sha256 of the package, as Debian's signed index has it
 * @param licence of the files that are taken
 */
record BasePackage(
    String name, String architecture, String version, String sha256, String licence) {

  /** All packages of the list for an architecture, as Debian calls it. */
  static List<BasePackage> listed(Path sources, String architecture) throws IOException {
    return Files.readAllLines(sources.resolve("debian.tsv")).stream()
        .filter(line -> !line.startsWith("#"))
        .map(line -> line.split("\t"))
        .map(column -> new BasePackage(column[0], column[1], column[2], column[4], column[5]))
        .filter(each -> each.architecture.equals(architecture))
        .toList();
  }
}
