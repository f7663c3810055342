package io.fleetgauge.probe.attribution.slurm;

import io.fleetgauge.probe.config.SlurmSettings;
import java.io.File;
import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;

/** Runs {@code squeue --json}: without a shell, and never longer than its limit. */
final class Squeue implements AutoCloseable {
  /** Most bytes that are read. */
  static final long MAX_BYTES = 1L << 30;

  private static final int MAX_COMPLAINT = 2_000;

  private final SlurmSettings.Jobs settings;
  private final ScheduledExecutorService deadlines =
      Executors.newSingleThreadScheduledExecutor(
          Thread.ofPlatform().daemon().name("squeue-deadline").factory());

  Squeue(SlurmSettings.Jobs settings) {
    this.settings = settings;
  }

  /**
   * Asks for the jobs.
   *
   * @throws IOException if the program cannot be started, fails, takes too long, or prints
   *     something else
   */
  SqueueForm.Jobs ask() throws IOException {
    Process squeue =
        new ProcessBuilder(List.of(settings.command().toString(), "--json"))
            .redirectInput(new File("/dev/null"))
            .start();
    AtomicBoolean isLate = new AtomicBoolean();
    ScheduledFuture<?> deadline =
        deadlines.schedule(
            () -> {
              isLate.set(true);
              end(squeue);
            },
            settings.timeout().toMillis(),
            TimeUnit.MILLISECONDS);
    try (InputStream out = new Limited(squeue.getInputStream())) {
      SqueueForm.Jobs jobs;
      try {
        jobs = SqueueForm.read(out, settings.onlyGpus(), settings.limit());
      } catch (IOException e) {
        throw new IOException(
            why(squeue, isLate.get(), "its output cannot be read: " + e.getMessage()), e);
      }
      out.transferTo(OutputStream.nullOutputStream());
      if (squeue.waitFor() != 0) {
        throw new IOException(why(squeue, isLate.get(), "it ended with " + squeue.exitValue()));
      }
      return jobs;
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IOException("interrupted", e);
    } finally {
      deadline.cancel(false);
      end(squeue);
    }
  }

  private String why(Process squeue, boolean isLate, String otherwise) throws IOException {
    if (isLate) {
      return "it took longer than " + settings.timeout();
    }
    end(squeue); // else its complaints may not end
    String complaint =
        new String(squeue.getErrorStream().readNBytes(MAX_COMPLAINT), StandardCharsets.UTF_8);
    return complaint.isBlank() ? otherwise : otherwise + ": " + complaint.strip();
  }

  /** Ends it with all that it has started; by handles, which leave its streams open. */
  private static void end(Process squeue) {
    squeue.descendants().forEach(ProcessHandle::destroyForcibly);
    squeue.toHandle().destroyForcibly();
  }

  @Override
  public void close() {
    deadlines.shutdownNow();
  }

  /** Fails beyond the limit. */
  private static final class Limited extends FilterInputStream {
    private long left = MAX_BYTES;

    Limited(InputStream in) {
      super(in);
    }

    @Override
    public int read() throws IOException {
      byte[] one = new byte[1];
      return read(one, 0, 1) < 0 ? -1 : one[0] & 0xff;
    }

    @Override
    public int read(byte[] into, int at, int most) throws IOException {
      if (left <= 0) {
        throw new IOException("it prints more than " + MAX_BYTES + " bytes");
      }
      int count = super.read(into, at, (int) Math.min(most, left));
      left -= Math.max(count, 0);
      return count;
    }
  }
}
