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
 * Sends a body while it is written. A write waits while the client does not keep up. For one worker
 * thread.
 */
final class StreamedBody extends OutputStream {
  private static final int CHUNK_BYTES = 256 << 10;

  /** A client that reads nothing for so long is given up. */
  private static final long MAX_STALL_SECONDS = 30;

  private final HttpServerResponse response;
  private Buffer chunk = Buffer.buffer(CHUNK_BYTES);

  StreamedBody(HttpServerResponse response) {
    this.response = response;
  }

  @Override
  public void write(int one) throws IOException {
    chunk.appendByte((byte) one);
    sendIfFull();
  }

  @Override
  public void write(byte[] some, int from, int length) throws IOException {
    if (length < CHUNK_BYTES) {
      chunk.appendBytes(some, from, length);
      sendIfFull();
    } else {
      sendChunk();
      send(Buffer.buffer(length).appendBytes(some, from, length));
    }
  }

  private void sendIfFull() throws IOException {
    if (chunk.length() >= CHUNK_BYTES) {
      sendChunk();
    }
  }

  private void sendChunk() throws IOException {
    if (chunk.length() > 0) {
      send(chunk);
      chunk = Buffer.buffer(CHUNK_BYTES);
    }
  }

  private void send(Buffer some) throws IOException {
    if (response.closed()) {
      throw new IOException("the client has closed the connection");
    }
    try {
      response
          .write(some)
          .toCompletionStage()
          .toCompletableFuture()
          .get(MAX_STALL_SECONDS, TimeUnit.SECONDS);
      if (response.writeQueueFull()) {
        CompletableFuture<Void> drained = new CompletableFuture<>();
        response.drainHandler(drained::complete);
        if (response.writeQueueFull()) {
          drained.get(MAX_STALL_SECONDS, TimeUnit.SECONDS);
        }
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IOException(e);
    } catch (ExecutionException | TimeoutException e) {
      throw new IOException("the client has not read for " + MAX_STALL_SECONDS + " s", e);
    }
  }

  /** Sends the rest and ends the response. */
  @Override
  public void close() {
    response.end(chunk);
  }
}
