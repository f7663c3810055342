package io.fleetgauge.distribution.training;

import io.fleetgauge.distribution.process.Programs;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * A library that answers in place of the driver of GPUs.
 *
 * @param library the library; where there is no C compiler it does not exist, as on a node without
 *     GPUs
 * @param gpus what it answers, which its environment variable names
 */
record StandInDriver(Path library, Path gpus) {
  static final String VARIABLE = "NVML_STAND_IN";

  /** Two GPUs that answer calls of each kind. */
  private static final String GPUS =
      """
      gpus 2
      0 text.uuid GPU-1
      0 text.name NVIDIA H100
      0 gpu_percent 87
      0 total 85520809984
      0 used 1048576000
      0 reserved 577765376
      0 celsius 64
      0 power 687125
      0 energy 9000000000123
      0 reasons 68
      0 compute_processes 3
      0 field.82 71
      0 field.91 2
      0 field.165 1
      0 field.197 1234
      0 field.138.-1 100
      0 field.139.-1 200
      0 gpm 1
      0 gpm.2 55.5
      1 text.uuid GPU-2
      1 power 687125
      """;

  /**
   * @param source in C
   * @param folder to work in
   */
  static StandInDriver make(Path source, Path folder) throws IOException, InterruptedException {
    Path gpus = Files.writeString(folder.resolve("gpus"), GPUS);
    try {
      return new StandInDriver(compile(source, folder), gpus);
    } catch (IOException e) {
      System.err.println(
          "The cache of the probe lacks the classes that read GPUs, because there is no C compiler"
              + " for the stand-in of the driver: "
              + e.getMessage());
      return new StandInDriver(folder.resolve("none"), gpus);
    }
  }

  /** Compiles the source to a library in a folder. */
  static Path compile(Path source, Path folder) throws IOException, InterruptedException {
    Path library = folder.resolve("libnvml-stand-in.so");
    Programs.run(
        folder,
        System.getenv().getOrDefault("CC", "cc"),
        "-shared",
        "-fPIC",
        "-Wl,-Bsymbolic",
        "-o",
        library.toString(),
        source.toString(),
        "-lpthread",
        "-lm");
    return library;
  }
}
