package io.fleetgauge.sample.journal;

import io.fleetgauge.sample.files.PrivateFiles;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.MappedByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.ReadableByteChannel;
import java.nio.channels.WritableByteChannel;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.OpenOption;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Predicate;
import java.util.stream.Stream;

/**
 * A disk that keeps, when the power fails, only what was forced to it: of each file the bytes that
 * it had at the last force, whatever it was called then; and the name of a file or folder only if
 * the folder that it is in was forced after it got the name. It can be told to fail. The real files
 * are below it. Safe for all threads.
 */
public final class LosingDisk implements PrivateFiles.Opener {
  /** By file, whatever its name is. */
  private final Map<Object, byte[]> forcedBytes = new HashMap<>();

  /** What the names stood for when their folder was forced. */
  private final Map<Path, Object> forcedNames = new TreeMap<>();

  private Predicate<Path> failing = path -> false;
  private boolean holding;
  private int held;
  private long room = Long.MAX_VALUE;
  private int openFiles;

  /** Lets every force fail from now on, or succeed again. */
  synchronized void failToForce(boolean fails) {
    failing = path -> fails;
  }

  /** Lets the forces of these files and folders fail from now on, and others succeed. */
  public synchronized void failToForce(Predicate<Path> fails) {
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
  public synchronized int openFiles() {
    return openFiles;
  }

  @Override
  public FileChannel open(Path path, OpenOption... options) throws IOException {
    FileChannel channel = FileChannel.open(path, options);
    boolean isFolder = Files.isDirectory(path);
    if (!isFolder) {
      synchronized (this) {
        openFiles++;
        // Opening for writing truncates, and the old content is no content of the new file.
        forcedBytes.remove(identity(path));
      }
    }
    return new Observed(channel, path, isFolder);
  }

  private static Object identity(Path path) throws IOException {
    return Files.readAttributes(path, BasicFileAttributes.class).fileKey();
  }

  private synchronized void forced(Path path, boolean isFolder) throws IOException {
    held++;
    while (holding) {
      try {
        wait();
      } catch (InterruptedException e) {
        throw new IOException(e);
      }
    }
    held--;
    if (failing.test(path)) {
      throw new IOException("Input/output error");
    }
    if (isFolder) {
      try (Stream<Path> files = Files.list(path)) {
        for (Path file : (Iterable<Path>) files::iterator) {
          try {
            forcedNames.put(file, identity(file));
          } catch (NoSuchFileException e) {
            continue; // one of another process, in the folder of all temporary files
          }
        }
      }
    } else {
      forcedBytes.put(identity(path), Files.readAllBytes(path));
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

  private synchronized void truncated(Path path, long size) throws IOException {
    forcedBytes.computeIfPresent(
        identity(path), (file, bytes) -> Arrays.copyOf(bytes, (int) Math.min(bytes.length, size)));
  }

  /** Writes into a folder what another one has when the power has failed now. */
  public synchronized void powerFails(Path folder, Path left) throws IOException {
    Files.createDirectories(left);
    for (var name : forcedNames.entrySet()) {
      Path file = name.getKey();
      if (file.getParent().equals(folder)
          && Files.exists(file)
          && identity(file).equals(name.getValue())) {
        Path copy = left.resolve(file.getFileName());
        if (Files.isDirectory(file)) {
          powerFails(file, copy);
        } else {
          Files.write(copy, forcedBytes.getOrDefault(name.getValue(), new byte[0]));
        }
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
      forced(path, isFolder);
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
