package io.fleetgauge.sample.journal;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.MappedByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.ReadableByteChannel;
import java.nio.channels.WritableByteChannel;
import java.nio.file.Files;
import java.nio.file.OpenOption;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Map;
import java.util.TreeMap;

/**
 * A disk that keeps, when the power fails, only what was forced to it: of each file the bytes that
 * it had at the last force, and a new file only if its folder was forced after it was created. It
 * can be told to fail. The real files are below it. Safe for all threads.
 */
final class LosingDisk implements JournalFolder.Opener {
  private final Map<Path, Long> forcedBytes = new TreeMap<>();
  private final Map<Path, Boolean> named = new TreeMap<>();
  private boolean failing;
  private boolean holding;
  private int held;
  private long room = Long.MAX_VALUE;
  private int openFiles;

  /** Lets every force fail from now on, or succeed again. */
  synchronized void failToForce(boolean fails) {
    failing = fails;
  }

  /** Lets every force wait from now on, or go on. */
  synchronized void holdForces(boolean holds) {
    holding = holds;
    notifyAll();
  }

  /** How many forces wait now. */
  synchronized int heldForces() {
    return held;
  }

  /** Lets no file grow above a size from now on. */
  synchronized void leaveRoom(long bytes) {
    room = bytes;
  }

  /** How many files are open; folders do not count. */
  synchronized int openFiles() {
    return openFiles;
  }

  @Override
  public FileChannel open(Path path, OpenOption... options) throws IOException {
    FileChannel channel = FileChannel.open(path, options);
    boolean isFolder = Files.isDirectory(path);
    if (!isFolder) {
      synchronized (this) {
        openFiles++;
        named.putIfAbsent(path, false);
        // Opening for writing truncates, and the old content is no content of the new segment.
        forcedBytes.put(path, 0L);
      }
    }
    return new Observed(channel, path, isFolder);
  }

  private synchronized void forced(Path path, boolean isFolder, long size) throws IOException {
    held++;
    while (holding) {
      try {
        wait();
      } catch (InterruptedException e) {
        throw new IOException(e);
      }
    }
    held--;
    if (failing) {
      throw new IOException("Input/output error");
    }
    if (isFolder) {
      named.replaceAll((file, was) -> was || path.equals(file.getParent()));
    } else {
      forcedBytes.put(path, size);
    }
  }

  private synchronized void requireRoom(long size) throws IOException {
    if (size > room) {
      throw new IOException("No space left on device");
    }
  }

  private synchronized void closed() {
    openFiles--;
  }

  private synchronized void truncated(Path path, long size) {
    forcedBytes.computeIfPresent(path, (file, bytes) -> Math.min(bytes, size));
  }

  /** Writes into a folder what is left after the power failed now. */
  synchronized void powerFails(Path left) throws IOException {
    for (var file : forcedBytes.entrySet()) {
      if (named.get(file.getKey()) && Files.exists(file.getKey())) {
        byte[] bytes = Files.readAllBytes(file.getKey());
        int kept = (int) Math.min(bytes.length, file.getValue());
        Files.write(left.resolve(file.getKey().getFileName()), Arrays.copyOf(bytes, kept));
      }
    }
  }

  private final class Observed extends FileChannel {
    private final FileChannel real;
    private final Path path;
    private final boolean isFolder;

    Observed(FileChannel real, Path path, boolean isFolder) {
      this.real = real;
      this.path = path;
      this.isFolder = isFolder;
    }

    @Override
    public void force(boolean metaData) throws IOException {
      long size = isFolder ? 0 : real.size();
      forced(path, isFolder, size);
      real.force(metaData);
    }

    @Override
    public FileChannel truncate(long size) throws IOException {
      real.truncate(size);
      truncated(path, size);
      return this;
    }

    @Override
    public int write(ByteBuffer source) throws IOException {
      requireRoom(real.size() + source.remaining());
      return real.write(source);
    }

    @Override
    public long write(ByteBuffer[] sources, int offset, int length) throws IOException {
      return real.write(sources, offset, length);
    }

    @Override
    public int write(ByteBuffer source, long position) throws IOException {
      return real.write(source, position);
    }

    @Override
    public int read(ByteBuffer target) throws IOException {
      return real.read(target);
    }

    @Override
    public long read(ByteBuffer[] targets, int offset, int length) throws IOException {
      return real.read(targets, offset, length);
    }

    @Override
    public int read(ByteBuffer target, long position) throws IOException {
      return real.read(target, position);
    }

    @Override
    public long position() throws IOException {
      return real.position();
    }

    @Override
    public FileChannel position(long newPosition) throws IOException {
      real.position(newPosition);
      return this;
    }

    @Override
    public long size() throws IOException {
      return real.size();
    }

    @Override
    public long transferTo(long position, long count, WritableByteChannel target)
        throws IOException {
      return real.transferTo(position, count, target);
    }

    @Override
    public long transferFrom(ReadableByteChannel source, long position, long count)
        throws IOException {
      return real.transferFrom(source, position, count);
    }

    @Override
    public MappedByteBuffer map(MapMode mode, long position, long size) throws IOException {
      return real.map(mode, position, size);
    }

    @Override
    public FileLock lock(long position, long size, boolean shared) throws IOException {
      return real.lock(position, size, shared);
    }

    @Override
    public FileLock tryLock(long position, long size, boolean shared) throws IOException {
      return real.tryLock(position, size, shared);
    }

    @Override
    protected void implCloseChannel() throws IOException {
      if (!isFolder) {
        closed();
      }
      real.close();
    }
  }
}
