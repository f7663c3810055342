package io.fleetgauge.sample.files;

import java.io.Closeable;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/**
 * Notices that a folder, or a file that stays open, was removed, replaced, unmounted, or covered by
 * another file system: its path then leads to another device or inode, or nowhere. What is written
 * to a file that was open before is lost, and no write fails. Safe for all threads.
 */
public final class FolderWatch implements Closeable {
  private final List<WatchedPath> all = new ArrayList<>();

  /**
   * @param key device and inode; null on file systems without them
   * @param held keeps the inode of a folder from being given to another one; null for a file
   */
  private record WatchedPath(Path path, Object key, FileChannel held) {}

  /** A folder or file is not the one that it was. */
  public static final class LostPathException extends IOException {
    private static final long serialVersionUID = 1L;

    private LostPathException(Path path, String how) {
      super(path + " " + how + " while the process ran: put it back, or restart the process");
    }

    @Override
    public String toString() {
      return getMessage();
    }
  }

  /**
   * Watches a folder, or a file that the process keeps open.
   *
   * @throws IOException if it is not there
   */
  public synchronized void add(Path path) throws IOException {
    BasicFileAttributes found = Files.readAttributes(path, BasicFileAttributes.class);
    FileChannel held =
        found.isDirectory() && found.fileKey() != null
            ? PrivateFiles.open(path, StandardOpenOption.READ)
            : null;
    all.add(new WatchedPath(path.toAbsolutePath(), found.fileKey(), held));
    // A folder is named before what was in it.
    all.sort(Comparator.comparingInt(each -> each.path.getNameCount()));
  }

  /**
   * Looks whether all are there.
   *
   * @throws Lost if one is not
   */
  public synchronized void require() throws LostPathException {
    for (WatchedPath each : all) {
      try {
        Object key = Files.readAttributes(each.path, BasicFileAttributes.class).fileKey();
        if (each.key != null && !each.key.equals(key)) {
          throw new LostPathException(each.path, "was replaced or covered by a mount");
        }
      } catch (NoSuchFileException e) {
        throw new LostPathException(each.path, "was removed");
      } catch (LostPathException e) {
        throw e;
      } catch (IOException e) {
        throw new LostPathException(each.path, "cannot be found any more (" + e + ")");
      }
    }
  }

  @Override
  public synchronized void close() throws IOException {
    for (WatchedPath each : all) {
      if (each.held != null) {
        each.held.close();
      }
    }
    all.clear();
  }
}
