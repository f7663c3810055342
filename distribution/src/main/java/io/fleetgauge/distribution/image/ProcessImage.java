package io.fleetgauge.distribution.image;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Makes the image of a process, its list of contents (SBOM), and the file with its digest.
 *
 * <p>Arguments of the program: the folder to work in, the folder for the images, the version,
 * {@code revision=} and that of the sources, the time that the images get, and the folders of the
 * processes, each named as its command.
 */
public final class ProcessImage {
  static final String HOME = "opt/fleetgauge";
  static final String DATA = "var/lib/fleetgauge";

  private static final int FIRST_FOLDER = 5;

  private ProcessImage() {}

  public static void main(String[] arguments) throws IOException, InterruptedException {
    Mirror mirror = Mirror.ofThisMachine(kept());
    for (int i = FIRST_FOLDER; i < arguments.length; i++) {
      Path folder = Path.of(arguments[i]);
      if (!Files.isDirectory(folder.resolve("runtime"))) {
        System.err.println(
            "The image of "
                + folder.getFileName()
                + " is not built: "
                + folder
                + " has no runtime.");
        continue;
      }
      Release release =
          new Release(
              arguments[2],
              arguments[3].replaceFirst("^revision=", ""),
              Instant.parse(arguments[4]));
      try {
        make(folder, release, mirror, Path.of(arguments[0]), Path.of(arguments[1]));
      } catch (Mirror.Missing e) {
        // Everything else is built without a network.
        System.err.println(
            "The image of " + folder.getFileName() + " is not built: " + e.getMessage());
      }
    }
  }

  /** Packages of Debian are fetched once for all working trees. */
  static Path kept() {
    String cache = System.getenv("XDG_CACHE_HOME");
    return (cache == null ? Path.of(System.getProperty("user.home"), ".cache") : Path.of(cache))
        .resolve("fleetgauge/debian");
  }

  /**
   * Of what an image is made.
   *
   * @param revision of the sources, empty if it is not known
   * @param time that the image says it was made at
   */
  record Release(String version, String revision, Instant time) {}

  /** Makes an image; answers its file. */
  static Path make(Path home, Release release, Mirror mirror, Path work, Path target)
      throws IOException, InterruptedException {
    ProcessKind kind = kind(home);
    LayeredFolder folder = new LayeredFolder(home);
    Path parts = Files.createDirectories(work.resolve(kind.command()));
    Files.createDirectories(target);
    String architecture = architecture();
    SystemFiles system = SystemFiles.of(folder, DebianPackage.listed(architecture), mirror);
    List<Entry> writable = new ArrayList<>(system.entries());
    writable.add(new Entry.Folder(DATA, 0750, Entry.NONROOT));
    // What changes seldom comes first: a new release brings a new last layer.
    List<Layer> layers =
        List.of(
            Layer.write("files of Debian", writable, parts.resolve("system.tar.gz")),
            Layer.write("Java runtime", folder.runtime(), parts.resolve("runtime.tar.gz")),
            Layer.write("libraries", folder.dependencies(), parts.resolve("libraries.tar.gz")),
            Layer.write(
                "Fleetgauge " + release.version(),
                folder.application(),
                parts.resolve("application.tar.gz")));
    ImageArchive image =
        new ImageArchive(
            kind.image(),
            release.version(),
            architecture,
            release.time(),
            kind.execution(folder, labels(kind, release)),
            layers);
    String name = kind.image() + "-" + release.version() + "-linux-" + architecture;
    Path file = target.resolve(name + ".image.tar");
    // Whoever looks sees a whole image or none.
    Path part = parts.resolve(file.getFileName());
    image.write(part);
    Files.move(part, file, StandardCopyOption.REPLACE_EXISTING);
    Files.writeString(target.resolve(name + ".image.digest"), image.digest() + "\n");
    Files.write(
        target.resolve(name + ".image.cdx.json"),
        Sbom.json(kind, folder, release, image.digest(), system.used())
            .getBytes(StandardCharsets.UTF_8));
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
