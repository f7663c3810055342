package io.fleetgauge.load.traffic;

import io.fleetgauge.load.fleet.RemoteWriteBody;
import io.fleetgauge.sample.Labels;
import io.fleetgauge.sample.Staleness;
import io.fleetgauge.sample.Tick;
import io.fleetgauge.sample.frame.FrameEncoder;
import java.io.ByteArrayOutputStream;
import java.util.HashMap;
import java.util.Map;
import java.util.function.Consumer;

/** Makes request bodies of ticks, as one sender does. Not for several threads. */
public interface Bodies {
  /**
   * A request's body.
   *
   * @param host whose samples it has; {@link #MANY} when they are of several
   * @param samples without staleness markers
   */
  record Body(int host, long samples, byte[] bytes) {}

  int MANY = -1;

  /** Adds a tick of a host; ticks of a host come in the order of their times. */
  void add(int host, Tick tick, Consumer<Body> out);

  /** Completes what has been begun. */
  void flush(Consumer<Body> out);

  private static long samples(Tick tick) {
    long samples = 0;
    for (double value : tick.values()) {
      samples += Staleness.isMarker(value) ? 0 : 1;
    }
    return samples;
  }

  /** Remote write 1, the samples of several hosts in one body. */
  final class Writes implements Bodies {
    private final int largest;
    private RemoteWriteBody body = RemoteWriteBody.v1();
    private int size;
    private long samples;

    /**
     * @param largest samples of a body
     */
    public Writes(int largest) {
      this.largest = largest;
    }

    @Override
    public void add(int host, Tick tick, Consumer<Body> out) {
      for (int i = 0; i < tick.size(); i++) {
        Labels labels = tick.series().get(i);
        body.series(labels, tick.time(), tick.values()[i]);
        samples += Staleness.isMarker(tick.values()[i]) ? 0 : 1;
        if (++size == largest) {
          flush(out);
        }
      }
    }

    @Override
    public void flush(Consumer<Body> out) {
      if (size > 0) {
        out.accept(new Body(MANY, samples, body.compressed()));
        body = RemoteWriteBody.v1();
        size = 0;
        samples = 0;
      }
    }
  }

  /** Frames of the intake protocol, several ticks of one host in one body. */
  final class Frames implements Bodies {
    private final int ticks;
    private final Map<Integer, Batch> batches = new HashMap<>();

    private static final class Batch {
      final FrameEncoder encoder;
      final ByteArrayOutputStream bytes = new ByteArrayOutputStream();
      int ticks;
      long samples;

      Batch(int host) {
        encoder = new FrameEncoder(GpuFleet.name(host), 1 + host);
      }
    }

    /**
     * @param ticks of a body
     */
    public Frames(int ticks) {
      this.ticks = ticks;
    }

    @Override
    public void add(int host, Tick tick, Consumer<Body> out) {
      Batch batch = batches.computeIfAbsent(host, Batch::new);
      batch.bytes.writeBytes(batch.encoder.encode(tick));
      batch.samples += samples(tick);
      if (++batch.ticks == ticks) {
        flush(host, batch, out);
      }
    }

    private static void flush(int host, Batch batch, Consumer<Body> out) {
      if (batch.ticks > 0) {
        out.accept(new Body(host, batch.samples, batch.bytes.toByteArray()));
        batch.bytes.reset();
        batch.ticks = 0;
        batch.samples = 0;
      }
    }

    @Override
    public void flush(Consumer<Body> out) {
      batches.forEach((host, batch) -> flush(host, batch, out));
    }
  }
}
