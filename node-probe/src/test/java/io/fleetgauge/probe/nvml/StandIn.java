package io.fleetgauge.probe.nvml;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import jnr.ffi.LibraryLoader;

/** The library of {@code src/test/c/nvml_stand_in.c}, built with the machine's C compiler. */
final class StandIn {
  /** The functions by which a test writes the script. */
  public interface Script {
    void stand_in_gpus(int count);

    void stand_in_fill(int gpu);

    int stand_in_expected_count();

    String stand_in_expected_metric(int i);

    double stand_in_expected_value(int i);

    void stand_in_answer(int gpu, String call, int code);

    void stand_in_library_answer(String call, int code);

    void stand_in_hold(String call);

    int stand_in_waiting();

    int stand_in_initialised();
  }

  final Path library;
  final Script script;

  StandIn(Path folder, String... compilerFlags) throws IOException, InterruptedException {
    library = folder.resolve("libnvml-stand-in.so");
    String compiler = System.getenv().getOrDefault("CC", "cc");
    Path source = Path.of("src/test/c/nvml_stand_in.c").toAbsolutePath();
    List<String> command =
        new ArrayList<>(
            List.of(compiler, "-shared", "-fPIC", "-O1", "-Wall", "-Wextra", "-Werror"));
    command.addAll(List.of(compilerFlags));
    command.addAll(List.of("-o", library.toString(), source.toString(), "-lpthread"));
    Path log = folder.resolve("cc.log");
    Process compile =
        new ProcessBuilder(command).redirectErrorStream(true).redirectOutput(log.toFile()).start();
    assertThat(compile.waitFor()).as("%s: %s", compiler, Files.readString(log)).isZero();
    script = LibraryLoader.create(Script.class).failImmediately().load(library.toString());
    script.stand_in_gpus(0);
  }

  /** Gives one GPU readings that all differ. */
  void fill(int gpu) {
    script.stand_in_fill(gpu);
  }

  /** What has to be read of such a GPU, by metric. */
  Map<String, Double> expected() {
    Map<String, Double> expected = new TreeMap<>();
    for (int i = 0; i < script.stand_in_expected_count(); i++) {
      expected.put(script.stand_in_expected_metric(i), script.stand_in_expected_value(i));
    }
    return expected;
  }
}
