package io.fleetgauge.operator.backup;

import io.fleetgauge.sample.files.PrivateFiles;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NotDirectoryException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.UUID;
import java.util.stream.Stream;

/** Backups in a folder. */
public final class FolderRepository implements Repository {
  /** Before the name of a file that is being written. */
  static final String UNFINISHED = ".unfinished-";

  private final Path folder;

  public FolderRepository(Path folder) {
    this.folder = folder;
  }

  @Override
  public SortedMap<String, StoredFile> list(String prefix) throws IOException {
    SortedMap<String, StoredFile> found = new TreeMap<>();
    Path below = folder.resolve(prefix);
    if (!Files.exists(below)) {
      return found;
    }
    if (!Files.isDirectory(below)) {
      throw new NotDirectoryException(below.toString());
    }
    try (Stream<Path> files = Files.walk(below)) {
      for (Path file : (Iterable<Path>) files.filter(Files::isRegularFile)::iterator) {
        found.put(
            folder.relativize(file).toString().replace('\\', '/'),
            new StoredFile(Files.size(file), Files.getLastModifiedTime(file).toMillis()));
      }
    }
    return found;
  }

  @Override
  public byte[] get(String name) throws IOException {
    return Files.readAllBytes(folder.resolve(name));
  }

  @Override
  public void put(String name, byte[] bytes) throws IOException {
    Path file = folder.resolve(name);
    PrivateFiles.createFolders(file.getParent());
    Path unfinished = file.resolveSibling(UNFINISHED + UUID.randomUUID());
    try {
      PrivateFiles.writeAndForce(unfinished, bytes);
      Files.move(
          unfinished, file, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
    } catch (IOException e) {
      Files.deleteIfExists(unfinished);
      throw e;
    }
    PrivateFiles.forceNames(file.getParent(), PrivateFiles::open);
  }

  @Override
  public void delete(String name) throws IOException {
    Files.deleteIfExists(folder.resolve(name));
  }

  @Override
  public String place(String name) {
    return folder.resolve(name).toString();
  }

  @Override
  public void close() {}
}
