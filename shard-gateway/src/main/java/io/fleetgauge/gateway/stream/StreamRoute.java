package io.fleetgauge.gateway.stream;

import io.fleetgauge.runtime.trust.ClusterKey;
import io.fleetgauge.runtime.trust.OriginLog;
import io.fleetgauge.sample.wire.WireException;
import io.vertx.core.Context;
import io.vertx.core.Handler;
import io.vertx.core.Vertx;
import io.vertx.core.net.NetSocket;
import io.vertx.ext.web.Router;
import io.vertx.ext.web.RoutingContext;
import java.security.MessageDigest;
import java.security.SecureRandom;
import java.util.HexFormat;
import java.util.Queue;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Accepts the streams of other gateways, as the package draws them. */
public final class StreamRoute {
  static final String PATH = "/v1/stream";
  static final String PROTOCOL = "fleetgauge-stream-1";
  static final String NONCE = "X-Fleetgauge-Nonce";

  /** Most streams at a time; each gateway of a cluster has one. */
  static final int MOST = 1_000;

  /** Questions of one stream that are being answered; with more, no more are read. */
  static final int MOST_UNANSWERED = 4_096;

  private static final Logger LOG = LoggerFactory.getLogger(StreamRoute.class);
  private static final SecureRandom RANDOM = new SecureRandom();

  private final Vertx vertx;
  private final ClusterKey key;
  private final Answers answers;
  private final StreamCounts counts;
  private final AtomicInteger open = new AtomicInteger();
  private final OriginLog due = new OriginLog();

  /** Answers questions. */
  public interface Answers {
    /**
     * Answers a question. Must not block: it is called on an event loop.
     *
     * @param answer is given the answer, once, on any thread
     * @throws WireException if the question cannot be understood; its stream ends then
     */
    void asked(StreamQuestion question, Consumer<byte[]> answer) throws WireException;
  }

  private StreamRoute(Vertx vertx, ClusterKey key, Answers answers, StreamCounts counts) {
    this.vertx = vertx;
    this.key = key;
    this.answers = answers;
    this.counts = counts;
  }

  /**
   * @param guard lets other gateways in
   * @param key verifies that messages come from this cluster
   */
  public static void mount(
      Router router,
      Vertx vertx,
      Handler<RoutingContext> guard,
      ClusterKey key,
      Answers answers,
      StreamCounts counts) {
    StreamRoute route = new StreamRoute(vertx, key, answers, counts);
    router.get(PATH).handler(guard).handler(route::accept);
  }

  private void accept(RoutingContext http) {
    if (!PROTOCOL.equals(http.request().getHeader("Upgrade"))) {
      http.response().putHeader("Upgrade", PROTOCOL);
      refuse(http, 426, "streams have the protocol " + PROTOCOL + ": update all processes");
      return;
    }
    byte[] nonce;
    try {
      nonce = HexFormat.of().parseHex(String.valueOf(http.request().getHeader(NONCE)));
    } catch (IllegalArgumentException e) {
      nonce = new byte[0];
    }
    if (nonce.length != Direction.NONCE_BYTES) {
      refuse(
          http, 400, NONCE + " has to have " + 2 * Direction.NONCE_BYTES + " hexadecimal digits");
      return;
    }
    if (open.incrementAndGet() > MOST) {
      open.decrementAndGet();
      refuse(http, 503, MOST + " streams are open, which is the limit");
      return;
    }
    String from = String.valueOf(http.request().remoteAddress());
    Context loop = vertx.getOrCreateContext();
    byte[] opening = nonce;
    http.request()
        .toNetSocket()
        .onSuccess(
            socket -> {
              counts.open.increment();
              new Accepted(from, opening).begin(loop, socket);
            })
        .onFailure(
            failure -> {
              open.decrementAndGet();
              LOG.debug("no stream from {}", from, failure);
            });
  }

  private static void refuse(RoutingContext http, int status, String why) {
    http.response().setStatusCode(status).end(why + "\n");
  }

  /** One stream. */
  private final class Accepted implements Line.Listener {
    private final String from;
    private final byte[] opening;
    private Line line;
    private Handover<Sealed> answered;
    private int unanswered;

    private record Sealed(Message message, byte[] digest) {}

    Accepted(String from, byte[] opening) {
      this.from = from;
      this.opening = opening;
    }

    void begin(Context loop, NetSocket socket) {
      answered = new Handover<>(loop, this::write);
      line = new Line(vertx, loop, key, false, socket, this);
    }

    @Override
    public void begun(byte[] theirs) throws WireException {
      if (!MessageDigest.isEqual(theirs, opening)) {
        throw new WireException("a stream that begins with another nonce than its request");
      }
      byte[] nonce = new byte[Direction.NONCE_BYTES];
      RANDOM.nextBytes(nonce);
      line.begin(nonce);
    }

    @Override
    public void received(Message message) throws WireException {
      if (message.kind() == Message.ANSWER) {
        throw new WireException("a response to a request that was not sent");
      }
      unanswered++;
      hold();
      answers.asked(
          new StreamQuestion(message.kind(), message.fields(), message.body()),
          body ->
              answered.add(
                  new Sealed(Message.answer(message.number(), body), Line.digest(key, body))));
    }

    private void write(Queue<Sealed> all) {
      for (Sealed each = all.poll(); each != null; each = all.poll()) {
        unanswered--;
        line.write(each.message, each.digest);
      }
      line.flush();
      hold();
    }

    /** An end that does not read its answers is not read from. */
    private void hold() {
      line.hold(unanswered >= MOST_UNANSWERED || line.isFull());
    }

    @Override
    public void drained() {
      hold();
    }

    @Override
    public void closed(End end, String why) {
      open.decrementAndGet();
      counts.open.decrement();
      counts.ended(end);
      if (end == End.CLOSED) {
        LOG.debug("the stream from {} ended: {}", from, why);
      } else if (due.isDue(host(), System.currentTimeMillis())) {
        LOG.warn("the stream from {} ended: {}", from, why);
      }
    }

    private String host() {
      return from.substring(0, Math.max(0, from.lastIndexOf(':')));
    }
  }
}
