package io.fleetgauge.distribution.image;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/** Output of the build, and the stand-in for the driver of GPUs. */
public final class Packages {
  private static final Path ROOT = Path.of(System.getProperty("fleetgauge.root"));
  private static final Path TARGET = ROOT.resolve("distribution/target");

  private Packages() {}

  /** The image of a process: one or none. */
  public static List<Path> images(String process) throws IOException {
    Path folder = TARGET.resolve("packages");
    if (!Files.isDirectory(folder)) {
      return List.of();
    }
    try (Stream<Path> all = Files.list(folder)) {
      return all.filter(
              file ->
                  file.getFileName()
                      .toString()
                      .matches("fleetgauge-" + process + "-\\d.*\\.image\\.tar"))
          .toList();
    }
  }

  /** A file beside an image. */
  static Path beside(Path image, String ending) {
    return image.resolveSibling(image.getFileName().toString().replaceFirst("tar$", ending));
  }

  /** The folder that an image is made of. */
  static Path folder(String process) {
    return TARGET.resolve("processes").resolve(process);
  }

  /** The base of all images. */
  static Path base() {
    return TARGET.resolve("images/base.tar");
  }

  /** Compiles the stand-in for the driver's library into a folder. */
  static Path standIn(Path folder) throws IOException, InterruptedException {
    Path library = folder.resolve("libnvidia-ml.so.1");
    Process compiler =
        new ProcessBuilder(
                System.getenv().getOrDefault("CC", "cc"),
                "-shared",
                "-fPIC",
                "-Wl,-Bsymbolic",
                "-o",
                library.toString(),
                ROOT.resolve("node-probe/src/test/c/nvml_stand_in.c").toString(),
                "-lpthread",
                "-lm")
            .redirectErrorStream(true)
            .start();
    String output = new String(compiler.getInputStream().readAllBytes());
    if (compiler.waitFor() != 0) {
      throw new IOException(output);
    }
    return library;
  }

  /** Makes a driver of two GPUs in a folder. */
  public static void makeDriver(Path folder) throws IOException, InterruptedException {
    Files.writeString(
        folder.resolve("gpus"),
        "gpus 2\n0 text.uuid GPU-1\n0 celsius 64\n1 text.uuid GPU-2\n1 celsius 65\n");
    standIn(folder);
  }

  /** Options that tell a container which GPUs a driver has. */
  static List<String> gpus(Path folder) {
    return List.of("--env=NVML_STAND_IN=/gpus/gpus", "--volume=" + folder + ":/gpus:ro");
  }

  /** The options with which a container has a driver, as the container toolkit gives it. */
  public static List<String> driver(Path folder) {
    String machine = ProcessImage.architecture().equals("arm64") ? "aarch64" : "x86_64";
    List<String> options = new ArrayList<>(gpus(folder));
    options.add(
        "--volume=%s/libnvidia-ml.so.1:/usr/lib/%s-linux-gnu/libnvidia-ml.so.1:ro"
            .formatted(folder, machine));
    return options;
  }
}
