package io.fleetgauge.query.cache;

import io.fleetgauge.sample.gzip.GzipStream;
import io.vertx.core.buffer.Buffer;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.function.Supplier;

/**
 * An answer's response body, kept plain and compressed beside the answer: the first caller encodes
 * it, later callers get the same bytes. Thread-safe; two first callers at once may both encode it.
 */
public final class CachedBody {
  /** Shorter bodies are not worth compressing, bytes. */
  private static final int COMPRESS_FROM = 1_024;

  private volatile Body plain;
  private volatile Body compressed;

  /**
   * A response body.
   *
   * @param isCompressed as gzip
   */
  public record Body(Buffer bytes, boolean isCompressed) {}

  /** Returns true if {@link #body} would return without encoding or compressing. */
  public boolean isReady(boolean gzip) {
    Body known = plain;
    return known != null && (!gzip || isShort(known) || compressed != null);
  }

  /**
   * The body.
   *
   * @param gzip true to compress it, if that is worth the work
   * @param encoder encodes it if no caller has yet
   */
  public Body body(boolean gzip, Supplier<Buffer> encoder) {
    Body known = plain;
    if (known == null) {
      known = new Body(encoder.get(), false);
      plain = known;
    }
    if (!gzip || isShort(known)) {
      return known;
    }
    Body packed = compressed;
    if (packed == null) {
      packed = new Body(compress(known.bytes), true);
      compressed = packed;
    }
    return packed;
  }

  private static boolean isShort(Body body) {
    return body.bytes.length() < COMPRESS_FROM;
  }

  private static Buffer compress(Buffer body) {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream(body.length() / 4 + 64);
    try (GzipStream gzip = new GzipStream(bytes)) {
      gzip.write(body.getBytes());
    } catch (IOException e) {
      throw new UncheckedIOException(e); // writing to memory cannot fail
    }
    return Buffer.buffer(bytes.toByteArray());
  }

  /** Size of what is kept, bytes. */
  public int bytes() {
    Body body = plain;
    Body packed = compressed;
    return (body == null ? 0 : body.bytes.length()) + (packed == null ? 0 : packed.bytes.length());
  }
}
