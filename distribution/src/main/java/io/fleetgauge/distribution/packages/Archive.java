package io.fleetgauge.distribution.packages;

import io.fleetgauge.distribution.process.Programs;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.FileTime;
import java.util.ArrayList;
import java.util.List;

/**
 * A compressed archive whose bytes depend on names, modes and contents of its files only.
 *
 * @param folder where archives are written
 * @param time of every file
 */
record Archive(Path folder, FileTime time) {
  /**
   * Packs a folder. Files that are hard links of each other are packed once.
   *
   * @param name of the archive without its ending, and of the folder that it unpacks to
   * @param from the folder
   */
  Path pack(String name, Path from) throws IOException, InterruptedException {
    Path tar = folder.resolve(name + ".tar");
    String own = from.getFileName().toString();
    Programs.run(
        folder,
        "tar",
        "--sort=name",
        "--format=gnu",
        "--owner=0",
        "--group=0",
        "--numeric-owner",
        "--mode=go=rX,u+w",
        "--mtime=" + time,
        // Symbolic links stay as they are.
        "--transform=s,^%s,%s,S".formatted(own, name),
        "-C",
        from.getParent().toString(),
        "-cf",
        tar.toString(),
        own);
    Programs.run(folder, "gzip", "-nf", tar.toString());
    Path file = folder.resolve(name + ".tar.gz");
    Files.setLastModifiedTime(file, time);
    return file;
  }

  /** Writes the file with which {@code sha256sum --check} checks files of the folder. */
  void sums(List<Path> files) throws IOException, InterruptedException {
    List<String> command = new ArrayList<>(List.of("sha256sum"));
    files.forEach(file -> command.add(folder.relativize(file).toString()));
    Path sums =
        Files.writeString(
            folder.resolve("SHA256SUMS.part"),
            Programs.run(folder, command.toArray(String[]::new)));
    Files.move(sums, folder.resolve("SHA256SUMS"), StandardCopyOption.REPLACE_EXISTING);
  }
}
