package io.fleetgauge.gateway.stream;

import io.fleetgauge.runtime.http.BodyDigest;
import io.fleetgauge.runtime.trust.ClusterKey;
import io.fleetgauge.runtime.trust.ClusterKey.Purpose;
import io.fleetgauge.runtime.trust.Seal;
import io.fleetgauge.sample.wire.WireException;
import io.vertx.core.Context;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.net.NetSocket;
import java.util.Optional;

/**
 * One end of a stream that is open: makes bytes of messages and messages of bytes. For the thread
 * of its event loop only.
 */
final class Line {
  /** Hashing a long body takes milliseconds, which an event loop does not have. */
  private static final int HASHED_AT_ONCE = 1 << 20;

  /** As many bytes are given to the connection at once. */
  private static final int WRITTEN_AT_ONCE = 128 << 10;

  private static final int USUAL = 8 << 10;

  private static final byte[] NOTHING = {};

  /** Receives the events of a line. */
  interface Listener {
    /**
     * The nonce of the other end has come; the own one has to be written by then.
     *
     * @throws WireException if it is not what it should be
     */
    void begun(byte[] nonce) throws WireException;

    /**
     * @throws WireException if it cannot be understood; the line is closed then
     */
    void received(Message message) throws WireException;

    /** It may be written to again. */
    void drained();

    /** It is closed; the last that happens. */
    void closed(End end, String why);
  }

  private final Vertx vertx;
  private final Context loop;
  private final ClusterKey key;
  private final NetSocket socket;
  private final Listener listener;
  private final Thread thread = Thread.currentThread();
  private final MessageReader reader = new MessageReader();
  private final boolean isOpening;
  private Buffer pending;
  private byte[] nonce = {};
  private Direction sent;
  private Direction received;
  private boolean isChecking;
  private boolean isHeld;
  private boolean isClosed;

  /**
   * On the thread of the event loop.
   *
   * @param isOpening true for the end that opened the stream
   */
  Line(
      Vertx vertx,
      Context loop,
      ClusterKey key,
      boolean isOpening,
      NetSocket socket,
      Listener listener) {
    this.vertx = vertx;
    this.loop = loop;
    this.key = key;
    this.isOpening = isOpening;
    this.socket = socket;
    this.listener = listener;
    socket.exceptionHandler(failure -> onLoop(() -> close(End.CLOSED, failure.toString())));
    socket.closeHandler(none -> onLoop(() -> close(End.CLOSED, "the connection was closed")));
    socket.drainHandler(none -> onLoop(this::drained));
    socket.handler(piece -> onLoop(() -> read(piece)));
  }

  private void onLoop(Runnable what) {
    if (Thread.currentThread() == thread) {
      what.run();
    } else {
      loop.runOnContext(none -> what.run());
    }
  }

  // --- writing ---

  /** Sends the nonce of this end, before anything else. */
  void begin(byte[] ownNonce) {
    nonce = ownNonce;
    socket.write(Buffer.buffer(nonce));
  }

  /** Returns true if the other end has not yet read all that was written. */
  boolean isFull() {
    return socket.writeQueueFull();
  }

  /**
   * Writes a message, with the next {@link #flush} at the latest.
   *
   * @param digest as {@link #digest} gives it
   */
  void write(Message message, byte[] digest) {
    if (isClosed) {
      return;
    }
    if (pending == null) {
      pending = Buffer.buffer(USUAL);
    }
    byte[] head = message.head();
    Message.write(head, sent.sign(head, digest), message.body(), pending);
    if (pending.length() >= WRITTEN_AT_ONCE) {
      flush();
    }
  }

  void flush() {
    if (!isClosed && pending != null) {
      socket.write(pending);
      pending = null;
    }
  }

  private void drained() {
    if (!isClosed) {
      listener.drained();
    }
  }

  // --- reading ---

  private void read(Buffer piece) {
    if (!isClosed) {
      reader.add(piece);
      next();
    }
  }

  private void next() {
    try {
      if (received == null) {
        Optional<byte[]> theirs = reader.take(Direction.NONCE_BYTES);
        if (theirs.isEmpty()) {
          return;
        }
        listener.begun(theirs.get());
        Seal seal = new Seal(key, Purpose.STREAM);
        byte[] opening = isOpening ? nonce : theirs.get();
        byte[] accepting = isOpening ? theirs.get() : nonce;
        sent = new Direction(seal, opening, accepting, isOpening);
        received = new Direction(seal, opening, accepting, !isOpening);
      }
      while (!isClosed && !isChecking && !isHeld) {
        Optional<MessageReader.Found> found = reader.next();
        if (found.isEmpty()) {
          return;
        }
        check(found.get());
      }
    } catch (WireException e) {
      close(End.MALFORMED, e.getMessage());
    }
  }

  /** Part of a body's proof: its SHA-256, and nothing without a secret. Safe for all threads. */
  static byte[] digest(ClusterKey key, byte[] body) {
    return key.isSet() ? BodyDigest.of(body) : NOTHING;
  }

  private void check(MessageReader.Found found) throws WireException {
    if (found.body().length <= HASHED_AT_ONCE || !key.isSet()) {
      checked(found, digest(key, found.body()));
      return;
    }
    isChecking = true;
    pauseOrResume();
    vertx
        .executeBlocking(() -> digest(key, found.body()), false)
        .onComplete(
            digest ->
                onLoop(
                    () -> {
                      isChecking = false;
                      try {
                        checked(found, digest.result());
                      } catch (WireException e) {
                        close(End.MALFORMED, e.getMessage());
                      }
                      pauseOrResume();
                      next();
                    }));
  }

  private void checked(MessageReader.Found found, byte[] digest) throws WireException {
    if (isClosed) {
      return;
    }
    if (received.verifies(found.proof(), found.head(), digest)) {
      listener.received(Message.read(found.head(), found.body()));
    } else {
      close(
          End.UNPROVEN,
          "a message is not authenticated as one of a process of the cluster: cluster.secretFile"
              + " must hold the same secret for all of them");
    }
  }

  /** Stops reading, or continues. */
  void hold(boolean newIsHeld) {
    if (isHeld != newIsHeld && !isClosed) {
      isHeld = newIsHeld;
      pauseOrResume();
      if (!isHeld) {
        loop.runOnContext(none -> next());
      }
    }
  }

  private void pauseOrResume() {
    if (isHeld || isChecking) {
      socket.pause();
    } else {
      socket.resume();
    }
  }

  void close(End end, String why) {
    if (!isClosed) {
      isClosed = true;
      socket.close();
      listener.closed(end, why);
    }
  }
}
