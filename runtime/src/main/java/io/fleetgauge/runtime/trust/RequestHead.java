package io.fleetgauge.runtime.trust;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/**
 * The signed part of a request, except its body.
 *
 * @param method such as {@code POST}
 * @param target the path with the query, as it is sent
 * @param headers all headers; only those that the processes of a cluster send each other are signed
 */
public record RequestHead(String method, String target, List<Map.Entry<String, String>> headers) {
  static final String SIGNATURE = "X-Fleetgauge-Signature";

  private static final String OURS = "x-fleetgauge-";

  public RequestHead {
    headers = List.copyOf(headers);
  }

  /**
   * @param words the signature header's words before the signature
   */
  byte[][] parts(String words) {
    List<String> signed = new ArrayList<>();
    for (Map.Entry<String, String> header : headers) {
      String name = header.getKey().toLowerCase(Locale.ROOT);
      if (name.startsWith(OURS) && !name.equalsIgnoreCase(SIGNATURE)) {
        signed.add(name + ":" + header.getValue());
      }
    }
    signed.sort(null);
    signed.addAll(0, List.of(words, method, target));
    return signed.stream()
        .map(part -> part.getBytes(StandardCharsets.ISO_8859_1))
        .toArray(byte[][]::new);
  }
}
