package io.fleetgauge.runtime.process;

import io.fleetgauge.sample.files.PrivateFiles;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.FileSystemException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

/** Locks a folder for one process. The operating system releases the lock when the process dies. */
public final class FolderLock implements AutoCloseable {
  private static final String NAME = "lock";

  private final Path file;
  private final FileChannel channel;

  private FolderLock(Path file, FileChannel channel) {
    this.file = file;
    this.channel = channel;
  }

  /**
   * @param key the configuration key that names the folder
   * @throws StartFailure if the folder cannot be written to or another process has locked it
   */
  public static FolderLock take(Path folder, String key) throws StartFailure {
    FileChannel channel = null;
    try {
      PrivateFiles.claim(folder, NAME::equals);
      channel =
          PrivateFiles.open(
              folder.resolve(NAME), StandardOpenOption.CREATE, StandardOpenOption.WRITE);
      FileLock lock = channel.tryLock();
      if (lock != null) {
        return new FolderLock(folder.resolve(NAME), channel);
      }
      channel.close();
      throw inUse(folder, key, null);
    } catch (OverlappingFileLockException e) {
      throw inUse(folder, key, e);
    } catch (IOException e) {
      throw new StartFailure(
          "the folder "
              + folder.toAbsolutePath()
              + " cannot be used: "
              + (e instanceof FileSystemException ? e : e.getMessage())
              + "; choose another with "
              + key,
          e);
    }
  }

  private static StartFailure inUse(Path folder, String key, Exception e) {
    return new StartFailure(
        "the folder "
            + folder.toAbsolutePath()
            + " is in use by another process; choose another with "
            + key,
        e);
  }

  /** The file that is locked, and open as long as it is. */
  public Path file() {
    return file;
  }

  @Override
  public void close() throws IOException {
    channel.close();
  }
}
