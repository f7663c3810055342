package io.fleetgauge.query.http;

import io.fleetgauge.promql.query.QueryFailure;
import io.fleetgauge.query.cache.CachedBody;
import io.vertx.core.buffer.Buffer;
import java.io.IOException;
import java.io.OutputStream;
import java.util.function.Supplier;

/** The body of a successful response, and where it is encoded. */
public sealed interface Body {
  /** Encoded on the event loop: takes less time than waking up a worker thread. */
  record Small(Supplier<Buffer> encoding) implements Body {}

  /** Encoded on a worker thread, because an event loop must not be kept that long. */
  record Large(Supplier<Buffer> encoding) implements Body {}

  /**
   * Encoded once and kept, plain and compressed, for later requests with the same answer.
   *
   * @param isSmall true if encoding it takes less time than waking up a worker thread
   */
  record Kept(CachedBody cached, Supplier<Buffer> encoding, boolean isSmall) implements Body {}

  /**
   * Sent while it is encoded, for bodies that should not be in memory as a whole.
   *
   * @param isCompressed true if the encoding writes gzip
   */
  record Streamed(Encoding encoding, boolean isCompressed) implements Body {}

  /** Writes a body to a stream. */
  @FunctionalInterface
  interface Encoding {
    /**
     * @throws QueryFailure before the first byte, if there is no body after all
     */
    void write(OutputStream out) throws IOException, QueryFailure;
  }

  static Body small(Supplier<Buffer> encoding) {
    return new Small(encoding);
  }

  static Body large(Supplier<Buffer> encoding) {
    return new Large(encoding);
  }

  static Body streamed(Encoding encoding) {
    return new Streamed(encoding, false);
  }
}
