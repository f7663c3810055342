package io.fleetgauge.probe.nvml;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import jnr.ffi.LibraryLoader;

/** The library of {@code src/test/c/nvml_stand_in.c}, built with the machine's C compiler. */
final class StandIn {
  /** The functions by which a test writes the script. */
  public interface Script {
    void stand_in_gpus(int count);

    void stand_in_set(int gpu, String reading, long value);

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

  /** Fills one GPU with readings that all differ. */
  void fill(int gpu) {
    script.stand_in_set(gpu, "gpu_percent", 87);
    script.stand_in_set(gpu, "memory_percent", 41);
    script.stand_in_set(gpu, "total_bytes", 81_559L << 20);
    script.stand_in_set(gpu, "reserved_bytes", 551L << 20);
    script.stand_in_set(gpu, "used_bytes", (1_000L << 20) + 5);
    script.stand_in_set(gpu, "milliwatts", 687_125);
    script.stand_in_set(gpu, "millijoules", 9_000_000_000_123L);
    script.stand_in_set(gpu, "celsius", 64);
    script.stand_in_set(gpu, "sm_megahertz", 1_980);
    script.stand_in_set(gpu, "memory_megahertz", 2_619);
  }
}
