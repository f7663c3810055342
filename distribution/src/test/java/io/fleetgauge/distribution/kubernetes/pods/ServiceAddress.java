package io.fleetgauge.distribution.kubernetes.pods;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ThreadLocalRandom;
import java.util.function.Supplier;

/**
 * The address of a Service: hands each connection to a Pod that is ready when it comes. A
 * connection stays with its Pod.
 */
final class ServiceAddress implements AutoCloseable {
  private final ServerSocket listener;
  private final Supplier<List<InetSocketAddress>> ready;
  private final Set<Socket> open = ConcurrentHashMap.newKeySet();

  ServiceAddress(String address, int port, Supplier<List<InetSocketAddress>> ready)
      throws IOException {
    listener = new ServerSocket(port, 128, InetAddress.getByName(address));
    this.ready = ready;
    Thread.ofVirtual().start(this::accept);
  }

  private void accept() {
    while (!listener.isClosed()) {
      try {
        Socket client = listener.accept();
        open.add(client);
        Thread.ofVirtual().start(() -> connect(client));
      } catch (IOException e) {
        // closed, or a client that went away
      }
    }
  }

  private void connect(Socket client) {
    List<InetSocketAddress> pods = ready.get();
    Socket pod = new Socket();
    open.add(pod);
    try {
      if (pods.isEmpty()) {
        throw new IOException("no Pod is ready");
      }
      pod.connect(pods.get(ThreadLocalRandom.current().nextInt(pods.size())), 5_000);
      Thread answers = Thread.ofVirtual().start(() -> copy(pod, client));
      copy(client, pod);
      answers.join();
    } catch (IOException e) {
      // The client sees that the connection ends.
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } finally {
      end(client);
      end(pod);
    }
  }

  private void copy(Socket from, Socket to) {
    try {
      InputStream in = from.getInputStream();
      OutputStream out = to.getOutputStream();
      in.transferTo(out);
      to.shutdownOutput();
    } catch (IOException e) {
      end(from);
      end(to);
    }
  }

  private void end(Socket socket) {
    open.remove(socket);
    try {
      socket.close();
    } catch (IOException e) {
      // It is closed.
    }
  }

  @Override
  public void close() throws IOException {
    listener.close();
    open.forEach(this::end);
  }
}
