package io.fleetgauge.query.http;

import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpServerResponse;
import java.io.IOException;
import java.io.OutputStream;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/**
 * A body that is sent while it is written: it waits while whoever reads it does not keep up. For
 * one worker thread.
 */
final class StreamedBody extends OutputStream {
  private static final int PIECE_BYTES = 256 << 10;

  /** Whoever reads nothing for so long is not waited for any more. */
  private static final long PATIENCE_SECONDS = 30;

  private final HttpServerResponse response;
  private Buffer piece = Buffer.buffer(PIECE_BYTES);

  StreamedBody(HttpServerResponse response) {
    this.response = response;
  }

  @Override
  public void write(int one) throws IOException {
    piece.appendByte((byte) one);
    sendIfLong();
  }

  @Override
  public void write(byte[] some, int from, int length) throws IOException {
    if (length < PIECE_BYTES) {
      piece.appendBytes(some, from, length);
      sendIfLong();
    } else {
      sendPiece();
      send(Buffer.buffer(length).appendBytes(some, from, length));
    }
  }

  private void sendIfLong() throws IOException {
    if (piece.length() >= PIECE_BYTES) {
      sendPiece();
    }
  }

  private void sendPiece() throws IOException {
    if (piece.length() > 0) {
      send(piece);
      piece = Buffer.buffer(PIECE_BYTES);
    }
  }

  private void send(Buffer some) throws IOException {
    if (response.closed()) {
      throw new IOException("whoever asked has gone away");
    }
    try {
      response
          .write(some)
          .toCompletionStage()
          .toCompletableFuture()
          .get(PATIENCE_SECONDS, TimeUnit.SECONDS);
      if (response.writeQueueFull()) {
        CompletableFuture<Void> drained = new CompletableFuture<>();
        response.drainHandler(drained::complete);
        if (response.writeQueueFull()) {
          drained.get(PATIENCE_SECONDS, TimeUnit.SECONDS);
        }
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IOException(e);
    } catch (ExecutionException | TimeoutException e) {
      throw new IOException("whoever asked does not read: " + e.getMessage(), e);
    }
  }

  /** Sends the rest; nothing comes behind it. */
  @Override
  public void close() {
    response.end(piece);
  }
}
