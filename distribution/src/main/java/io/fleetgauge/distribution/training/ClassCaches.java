package io.fleetgauge.distribution.training;

import io.fleetgauge.distribution.process.ProcessFolder;
import io.fleetgauge.distribution.process.ShippedProcess;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.util.Comparator;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * The caches of classes of all processes. A cache is an input of the build like a jar from
 * elsewhere: no two training runs make the same bytes, so one that was made for the same runtime,
 * jars, flags and times of files is used again.
 */
public final class ClassCaches {
  /** Caches of one process that are kept; older ones are removed. */
  private static final int KEPT = 3;

  private final Path work;
  private final Path driverSource;
  private final Path kept;
  private final Optional<Path> given;

  /**
   * @param work folder to work in, for training runs
   * @param driverSource of the stand-in for the driver of GPUs, in C
   * @param kept folder with the caches of earlier builds
   * @param given an unpacked archive of all processes whose caches are used, whatever is kept
   */
  public ClassCaches(Path work, Path driverSource, Path kept, Optional<Path> given) {
    this.work = work;
    this.driverSource = driverSource;
    this.kept = kept;
    this.given = given;
  }

  /**
   * Puts a cache into every folder.
   *
   * @param folders that have everything else, with the times that they keep
   */
  public void make(Map<ShippedProcess, ProcessFolder> folders)
      throws IOException, InterruptedException, GeneralSecurityException {
    Files.createDirectories(kept);
    ProcessFolder probe = folders.get(ShippedProcess.PROBE);
    if (!restore(probe)) {
      ProbeTraining.run(probe, work.resolve("probe"), driverSource);
      keep(probe);
    }
    ProcessFolder gateway = folders.get(ShippedProcess.GATEWAY);
    ProcessFolder query = folders.get(ShippedProcess.QUERY);
    if (gateway == null || query == null) {
      return;
    }
    boolean isWhole = restore(gateway);
    isWhole &= restore(query);
    if (!isWhole) {
      for (ProcessFolder each : List.of(gateway, query)) {
        Files.deleteIfExists(each.cache()); // they are trained together
      }
      MemberTraining.run(probe, gateway, query, work.resolve("members"), driverSource);
      keep(gateway);
      keep(query);
    }
  }

  private boolean restore(ProcessFolder folder) throws IOException, GeneralSecurityException {
    if (given.isPresent()) {
      ShippedProcess process = folder.process();
      Files.copy(given.get().resolve(process.command()).resolve(process.cache()), folder.cache());
      return true;
    }
    Path of = keptCache(folder);
    if (!Files.exists(of)) {
      return false;
    }
    Files.copy(of, folder.cache());
    return true;
  }

  private void keep(ProcessFolder folder) throws IOException, GeneralSecurityException {
    Path to = keptCache(folder);
    Path part = to.resolveSibling(to.getFileName() + ".part");
    Files.copy(folder.cache(), part, StandardCopyOption.REPLACE_EXISTING);
    Files.move(part, to, StandardCopyOption.ATOMIC_MOVE);
    List<Path> all;
    String name = folder.process().command() + "-.*\\.aot";
    try (Stream<Path> found = Files.list(kept)) {
      all =
          found
              .filter(file -> file.getFileName().toString().matches(name))
              .sorted(Comparator.comparing((Path file) -> file.toFile().lastModified()).reversed())
              .toList();
    }
    for (Path old : all.subList(Math.min(KEPT, all.size()), all.size())) {
      Files.delete(old);
    }
  }

  private Path keptCache(ProcessFolder folder) throws IOException, GeneralSecurityException {
    return kept.resolve("%s-%s.aot".formatted(folder.process().command(), fingerprint(folder)));
  }

  /**
   * A hash of all that decides whether the JVM accepts a cache, and of what runs while it is made.
   */
  private static String fingerprint(ProcessFolder folder)
      throws IOException, GeneralSecurityException {
    MessageDigest digest = MessageDigest.getInstance("SHA-256");
    for (Map.Entry<String, Path> each : folder.files().entrySet()) {
      String name = each.getKey();
      if (name.matches("(bin|lib|jvm|native|runtime)/.*")
          && Files.isRegularFile(each.getValue())
          && !name.equals(folder.process().cache())) {
        long time = Files.getLastModifiedTime(each.getValue()).toMillis();
        digest.update((name + "\t" + time + "\t").getBytes(StandardCharsets.UTF_8));
        digest.update(
            MessageDigest.getInstance("SHA-256").digest(Files.readAllBytes(each.getValue())));
      }
    }
    return HexFormat.of().formatHex(digest.digest(), 0, 12);
  }
}
