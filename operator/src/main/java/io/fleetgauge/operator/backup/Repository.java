package io.fleetgauge.operator.backup;

import java.io.IOException;
import java.util.SortedMap;

/** A store of backups: files with names, such as {@code backups/x.json}. Safe for all threads. */
public interface Repository extends AutoCloseable {
  /**
   * A stored file.
   *
   * @param modified when it was written, ms since the epoch
   */
  record StoredFile(long size, long modified) {}

  /** The files whose names begin with a prefix that ends with a slash, by name. */
  SortedMap<String, StoredFile> list(String prefix) throws IOException;

  /**
   * The bytes of a file.
   *
   * @throws java.nio.file.NoSuchFileException if it is not there
   */
  byte[] get(String name) throws IOException;

  /** Writes a file: it is whole afterwards, or absent. */
  void put(String name, byte[] bytes) throws IOException;

  /** Removes a file, if it is there. */
  void delete(String name) throws IOException;

  /** The place of a file, for messages. */
  String place(String name);

  @Override
  void close();
}
