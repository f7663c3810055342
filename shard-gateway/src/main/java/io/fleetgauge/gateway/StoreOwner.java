package io.fleetgauge.gateway;

import io.fleetgauge.runtime.process.StartFailure;
import io.fleetgauge.sample.files.PrivateFiles;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.Optional;

/**
 * The gateway that a store belongs to. Its {@code id} stands in a file beside the samples: the
 * table of the cluster knows the samples by it, and waits for a gateway that comes back under
 * another one.
 */
final class StoreOwner {
  private static final String NAME = "id";

  private StoreOwner() {}

  /**
   * Makes a gateway the owner of a store that has none.
   *
   * @throws StartFailure if the store belongs to another gateway
   */
  static void claim(Path folder, String id) throws StartFailure {
    Path file = folder.resolve(NAME);
    try {
      Optional<String> other = other(folder, id);
      if (other.isPresent()) {
        throw new StartFailure(problem(folder, other.get(), id) + "; " + advice(other.get()));
      }
      if (of(folder).isEmpty()) {
        PrivateFiles.write(file, (id + "\n").getBytes(StandardCharsets.UTF_8));
      }
    } catch (IOException e) {
      throw new StartFailure("store.folder: " + file + " cannot be used: " + e, e);
    }
  }

  /** The id of another gateway that a store belongs to; empty if it has none but this one. */
  static Optional<String> other(Path folder, String id) throws IOException {
    return of(folder).filter(owner -> !owner.equals(id));
  }

  static String problem(Path folder, String other, String id) {
    return "store.folder: "
        + folder
        + " has the samples of the gateway "
        + other
        + ", and this one's id is "
        + id;
  }

  static String advice(String other) {
    return "set id: \"" + other + "\", or choose another folder to begin without samples";
  }

  /** Empty if no gateway has started with the store yet. */
  private static Optional<String> of(Path folder) throws IOException {
    try {
      String id = Files.readString(folder.resolve(NAME)).strip();
      return id.isEmpty() ? Optional.empty() : Optional.of(id);
    } catch (NoSuchFileException e) {
      return Optional.empty();
    }
  }
}
