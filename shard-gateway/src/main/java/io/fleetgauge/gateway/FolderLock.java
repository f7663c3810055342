package io.fleetgauge.gateway;

import io.fleetgauge.cluster.process.StartFailure;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

/** Sees to it that a folder has one gateway. The system frees it when the process dies. */
final class FolderLock implements AutoCloseable {
  private final FileChannel channel;

  private FolderLock(FileChannel channel) {
    this.channel = channel;
  }

  /**
   * @throws StartFailure if the folder cannot be written to or has a gateway already
   */
  static FolderLock take(Path folder) throws StartFailure {
    FileChannel channel = null;
    try {
      Files.createDirectories(folder);
      channel =
          FileChannel.open(
              folder.resolve("lock"), StandardOpenOption.CREATE, StandardOpenOption.WRITE);
      FileLock lock = channel.tryLock();
      if (lock != null) {
        return new FolderLock(channel);
      }
      channel.close();
      throw inUse(folder, null);
    } catch (OverlappingFileLockException e) {
      throw inUse(folder, e);
    } catch (IOException e) {
      throw new StartFailure(
          "the folder "
              + folder.toAbsolutePath()
              + " cannot be used: "
              + e
              + "; choose another with store.folder",
          e);
    }
  }

  private static StartFailure inUse(Path folder, Exception e) {
    return new StartFailure(
        "the folder "
            + folder.toAbsolutePath()
            + " is in use by another gateway; choose another with store.folder",
        e);
  }

  @Override
  public void close() throws IOException {
    channel.close();
  }
}
