package io.fleetgauge.distribution.image;

import com.google.cloud.tools.jib.api.Containerizer;
import com.google.cloud.tools.jib.api.Jib;
import com.google.cloud.tools.jib.api.JibContainer;
import com.google.cloud.tools.jib.api.JibContainerBuilder;
import com.google.cloud.tools.jib.api.TarImage;
import com.google.cloud.tools.jib.api.buildplan.Platform;
import io.fleetgauge.distribution.process.Programs;
import io.fleetgauge.sample.files.PrivateFiles;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;

/**
 * Makes the image of a process, its list of contents (SBOM), and the file with its ID.
 *
 * <p>Arguments of the program: the folder with {@code base} and {@code debian.tsv}, the folder to
 * work in, the folder for the images, the version, {@code revision=} and that of the sources, the
 * time that the images get, and the folder with the folders of the processes.
 */
public final class ProcessImage {
  private ProcessImage() {}

  public static void main(String[] arguments) throws Exception {
    Release release =
        new Release(
            arguments[3], arguments[4].replaceFirst("^revision=", ""), Instant.parse(arguments[5]));
    Path sources = Path.of(arguments[0]);
    Path work = Files.createDirectories(Path.of(arguments[1]));
    for (ProcessKind kind : ProcessKind.values()) {
      Path folder = Path.of(arguments[6]).resolve(kind.command());
      if (!Files.isDirectory(folder.resolve("runtime"))) {
        tellNotBuilt(folder, folder + " has no runtime.");
        continue;
      }
      Path base;
      try {
        base = base(folder, sources, work);
      } catch (IOException e) {
        // Everything else is built without a network.
        tellNotBuilt(folder, e.getMessage());
        continue;
      }
      make(folder, release, sources, base, work, Path.of(arguments[2]));
    }
  }

  private static void tellNotBuilt(Path folder, String reason) {
    System.err.printf("The image of %s is not built: %s%n", folder.getFileName(), reason);
  }

  private static Path base(Path home, Path sources, Path work)
      throws IOException, InterruptedException {
    Path base = work.toAbsolutePath().resolve("base.tar");
    Programs.run(
        work,
        sources.resolve("base").toString(),
        architecture(),
        new LayeredFolder(home).jar("runtime"),
        base.toString());
    return base;
  }

  /**
   * The sources of an image.
   *
   * @param revision of the sources, empty if it is not known
   * @param time that the image says it was made at
   */
  record Release(String version, String revision, Instant time) {}

  /** Makes an image; answers its file. */
  static Path make(Path home, Release release, Path sources, Path base, Path work, Path target)
      throws Exception {
    ProcessKind kind = kind(home);
    LayeredFolder folder = new LayeredFolder(home);
    String architecture = architecture();
    Path layers = work.resolve("layers");
    // Jib knows layers again by the times of files, which are the same in all builds.
    PrivateFiles.delete(layers);
    Files.createDirectories(target);
    String name = kind.image() + "-" + release.version() + "-linux-" + architecture;
    Path part = work.resolve(name + ".image.tar");
    JibContainerBuilder image =
        Jib.from(TarImage.at(base))
            .setPlatforms(Set.of(new Platform(architecture, "linux")))
            // Layers that change seldom come first: a new release brings a new last layer.
            .addFileEntriesLayer(folder.runtime())
            .addFileEntriesLayer(folder.dependencies())
            .addFileEntriesLayer(folder.application())
            .setLabels(labels(kind, release))
            .setCreationTime(release.time());
    kind.describe(image, folder);
    JibContainer made =
        image.containerize(
            Containerizer.to(TarImage.at(part).named(kind.image() + ":" + release.version()))
                .setBaseImageLayersCache(layers)
                .setApplicationLayersCache(layers)
                .setOfflineMode(true)
                .setToolName("fleetgauge")
                .setToolVersion(release.version()));
    // Readers see a whole image or none.
    Path file = target.resolve(part.getFileName());
    Files.move(part, file, StandardCopyOption.REPLACE_EXISTING);
    String id = made.getImageId().toString();
    Files.writeString(target.resolve(name + ".image.id"), id + "\n");
    Files.writeString(
        target.resolve(name + ".image.cdx.json"),
        Sbom.json(kind, home, release, id, BasePackage.listed(sources, architecture)));
    return file;
  }

  private static ProcessKind kind(Path home) {
    for (ProcessKind kind : ProcessKind.values()) {
      if (home.getFileName().toString().equals(kind.command())) {
        return kind;
      }
    }
    throw new IllegalArgumentException(
        home + " is not the folder of a process: its name is none of probe, gateway and query");
  }

  /** As images and Debian call it. */
  static String architecture() {
    String of = System.getProperty("os.arch");
    return of.equals("aarch64") ? "arm64" : of;
  }

  private static Map<String, String> labels(ProcessKind kind, Release release) {
    Map<String, String> labels = new LinkedHashMap<>();
    String prefix = "org.opencontainers.image.";
    labels.put(prefix + "title", kind.image());
    labels.put(prefix + "description", kind.description);
    labels.put(prefix + "version", release.version());
    labels.put(prefix + "created", release.time().toString());
    labels.put(prefix + "licenses", "Apache-2.0");
    labels.put(prefix + "vendor", "Fleetgauge");
    if (!release.revision().isEmpty()) {
      labels.put(prefix + "revision", release.revision());
    }
    return labels;
  }
}
