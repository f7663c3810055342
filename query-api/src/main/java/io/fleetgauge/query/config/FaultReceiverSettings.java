package io.fleetgauge.query.config;

import io.fleetgauge.runtime.config.AccessSettings;
import io.fleetgauge.runtime.key.ConfigReader;
import io.fleetgauge.runtime.key.Key;
import io.fleetgauge.runtime.key.KeyType;
import io.fleetgauge.sample.gpu.FaultKind;
import io.fleetgauge.sample.gpu.Severity;
import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;

/**
 * A receiver of faults.
 *
 * @param name of the section below {@code faults.receivers}
 * @param form {@code form}
 * @param url {@code url}
 * @param timeout {@code timeout}
 * @param secret {@code secretFile}
 * @param severity {@code severity}: the lowest that is sent
 * @param kinds {@code kinds}; empty for all
 * @param tenants {@code tenants}; empty for all
 * @param access credentials that are shown to the receiver
 */
public record FaultReceiverSettings(
    String name,
    Form form,
    URI url,
    Duration timeout,
    Optional<Path> secret,
    Severity severity,
    List<FaultKind> kinds,
    List<String> tenants,
    AccessSettings access) {
  /** The forms in which faults are sent. */
  public enum Form {
    /** One fault in each request, as {@code /api/v1/faults} has it. */
    WEBHOOK,
    /** NVSentinel's health events. */
    NVSENTINEL,
    /** Lines for Loki's push API. */
    LOKI,
    /** Log records of OpenTelemetry, OTLP over HTTP as JSON. */
    OTLP
  }

  private static final String SECTION = "faults.receivers";
  private static final int MOST = 20;

  private static final Key<Form> FORM =
      Key.of(
          "form",
          KeyType.choice(Form.class),
          Form.WEBHOOK,
          "Form of the requests: `webhook` sends each fault as JSON, `nvsentinel` health events of"
              + " NVSentinel, `loki` lines for Loki, `otlp` log records of OpenTelemetry as JSON.");
  private static final Key<URI> URL =
      url(
          "Address to which requests are sent by POST. For Loki it ends in `/loki/api/v1/push`,"
              + " for OTLP in `/v1/logs`.");
  static final Key<Duration> TIMEOUT =
      Key.of(
          "timeout",
          KeyType.duration(Duration.ofMillis(100), Duration.ofMinutes(5)),
          Duration.ofSeconds(10),
          "Timeout of a request.");
  static final Key<Path> SECRET =
      Key.optional(
          "secretFile",
          KeyType.file(),
          "File with a secret by which requests are signed, in the header"
              + " `X-Fleetgauge-Signature`.");
  private static final Key<Severity> SEVERITY =
      Key.of(
          "severity",
          KeyType.choice(Severity.class),
          Severity.WARNING,
          "Lowest severity of faults that are sent.");
  private static final Key<List<String>> KINDS =
      Key.of(
          "kinds",
          KeyType.listOf(KeyType.text(), 0),
          List.of(),
          "Kinds of faults that are sent, such as `gpu_lost`; without any, all.");
  private static final Key<List<String>> TENANTS =
      Key.of(
          "tenants",
          KeyType.listOf(KeyType.text(), 0),
          List.of(),
          "Tenants whose faults are sent; without any, those of all tenants and of nobody.");

  public FaultReceiverSettings {
    kinds = List.copyOf(kinds);
    tenants = List.copyOf(tenants);
  }

  /** The receivers of a configuration; there are none by default. */
  public static List<FaultReceiverSettings> read(ConfigReader in) {
    List<FaultReceiverSettings> all = new ArrayList<>();
    for (String name : in.plainNames(SECTION, MOST)) {
      read(in, name).ifPresent(all::add);
    }
    return List.copyOf(all);
  }

  private static Optional<FaultReceiverSettings> read(ConfigReader in, String name) {
    String section = SECTION + "." + name;
    List<FaultKind> kinds = new ArrayList<>();
    for (String text : in.get(KINDS.in(section))) {
      FaultKind.find(text)
          .ifPresentOrElse(
              kinds::add,
              () ->
                  in.problem(
                      section
                          + ".kinds: "
                          + text
                          + " is no kind of fault; known are "
                          + Arrays.stream(FaultKind.values()).map(FaultKind::text).toList()));
    }
    Optional<URI> url = in.find(URL.in(section));
    Form form = in.get(FORM.in(section));
    Duration timeout = in.get(TIMEOUT.in(section));
    Optional<Path> secret = in.find(SECRET.in(section));
    Severity severity = in.get(SEVERITY.in(section));
    List<String> tenants = in.get(TENANTS.in(section));
    AccessSettings access = AccessSettings.read(in, section, "the receiver");
    if (url.isEmpty() && !in.has(URL.in(section))) {
      in.problem(section + ": url is needed");
    }
    return url.map(
        to ->
            new FaultReceiverSettings(
                name, form, to, timeout, secret, severity, kinds, tenants, access));
  }

  /** The key of a receiver's address. */
  static Key<URI> url(String help) {
    return Key.optional(
        "url",
        KeyType.form(
            "URL",
            "a URL such as https://hooks.example.org/in",
            URI::toString,
            FaultReceiverSettings::address),
        help);
  }

  private static Optional<URI> address(String text) {
    try {
      URI url = URI.create(text);
      boolean isHttp = "http".equals(url.getScheme()) || "https".equals(url.getScheme());
      boolean isPlain = url.getRawUserInfo() == null && url.getRawFragment() == null;
      return Optional.of(url).filter(any -> isHttp && isPlain && any.getHost() != null);
    } catch (IllegalArgumentException e) {
      return Optional.empty();
    }
  }
}
