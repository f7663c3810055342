package io.fleetgauge.probe.nvml;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import jnr.ffi.LibraryLoader;

/** The library of {@code src/test/c/nvml_stand_in.c}, built with the machine's C compiler. */
public final class StandIn {
  /** The functions by which a test writes the script. */
  public interface Script {
    void stand_in_gpus(int count);

    void stand_in_count(int count);

    void stand_in_set(int gpu, String key, double value);

    void stand_in_set_whole(int gpu, String key, long value);

    void stand_in_text(int gpu, String key, String value);

    void stand_in_remove(int gpu, String key);

    void stand_in_answer(int gpu, String call, int code);

    void stand_in_library_answer(String call, int code);

    void stand_in_hold(String call);

    void stand_in_damage(long seed);

    void stand_in_event(int gpu, long type, long data);

    void stand_in_load(String path);

    int stand_in_waiting();

    int stand_in_initialised();

    int stand_in_samples();

    long stand_in_calls();
  }

  public final Path library;
  private final Script script;

  public StandIn(Path folder, String... compilerFlags) throws IOException, InterruptedException {
    library = folder.resolve("libnvml-stand-in.so");
    String compiler = System.getenv().getOrDefault("CC", "cc");
    Path source = Path.of("src/test/c/nvml_stand_in.c").toAbsolutePath();
    List<String> command =
        new ArrayList<>(
            List.of(
                compiler,
                "-shared",
                "-fPIC",
                "-Wl,-Bsymbolic",
                "-O1",
                "-Wall",
                "-Wextra",
                "-Werror"));
    command.addAll(List.of(compilerFlags));
    command.addAll(List.of("-o", library.toString(), source.toString(), "-lpthread", "-lm"));
    Path log = folder.resolve("cc.log");
    Process compile =
        new ProcessBuilder(command).redirectErrorStream(true).redirectOutput(log.toFile()).start();
    assertThat(compile.waitFor()).as("%s: %s", compiler, Files.readString(log)).isZero();
    script = LibraryLoader.create(Script.class).failImmediately().load(library.toString());
    begin(0);
  }

  /** Begins a new script: so many GPUs, of which nothing is known. */
  public void begin(int gpus) {
    script.stand_in_hold("");
    script.stand_in_gpus(gpus);
  }

  /**
   * Waits until whoever reads it has left it: one that is slow to end does so on its own thread.
   */
  public void awaitEnd() {
    await().until(() -> initialised() == 0);
  }

  /** GPUs are bound to the driver or unbound from it; what is known of them stays. */
  public void count(int gpus) {
    script.stand_in_count(gpus);
  }

  public void set(int gpu, String key, double value) {
    if (value == Math.rint(value)) {
      script.stand_in_set_whole(gpu, key, (long) value);
    } else {
      script.stand_in_set(gpu, key, value);
    }
  }

  /** All 64 bits of a value. */
  public void setBits(int gpu, String key, long bits) {
    script.stand_in_set_whole(gpu, key, bits);
  }

  public void text(int gpu, String key, String value) {
    script.stand_in_text(gpu, "text." + key, value);
  }

  public void remove(int gpu, String key) {
    script.stand_in_remove(gpu, key);
  }

  /** Makes a call of a GPU answer a code; 0 lets it answer its value again. */
  public void answer(int gpu, String call, int code) {
    script.stand_in_answer(gpu, call, code);
  }

  public void answerOfLibrary(String call, int code) {
    script.stand_in_library_answer(call, code);
  }

  /** Makes the next call of this name block until {@link #letGo}. */
  public void hold(String call) {
    script.stand_in_hold(call);
  }

  public void letGo() {
    script.stand_in_hold("");
  }

  /** From now on about half of all answers are damaged. */
  public void damage(long seed) {
    script.stand_in_damage(seed);
  }

  public void event(int gpu, long type, long data) {
    script.stand_in_event(gpu, type, data);
  }

  public int waiting() {
    return script.stand_in_waiting();
  }

  public int initialised() {
    return script.stand_in_initialised();
  }

  public int samples() {
    return script.stand_in_samples();
  }

  public long calls() {
    return script.stand_in_calls();
  }
}
