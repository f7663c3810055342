package io.fleetgauge.runtime.http;

import io.vertx.core.MultiMap;
import io.vertx.core.buffer.Buffer;
import java.nio.charset.StandardCharsets;

/**
 * The whole response of a server.
 *
 * @param body all of it, in memory; empty when there is none
 */
public record HttpAnswer(int status, MultiMap headers, Buffer body) {
  /** The body as text. */
  public String text() {
    return body.toString(StandardCharsets.UTF_8);
  }
}
