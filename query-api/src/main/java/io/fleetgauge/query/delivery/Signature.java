package io.fleetgauge.query.delivery;

import io.fleetgauge.runtime.http.SecretFile;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.util.HexFormat;
import java.util.Map;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

/**
 * Signs requests, so that a receiver knows who sent them:
 *
 * <pre>
 * X-Fleetgauge-Signature: t=TIME,v1=HEX
 * HEX = HMAC-SHA256 with the secret of: TIME, in seconds since the epoch; a point; the body
 * </pre>
 */
public final class Signature {
  public static final String HEADER = "X-Fleetgauge-Signature";
  private static final String HMAC = "HmacSHA256";
  private static final long MILLIS = 1_000;

  private Signature() {}

  /**
   * The header, or none without a secret.
   *
   * @param millis time of the request, ms since the epoch
   */
  public static Map<String, String> of(SecretFile secret, byte[] body, long millis) {
    if (!secret.isSet()) {
      return Map.of();
    }
    String time = Long.toString(millis / MILLIS);
    try {
      Mac mac = Mac.getInstance(HMAC);
      mac.init(new SecretKeySpec(secret.text().getBytes(StandardCharsets.UTF_8), HMAC));
      mac.update((time + ".").getBytes(StandardCharsets.UTF_8));
      return Map.of(HEADER, "t=" + time + ",v1=" + HexFormat.of().formatHex(mac.doFinal(body)));
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException(e); // every JVM has this MAC
    }
  }
}
