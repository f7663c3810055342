package io.fleetgauge.query.answer;

import io.fleetgauge.sample.gzip.GzipStream;
import io.vertx.core.buffer.Buffer;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.function.Supplier;

/**
 * An answer's body, written for who asks first and given to who asks the same as it is, compressed
 * too. Safe for all threads; two who ask first at once may both write it.
 */
public final class Written {
  /** Shorter bodies are not worth the work of compressing them, bytes. */
  private static final int COMPRESS_FROM = 1_024;

  private volatile Body plain;
  private volatile Body compressed;

  /**
   * What is sent.
   *
   * @param isCompressed as gzip
   */
  public record Body(Buffer bytes, boolean isCompressed) {}

  /** Whether it has been written so. */
  public boolean isThere(boolean gzip) {
    Body known = plain;
    return known != null && (!gzip || isShort(known) || compressed != null);
  }

  /**
   * The body.
   *
   * @param gzip whether it should be compressed, if that is worth it
   * @param writing is asked for it if it is not there
   */
  public Body body(boolean gzip, Supplier<Buffer> writing) {
    Body known = plain;
    if (known == null) {
      known = new Body(writing.get(), false);
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
      throw new UncheckedIOException(e); // memory does not fail so
    }
    return Buffer.buffer(bytes.toByteArray());
  }

  /** What is kept, bytes. */
  int bytes() {
    Body body = plain;
    Body packed = compressed;
    return (body == null ? 0 : body.bytes.length()) + (packed == null ? 0 : packed.bytes.length());
  }
}
