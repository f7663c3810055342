package io.fleetgauge.query.http;

import io.vertx.core.MultiMap;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;

/** Parameters for tests of other rooms. */
public final class ParametersOf {
  private ParametersOf() {}

  /**
   * Those of a URL.
   *
   * @param query such as {@code host=n1&gpu=3}
   */
  public static Parameters url(String query) {
    MultiMap url = MultiMap.caseInsensitiveMultiMap();
    for (String each : query.split("&")) {
      int end = each.indexOf('=');
      if (end > 0) {
        url.add(
            each.substring(0, end),
            URLDecoder.decode(each.substring(end + 1), StandardCharsets.UTF_8));
      }
    }
    return new Parameters(MultiMap.caseInsensitiveMultiMap(), url);
  }
}
