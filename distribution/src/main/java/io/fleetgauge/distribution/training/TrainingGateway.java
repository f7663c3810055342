package io.fleetgauge.distribution.training;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpsConfigurator;
import com.sun.net.httpserver.HttpsServer;
import io.fleetgauge.sample.frame.Frame;
import io.fleetgauge.sample.frame.FrameDecoder;
import io.fleetgauge.sample.frame.IntakeAnswer;
import io.fleetgauge.sample.wire.WireException;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;

/** Takes frames over TLS as a gateway does, and loses them. */
final class TrainingGateway implements AutoCloseable {
  /** Enough for every class of a probe that runs to be loaded. */
  private static final int TICKS = 8;

  private final HttpsServer server;
  private final Path certificate;
  private final CountDownLatch ticks = new CountDownLatch(TICKS);
  private int requests;

  private TrainingGateway(HttpsServer server, Path certificate) {
    this.server = server;
    this.certificate = certificate;
  }

  static TrainingGateway start(Path folder)
      throws IOException, InterruptedException, GeneralSecurityException {
    Certificate certificate = Certificate.make(folder);
    HttpsServer server =
        HttpsServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    server.setHttpsConfigurator(new HttpsConfigurator(certificate.context()));
    TrainingGateway gateway = new TrainingGateway(server, certificate.file());
    server.createContext("/", gateway::answer);
    // A connection whose handshake was given up holds up no other.
    server.setExecutor(
        Executors.newCachedThreadPool(Thread.ofPlatform().daemon().name("gateway").factory()));
    server.start();
    return gateway;
  }

  private void answer(HttpExchange exchange) throws IOException {
    byte[] body = exchange.getRequestBody().readAllBytes();
    IntakeAnswer answer = answer(body);
    byte[] text = answer.toString().getBytes(StandardCharsets.UTF_8);
    exchange.sendResponseHeaders(answer.httpStatus(), text.length);
    exchange.getResponseBody().write(text);
    exchange.close();
  }

  private synchronized IntakeAnswer answer(byte[] body) {
    IntakeAnswer kept = new IntakeAnswer.Refused("no frame");
    try {
      for (FrameDecoder frames = new FrameDecoder(body); frames.hasNext(); ) {
        Frame frame = frames.next();
        if (requests == 0) {
          requests++;
          return new IntakeAnswer.SlowDown(1);
        }
        if (requests == 1) {
          requests++;
          return new IntakeAnswer.NeedsDictionary(frame.run());
        }
        if (frame instanceof Frame.Tick tick) {
          kept = new IntakeAnswer.Kept(tick.run(), tick.sequence());
          ticks.countDown();
        }
      }
    } catch (WireException e) {
      return new IntakeAnswer.Refused(e.getMessage());
    }
    return kept;
  }

  /** The authority of this gateway's certificate, in PEM. */
  Path authority() {
    return certificate;
  }

  String address() {
    return "https://127.0.0.1:" + server.getAddress().getPort();
  }

  /** Waits until a probe has sent for some seconds; false if it does not. */
  boolean awaitTicks(int seconds) throws InterruptedException {
    return ticks.await(seconds, TimeUnit.SECONDS);
  }

  @Override
  public void close() {
    server.stop(0);
  }
}
