package io.fleetgauge.query.cache;

import static org.assertj.core.api.Assertions.assertThat;

import io.vertx.core.buffer.Buffer;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;
import java.util.zip.GZIPInputStream;
import org.junit.jupiter.api.Test;

class CachedBodyTest {
  private final AtomicInteger encoded = new AtomicInteger();
  private final CachedBody body = new CachedBody();

  private Supplier<Buffer> encoder(String text) {
    return () -> {
      encoded.incrementAndGet();
      return Buffer.buffer(text);
    };
  }

  @Test
  void itIsCachedBodyOnceForAllWhoTakeItPlainOrCompressed() throws IOException {
    String text = "0123456789".repeat(1_000);
    assertThat(body.isReady(false)).isFalse();
    CachedBody.Body gzip = body.body(true, encoder(text));
    assertThat(gzip.isCompressed()).isTrue();
    assertThat(gzip.bytes().length()).isLessThan(text.length() / 10);
    assertThat(
            new GZIPInputStream(new ByteArrayInputStream(gzip.bytes().getBytes())).readAllBytes())
        .asString(StandardCharsets.UTF_8)
        .isEqualTo(text);
    assertThat(body.isReady(true)).isTrue();
    assertThat(body.body(true, encoder("other")).bytes()).isSameAs(gzip.bytes());
    CachedBody.Body plain = body.body(false, encoder("other"));
    assertThat(plain.isCompressed()).isFalse();
    assertThat(plain.bytes().toString()).isEqualTo(text);
    assertThat(encoded).hasValue(1);
    assertThat(body.bytes()).isEqualTo(text.length() + gzip.bytes().length());
  }

  @Test
  void aPlainBodyIsCompressedOnlyForCallersThatAcceptGzip() {
    body.body(false, encoder("x".repeat(5_000)));
    assertThat(body.isReady(false)).isTrue();
    assertThat(body.isReady(true)).isFalse();
    assertThat(body.body(true, encoder("other")).isCompressed()).isTrue();
  }

  @Test
  void aBodyBelowOneKibibyteIsNotCompressed() {
    assertThat(body.body(true, encoder("x".repeat(1_023))).isCompressed()).isFalse();
    assertThat(body.isReady(true)).isTrue();
    assertThat(new CachedBody().body(true, encoder("x".repeat(1_024))).isCompressed()).isTrue();
  }
}
