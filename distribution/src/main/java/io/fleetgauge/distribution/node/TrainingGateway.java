package io.fleetgauge.distribution.node;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpsConfigurator;
import com.sun.net.httpserver.HttpsServer;
import io.fleetgauge.sample.frame.Frame;
import io.fleetgauge.sample.frame.FrameDecoder;
import io.fleetgauge.sample.frame.IntakeAnswer;
import io.fleetgauge.sample.wire.WireException;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;

/** Takes frames over TLS as a gateway does, and loses them. */
final class TrainingGateway implements AutoCloseable {
  private static final String PASSWORD = "training";

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
    Path store = folder.resolve("gateway.p12");
    keytool(
        folder,
        store,
        "-genkeypair",
        "-keyalg",
        "EC",
        "-dname",
        "CN=training",
        "-ext",
        "SAN=ip:127.0.0.1");
    Path certificate = folder.resolve("gateway.crt");
    keytool(folder, store, "-exportcert", "-rfc", "-file", certificate.toString());
    HttpsServer server =
        HttpsServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    server.setHttpsConfigurator(new HttpsConfigurator(context(store)));
    TrainingGateway gateway = new TrainingGateway(server, certificate);
    server.createContext("/", gateway::answer);
    // A connection whose handshake was given up holds up no other.
    server.setExecutor(
        Executors.newCachedThreadPool(Thread.ofPlatform().daemon().name("gateway").factory()));
    server.start();
    return gateway;
  }

  private static void keytool(Path folder, Path store, String... arguments)
      throws IOException, InterruptedException {
    String[] command = new String[arguments.length + 9];
    command[0] = Path.of(System.getProperty("java.home"), "bin", "keytool").toString();
    System.arraycopy(arguments, 0, command, 1, arguments.length);
    String[] common = {
      "-alias", "own", "-keystore", store.toString(), "-storetype", "PKCS12", "-storepass", PASSWORD
    };
    System.arraycopy(common, 0, command, arguments.length + 1, common.length);
    NodeArchive.run(folder, command);
  }

  private static SSLContext context(Path store) throws IOException, GeneralSecurityException {
    KeyStore keys = KeyStore.getInstance("PKCS12");
    try (InputStream in = Files.newInputStream(store)) {
      keys.load(in, PASSWORD.toCharArray());
    }
    KeyManagerFactory managers =
        KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
    managers.init(keys, PASSWORD.toCharArray());
    SSLContext context = SSLContext.getInstance("TLS");
    context.init(managers.getKeyManagers(), null, null);
    return context;
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

  /** What signs this gateway's certificate, in PEM. */
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
