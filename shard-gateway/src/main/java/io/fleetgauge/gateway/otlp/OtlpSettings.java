package io.fleetgauge.gateway.otlp;

import java.util.List;

/**
 * Rules by which OTLP metrics become series; they are those of Prometheus.
 *
 * @param strategy {@code ingest.otlp.translationStrategy}
 * @param promoted {@code ingest.otlp.promoteResourceAttributes}
 * @param promotesAll {@code ingest.otlp.promoteAllResourceAttributes}
 * @param ignored {@code ingest.otlp.ignoreResourceAttributes}
 * @param keepsIdentifying {@code ingest.otlp.keepIdentifyingResourceAttributes}
 * @param convertsHistograms {@code ingest.otlp.convertHistogramsToNhcb}
 */
public record OtlpSettings(
    TranslationStrategy strategy,
    List<String> promoted,
    boolean promotesAll,
    List<String> ignored,
    boolean keepsIdentifying,
    boolean convertsHistograms) {
  public static final OtlpSettings DEFAULT =
      new OtlpSettings(
          TranslationStrategy.UnderscoreEscapingWithSuffixes,
          List.of(),
          false,
          List.of(),
          false,
          false);

  public OtlpSettings {
    promoted = List.copyOf(promoted);
    ignored = List.copyOf(ignored);
  }

  /** Returns true if an attribute of the resource is a label of each of its series. */
  boolean promotes(String attribute) {
    return promotesAll ? !ignored.contains(attribute) : promoted.contains(attribute);
  }
}
