package io.fleetgauge.distribution.packages;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.List;

/** Makes the packages. */
public final class Packages {
  private Packages() {}

  /**
   * Makes the packages of one process.
   *
   * @param processFolder a folder named {@code probe}, {@code gateway} or {@code query}: the
   *     process with its launcher, libraries and runtime, all of whose files have the given time
   * @param version version of the project, such as {@code 0.1.0}
   * @param time time of all files
   * @param built when the sources were written, SOURCE_DATE_EPOCH
   * @param output folder for the packages, made if it is missing
   * @return the .deb and the .rpm
   * @throws IOException if the folder is not that of a process, or a file cannot be read or written
   */
  public static List<Path> make(
      Path processFolder, String version, Instant time, Instant built, Path output)
      throws IOException {
    PackagedProcess process = PackagedProcess.named(processFolder.getFileName().toString());
    Contents contents = Contents.of(process, processFolder, new Release(version, time, built));
    Files.createDirectories(output);
    return List.of(DebianPackage.write(contents, output), RpmPackage.write(contents, output));
  }

  /**
   * Makes the packages of the processes that have a folder. Arguments: the folder of these folders,
   * the version, the time of all files and the time of the sources, both in ISO 8601, and the
   * folder for the packages.
   */
  public static void main(String[] arguments) throws IOException {
    Instant time = Instant.parse(arguments[2]);
    Instant built = Instant.parse(arguments[3]);
    for (PackagedProcess process : PackagedProcess.values()) {
      Path folder = Path.of(arguments[0]).resolve(process.folder());
      if (!Files.isDirectory(folder)) {
        continue; // this build makes no folder of the process
      }
      for (Path made : make(folder, arguments[1], time, built, Path.of(arguments[4]))) {
        System.out.println(made);
      }
    }
  }
}
