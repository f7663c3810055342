package io.fleetgauge.operator.backup;

import java.io.IOException;
import java.util.SortedMap;

/** Where backups are stored: files with names, such as {@code backups/x.json}. Safe for threads. */
public interface Repository extends AutoCloseable {
  /**
   * A stored file.
   *
   * @param modified when it was written, ms since the epoch
   */
  record Stored(long size, long modified) {}

  /** The files whose names begin with a prefix that ends with a slash, by name. */
  SortedMap<String, Stored> list(String prefix) throws IOException;

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

  /** Where a file is, for messages. */
  String place(String name);

  @Override
  void close();
}
