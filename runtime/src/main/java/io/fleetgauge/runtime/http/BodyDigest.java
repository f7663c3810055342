package io.fleetgauge.runtime.http;

import io.vertx.core.buffer.Buffer;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;

/** The SHA-256 of the body of a request or message. Safe for all threads. */
public final class BodyDigest {
  private static final int STEP = 16 << 10;
  private static final byte[] OF_NOTHING = of(new byte[0]);

  private BodyDigest() {}

  /**
   * @param body null when there is none
   */
  static byte[] of(Buffer body) {
    if (body == null || body.length() == 0) {
      return OF_NOTHING.clone();
    }
    MessageDigest digest = sha256();
    byte[] part = new byte[Math.min(STEP, body.length())];
    for (int from = 0; from < body.length(); from += part.length) {
      int length = Math.min(part.length, body.length() - from);
      body.getBytes(from, from + length, part, 0);
      digest.update(part, 0, length);
    }
    return digest.digest();
  }

  public static byte[] of(byte[] body) {
    return sha256().digest(body);
  }

  private static MessageDigest sha256() {
    try {
      return MessageDigest.getInstance("SHA-256");
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException(e); // every Java has it
    }
  }
}
