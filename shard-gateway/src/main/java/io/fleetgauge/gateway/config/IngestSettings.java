package io.fleetgauge.gateway.config;

import io.fleetgauge.gateway.otlp.OtlpSettings;
import io.fleetgauge.gateway.otlp.TranslationStrategy;
import io.fleetgauge.runtime.key.ConfigReader;
import io.fleetgauge.runtime.key.Key;
import io.fleetgauge.runtime.key.KeyType;
import io.fleetgauge.sample.relabel.Relabelling;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;

/**
 * Limits of what a gateway accepts from senders.
 *
 * @param maxBodyBytes {@code ingest.maxBody}
 * @param maxQueuedRequests {@code ingest.maxQueuedRequests}
 * @param hostLabels {@code ingest.hostLabels}
 * @param relabelling {@code ingest.relabel}
 * @param otlp {@code ingest.otlp}
 */
public record IngestSettings(
    int maxBodyBytes,
    int maxQueuedRequests,
    List<String> hostLabels,
    Relabelling relabelling,
    OtlpSettings otlp) {
  private static final Key<Integer> MAX_BODY =
      Key.of(
          "ingest.maxBody",
          KeyType.size(64 << 10, 256 << 20),
          16 << 20,
          "Maximum size of a request body; a larger one is rejected with status 413.");
  private static final Key<Integer> MAX_QUEUED_REQUESTS =
      Key.of(
          "ingest.maxQueuedRequests",
          KeyType.integer(1, 100_000),
          1_000,
          "Maximum number of requests that wait; above it, senders are slowed down with status"
              + " 503.");
  private static final Key<List<String>> HOST_LABELS =
      Key.of(
          "ingest.hostLabels",
          KeyType.listOf(KeyType.text(), 1),
          List.of("Hostname", "node", "instance"),
          "Labels that name the host of a remote-written series, the first present one decides;"
              + " of `instance` only the part before the port counts.");
  private static final Key<Relabelling> RELABEL =
      Key.of(
          "ingest.relabel",
          KeyType.relabelling(),
          Relabelling.NONE,
          "Rules that change the labels of remote-written series, or drop series, before their host"
              + " is decided.");

  private static final Key<TranslationStrategy> OTLP_STRATEGY =
      Key.of(
          "ingest.otlp.translationStrategy",
          KeyType.form(
              "text",
              Arrays.stream(TranslationStrategy.values())
                  .map(Enum::name)
                  .collect(Collectors.joining(", ")),
              Enum::name,
              text ->
                  Arrays.stream(TranslationStrategy.values())
                      .filter(each -> each.name().equals(text))
                      .findFirst()),
          OtlpSettings.DEFAULT.strategy(),
          "How names of OTLP metrics and attributes become names of metrics and labels, as"
              + " Prometheus's `translation_strategy`.");
  private static final Key<List<String>> OTLP_PROMOTED =
      Key.of(
          "ingest.otlp.promoteResourceAttributes",
          KeyType.listOf(KeyType.text(), 0),
          OtlpSettings.DEFAULT.promoted(),
          "Attributes of OTLP resources that become labels of each of their series.");
  private static final Key<Boolean> OTLP_PROMOTES_ALL =
      Key.of(
          "ingest.otlp.promoteAllResourceAttributes",
          KeyType.flag(),
          OtlpSettings.DEFAULT.promotesAll(),
          "Makes all attributes of OTLP resources labels of each of their series.");
  private static final Key<List<String>> OTLP_IGNORED =
      Key.of(
          "ingest.otlp.ignoreResourceAttributes",
          KeyType.listOf(KeyType.text(), 0),
          OtlpSettings.DEFAULT.ignored(),
          "Attributes that `ingest.otlp.promoteAllResourceAttributes` leaves out.");
  private static final Key<Boolean> OTLP_KEEPS_IDENTIFYING =
      Key.of(
          "ingest.otlp.keepIdentifyingResourceAttributes",
          KeyType.flag(),
          OtlpSettings.DEFAULT.keepsIdentifying(),
          "Keeps `service.name`, `service.namespace` and `service.instance.id` as labels of"
              + " `target_info`.");
  private static final Key<Boolean> OTLP_CONVERTS_HISTOGRAMS =
      Key.of(
          "ingest.otlp.convertHistogramsToNhcb",
          KeyType.flag(),
          OtlpSettings.DEFAULT.convertsHistograms(),
          "Stores OTLP histograms with explicit bounds as native histograms with custom buckets.");

  /** Every default. */
  public static final IngestSettings DEFAULT =
      new IngestSettings(
          MAX_BODY.fallback().orElseThrow(),
          MAX_QUEUED_REQUESTS.fallback().orElseThrow(),
          HOST_LABELS.fallback().orElseThrow(),
          RELABEL.fallback().orElseThrow(),
          OtlpSettings.DEFAULT);

  static IngestSettings read(ConfigReader in) {
    return new IngestSettings(
        in.get(MAX_BODY),
        in.get(MAX_QUEUED_REQUESTS),
        in.get(HOST_LABELS),
        in.get(RELABEL),
        otlp(in));
  }

  private static OtlpSettings otlp(ConfigReader in) {
    OtlpSettings otlp =
        new OtlpSettings(
            in.get(OTLP_STRATEGY),
            in.get(OTLP_PROMOTED),
            in.get(OTLP_PROMOTES_ALL),
            in.get(OTLP_IGNORED),
            in.get(OTLP_KEEPS_IDENTIFYING),
            in.get(OTLP_CONVERTS_HISTOGRAMS));
    if (otlp.promotesAll() && !otlp.promoted().isEmpty()) {
      in.problem(
          "ingest.otlp.promoteResourceAttributes: is not allowed with"
              + " ingest.otlp.promoteAllResourceAttributes; remove one of them");
    }
    if (!otlp.promotesAll() && !otlp.ignored().isEmpty()) {
      in.problem(
          "ingest.otlp.ignoreResourceAttributes: needs"
              + " ingest.otlp.promoteAllResourceAttributes: true");
    }
    return otlp;
  }
}
