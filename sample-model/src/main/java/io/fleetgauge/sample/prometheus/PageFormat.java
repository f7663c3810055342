package io.fleetgauge.sample.prometheus;

import java.util.Locale;
import java.util.Optional;
import java.util.regex.Pattern;

/** The formats in which exporters serve their samples. */
public enum PageFormat {
  /** Prometheus's text format, versions 0.0.4 and 1.0.0. */
  TEXT,

  /** OpenMetrics 1.0, as text. */
  OPENMETRICS;

  /** The formats that a scraper asks for, in the order of its preference. */
  public static final String ACCEPT =
      "application/openmetrics-text;version=1.0.0;escaping=allow-utf-8;q=0.5,"
          + "application/openmetrics-text;version=0.0.1;q=0.4,"
          + "text/plain;version=1.0.0;escaping=allow-utf-8;q=0.3,"
          + "text/plain;version=0.0.4;q=0.2,*/*;q=0.1";

  private static final String TOKEN = "[!#$%&'*+.^_`|~0-9a-z-]+";
  private static final String VALUE = "(?:" + TOKEN + "|\"(?:[^\"\\\\]|\\\\.)*\")";
  private static final Pattern MEDIA_TYPE =
      Pattern.compile(
          "\\s*(" + TOKEN + "/" + TOKEN + ")\\s*(?:;\\s*" + TOKEN + "=" + VALUE + "\\s*)*;?\\s*");

  /**
   * The format that a response says it has.
   *
   * @param contentType the header; null if there is none
   * @return empty if it is none of these
   */
  public static Optional<PageFormat> of(String contentType) {
    if (contentType == null || contentType.length() > 1_000) {
      return Optional.empty();
    }
    var matcher = MEDIA_TYPE.matcher(contentType.toLowerCase(Locale.ROOT));
    return !matcher.matches()
        ? Optional.empty()
        : switch (matcher.group(1)) {
          case "text/plain" -> Optional.of(TEXT);
          case "application/openmetrics-text" -> Optional.of(OPENMETRICS);
          default -> Optional.empty();
        };
  }
}
