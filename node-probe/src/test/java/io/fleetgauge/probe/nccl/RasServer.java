package io.fleetgauge.probe.nccl;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.StandardSocketOptions;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * A stand-in for the RAS port of one or several jobs. It speaks the dialects of NCCL; several jobs
 * answer in turn, as the kernel may choose them.
 */
final class RasServer implements AutoCloseable {
  private static final int PAGE = 64 << 10;

  /** What becomes of a status. */
  interface Job {
    void status(OutputStream out) throws IOException;

    /** Tells whether it knows JSON. */
    default boolean hasJson() {
      return true;
    }

    /** What it tells when it is monitored; null for a job that does not know the command. */
    default String events() {
      return null;
    }
  }

  final InetSocketAddress address;
  final List<String> commands = new CopyOnWriteArrayList<>();
  final AtomicInteger connections = new AtomicInteger();
  private final ServerSocket listener;
  private final List<Job> jobs;
  private final List<Socket> open = new CopyOnWriteArrayList<>();

  RasServer(Job... jobs) throws IOException {
    this(0, jobs);
  }

  /**
   * @param port that others may have too
   */
  RasServer(int port, Job... jobs) throws IOException {
    this.jobs = Arrays.asList(jobs);
    listener = new ServerSocket();
    listener.setOption(StandardSocketOptions.SO_REUSEPORT, true);
    listener.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), port));
    address = (InetSocketAddress) listener.getLocalSocketAddress();
    Thread.ofPlatform().daemon().name("stand-in-ras").start(this::accept);
  }

  static Job json(String status) {
    return out -> out.write(status.getBytes(StandardCharsets.UTF_8));
  }

  static Job text(String status) {
    return new Job() {
      @Override
      public void status(OutputStream out) throws IOException {
        out.write(status.getBytes(StandardCharsets.UTF_8));
      }

      @Override
      public boolean hasJson() {
        return false;
      }
    };
  }

  /** A job of NCCL 2.30, which tells of events. */
  static Job monitored(String status, String events) {
    return new Job() {
      @Override
      public void status(OutputStream out) throws IOException {
        out.write(status.getBytes(StandardCharsets.UTF_8));
      }

      @Override
      public String events() {
        return events;
      }
    };
  }

  /** A process that has stopped: the kernel accepts connections, and nobody answers. */
  static Job stopped() {
    return null;
  }

  /** A job that sends a gigabyte, in whole communicators. */
  static Job gigabyte(String begin, String again) {
    return out -> {
      out.write(begin.getBytes(StandardCharsets.UTF_8));
      byte[] page =
          again.repeat(Math.max(1, PAGE / again.length())).getBytes(StandardCharsets.UTF_8);
      for (long sent = 0; sent < 1L << 30; sent += page.length) {
        out.write(page);
      }
    };
  }

  private void accept() {
    while (!listener.isClosed()) {
      try {
        Socket socket = listener.accept();
        open.add(socket);
        int number = connections.getAndIncrement();
        Thread.ofPlatform()
            .daemon()
            .start(() -> serve(socket, jobs.isEmpty() ? null : jobs.get(number % jobs.size())));
      } catch (IOException e) {
        return;
      }
    }
  }

  /**
   * @param job null for one that never answers
   */
  private void serve(Socket socket, Job job) {
    try (socket) {
      BufferedReader in =
          new BufferedReader(
              new InputStreamReader(socket.getInputStream(), StandardCharsets.US_ASCII));
      OutputStream out = socket.getOutputStream();
      for (String line = in.readLine(); line != null; line = in.readLine()) {
        commands.add(line);
        String command = line.toLowerCase(Locale.ROOT);
        if (job == null) {
          continue;
        }
        if (command.startsWith("client protocol ")) {
          say(out, "SERVER PROTOCOL 2");
        } else if (command.startsWith("timeout ")) {
          say(out, "OK");
        } else if (command.equals("set format json") && job.hasJson()) {
          say(out, "OK");
        } else if (command.equals("status") || command.equals("verbose status")) {
          job.status(out);
          return;
        } else if (command.startsWith("monitor") && job.events() != null) {
          say(out, "OK");
          out.write(job.events().getBytes(StandardCharsets.UTF_8));
        } else {
          say(out, "ERROR: Unknown command " + line);
        }
      }
    } catch (IOException e) {
      // The client has gone.
    }
  }

  private static void say(OutputStream out, String line) throws IOException {
    out.write((line + "\n").getBytes(StandardCharsets.US_ASCII));
  }

  @Override
  public void close() throws IOException {
    listener.close();
    for (Socket socket : open) {
      socket.close();
    }
  }
}
