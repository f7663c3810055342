package io.fleetgauge.load.traffic;

import io.fleetgauge.load.traffic.Bodies.Body;
import java.io.BufferedInputStream;
import java.io.BufferedOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * The request bodies of a backlog, made before it is sent and kept in files, one for each sender: a
 * sender has the series of its hosts. All systems get the same bytes, and making them takes nothing
 * from the machine while they are sent.
 *
 * @param senders how many
 * @param samples in all bodies, without staleness markers
 */
public record Backlog(Path folder, int senders, long samples) {
  private static final int BUFFER = 1 << 20;

  /** Writes bodies into the files. Not for several threads. */
  static final class Writer implements AutoCloseable {
    private final Path folder;
    private final List<DataOutputStream> files = new ArrayList<>();

    Writer(Path folder, int senders) throws IOException {
      this.folder = Files.createDirectories(folder);
      for (int sender = 0; sender < senders; sender++) {
        files.add(
            new DataOutputStream(
                new BufferedOutputStream(Files.newOutputStream(file(folder, sender)), BUFFER)));
      }
    }

    /**
     * @param time of the newest sample, ms since the epoch
     */
    void add(int sender, long time, Body body) {
      DataOutputStream file = files.get(sender);
      try {
        file.writeLong(time);
        file.writeInt(body.host());
        file.writeLong(body.samples());
        file.writeInt(body.bytes().length);
        file.write(body.bytes());
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }

    Backlog backlog(long samples) {
      return new Backlog(folder, files.size(), samples);
    }

    @Override
    public void close() throws IOException {
      for (DataOutputStream file : files) {
        file.close();
      }
    }
  }

  private static Path file(Path folder, int sender) {
    return folder.resolve("sender-" + sender);
  }

  /** The bodies of one sender. */
  public Reader read(int sender) throws IOException {
    return new Reader(
        new DataInputStream(
            new BufferedInputStream(Files.newInputStream(file(folder, sender)), BUFFER)));
  }

  /** Reads bodies one after the other. Not for several threads. */
  public static final class Reader implements AutoCloseable {
    private final DataInputStream in;
    private long time;

    private Reader(DataInputStream in) {
      this.in = in;
    }

    /** The next body; null at the end. */
    public Body next() throws IOException {
      try {
        time = in.readLong();
      } catch (EOFException e) {
        return null;
      }
      int host = in.readInt();
      long samples = in.readLong();
      return new Body(host, samples, in.readNBytes(in.readInt()));
    }

    /** The time of the newest sample of the body that was read last, ms since the epoch. */
    public long time() {
      return time;
    }

    @Override
    public void close() throws IOException {
      in.close();
    }
  }
}
