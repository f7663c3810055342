package io.fleetgauge.distribution.kubernetes;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.File;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/** A kustomization of the repository, built by Kustomize. */
final class Kustomization {
  private static final Path ROOT = Manifests.ROOT.resolve("kustomize");

  /** Results so far: the folders stay as they are while the tests run. */
  private static final Map<String, String> BUILT = new ConcurrentHashMap<>();

  private Kustomization() {}

  /** Builds a folder with Kustomize; the test is skipped where neither of its programs is. */
  static Manifests build(String folder) throws IOException, InterruptedException {
    String built = BUILT.get(folder);
    if (built == null) {
      built = text(folder);
      BUILT.put(folder, built);
    }
    return Manifests.of(built);
  }

  private static String text(String folder) throws IOException, InterruptedException {
    Optional<List<String>> program = program();
    assumeTrue(
        program.isPresent(),
        "neither kustomize nor kubectl is in the PATH or the peers' folder: the kustomizations are"
            + " not built");
    List<String> command = new ArrayList<>(program.get());
    command.add(ROOT.resolve(folder).toString());
    Path errors = Files.createTempFile("kustomize", ".txt");
    try {
      Process process = new ProcessBuilder(command).redirectError(errors.toFile()).start();
      String text = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
      if (!process.waitFor(120, TimeUnit.SECONDS) || process.exitValue() != 0) {
        throw new IllegalStateException(command + ": " + Files.readString(errors));
      }
      return text;
    } finally {
      Files.delete(errors);
    }
  }

  /** Every folder that can be built. */
  static List<String> folders() throws IOException {
    try (Stream<Path> overlays = Files.list(ROOT.resolve("overlays"))) {
      return Stream.concat(
              Stream.of("base"), overlays.map(each -> ROOT.relativize(each).toString()).sorted())
          .toList();
    }
  }

  private static Optional<List<String>> program() {
    return find("kustomize")
        .map(path -> List.of(path.toString(), "build"))
        .or(() -> find("kubectl").map(path -> List.of(path.toString(), "kustomize")));
  }

  /** A program in the folder of the peers, or in the PATH. */
  static Optional<Path> find(String name) {
    Stream<String> peers =
        Optional.ofNullable(System.getenv("FLEETGAUGE_PEERS")).stream().map(each -> each + "/bin");
    Stream<String> path =
        Stream.of(System.getenv().getOrDefault("PATH", "").split(File.pathSeparator));
    return Stream.concat(peers, path)
        .map(each -> Path.of(each, name))
        .filter(Files::isExecutable)
        .findFirst();
  }
}
