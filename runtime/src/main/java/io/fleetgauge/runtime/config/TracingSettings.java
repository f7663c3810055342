package io.fleetgauge.runtime.config;

import io.fleetgauge.runtime.key.ConfigReader;
import io.fleetgauge.runtime.key.Key;
import io.fleetgauge.runtime.key.KeyType;
import java.net.URI;
import java.nio.file.Path;
import java.util.Optional;
import java.util.regex.Pattern;

/**
 * Where traces are sent.
 *
 * @param endpoint {@code tracing.endpoint}; without it nothing is traced
 * @param ratio {@code tracing.ratio}
 * @param token {@code tracing.tokenFile}
 * @param ca {@code tracing.ca}
 */
public record TracingSettings(
    Optional<URI> endpoint, double ratio, Optional<Path> token, Optional<Path> ca) {
  /** Nothing is traced. */
  public static final TracingSettings OFF =
      new TracingSettings(Optional.empty(), 1, Optional.empty(), Optional.empty());

  private static final Pattern ADDRESS =
      Pattern.compile("https?://(\\[[0-9a-fA-F:.]+\\]|[a-zA-Z0-9._-]+)(:\\d{1,5})?(/[\\w./-]*)?");

  private static final Key<URI> ENDPOINT =
      Key.optional(
          "tracing.endpoint",
          KeyType.form(
              "URL",
              "a URL such as http://collector:4318",
              URI::toString,
              text -> Optional.of(text).filter(ADDRESS.asMatchPredicate()).map(URI::create)),
          "Collector for traces of queries and ticks, by OTLP over HTTP. `/v1/traces` is added"
              + " where the URL has no path. Tracing is off by default.");
  private static final Key<Double> RATIO =
      Key.of(
          "tracing.ratio",
          KeyType.form(
              "number from 0 to 1",
              "a number from 0 to 1 such as 0.05",
              TracingSettings::text,
              TracingSettings::ratio),
          1.0,
          "Sampling ratio of the traces that begin in this process. A request with the header"
              + " `traceparent` is traced when its sender traces it.");
  private static final Key<Path> TOKEN =
      Key.optional(
          "tracing.tokenFile",
          KeyType.file(),
          "File with a bearer token for the collector; it is read again for each request.");
  private static final Key<Path> CA =
      Key.derived(
          "tracing.ca",
          KeyType.file(),
          "the authorities that the JDK trusts",
          "Authority in PEM that signs the collector's certificate.");

  private static String text(double ratio) {
    return ratio == Math.rint(ratio) ? Long.toString((long) ratio) : Double.toString(ratio);
  }

  private static Optional<Double> ratio(String text) {
    try {
      return Optional.of(Double.parseDouble(text)).filter(ratio -> ratio >= 0 && ratio <= 1);
    } catch (NumberFormatException e) {
      return Optional.empty();
    }
  }

  public static TracingSettings read(ConfigReader in) {
    return new TracingSettings(in.find(ENDPOINT), in.get(RATIO), in.find(TOKEN), in.find(CA));
  }
}
