package io.fleetgauge.distribution.image;

import java.nio.file.Path;

/** What lies at one path of a layer. Paths have no slash at their beginning. */
sealed interface Entry {
  /** The user and group of what is writable, which no machine has another user for. */
  int NONROOT = 65532;

  int ROOT = 0;

  String path();

  /** A folder; its parents are made as they are needed. */
  record Folder(String path, int mode, int owner) implements Entry {}

  record Link(String path, String target) implements Entry {}

  /** Bytes that were made here or taken of a package. */
  record Bytes(String path, boolean executable, byte[] content) implements Entry {}

  /**
   * A file of the folder of a process. It keeps its time: the cache of classes fits only jars that
   * are as old as those that it was made with.
   */
  record Copy(String path, Path from) implements Entry {}
}
