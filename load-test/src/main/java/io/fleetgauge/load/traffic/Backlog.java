package io.fleetgauge.load.traffic;

import io.fleetgauge.load.traffic.Bodies.Body;
import io.fleetgauge.sample.Tick;
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
public record Backlog(Path folder, int senders, long samples, long bytes) {
  private static final int BUFFER = 1 << 20;

  /** Makes bodies of the next ticks of a fleet. */
  public static Backlog make(
      Path folder, GpuFleet fleet, List<Bodies> bodies, long firstTime, int ticks)
      throws IOException {
    Files.createDirectories(folder);
    long[] sums = new long[2];
    List<DataOutputStream> files = new ArrayList<>();
    try {
      for (int sender = 0; sender < bodies.size(); sender++) {
        files.add(
            new DataOutputStream(
                new BufferedOutputStream(Files.newOutputStream(file(folder, sender)), BUFFER)));
      }
      for (int i = 0; i < ticks; i++) {
        long time = firstTime + i * GpuHost.TICK;
        for (int host = 0; host < fleet.size(); host++) {
          Tick tick = fleet.next(host, time);
          int sender = host % bodies.size();
          bodies.get(sender).add(host, tick, body -> write(files.get(sender), time, body, sums));
        }
      }
      long last = firstTime + (ticks - 1) * GpuHost.TICK;
      for (int sender = 0; sender < bodies.size(); sender++) {
        DataOutputStream file = files.get(sender);
        bodies.get(sender).flush(body -> write(file, last, body, sums));
      }
    } finally {
      for (DataOutputStream file : files) {
        file.close();
      }
    }
    return new Backlog(folder, bodies.size(), sums[0], sums[1]);
  }

  private static void write(DataOutputStream file, long time, Body body, long[] sums) {
    try {
      file.writeLong(time);
      file.writeInt(body.host());
      file.writeLong(body.samples());
      file.writeInt(body.bytes().length);
      file.write(body.bytes());
      sums[0] += body.samples();
      sums[1] += body.bytes().length;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static Path file(Path folder, int sender) {
    return folder.resolve("sender-" + sender);
  }

  /** What one sender sends. */
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
