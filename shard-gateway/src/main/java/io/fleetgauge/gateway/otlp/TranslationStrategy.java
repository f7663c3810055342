package io.fleetgauge.gateway.otlp;

/** Ways to make names of metrics and labels, with the names that Prometheus gives to them. */
public enum TranslationStrategy {
  /** Other characters than those that Prometheus 2 had become underscores; units are added. */
  UnderscoreEscapingWithSuffixes,

  /** All characters stay; units are added. */
  NoUTF8EscapingWithSuffixes,

  /** Names stay as they are. */
  NoTranslation
}
