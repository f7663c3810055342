package io.fleetgauge.sample.vocabulary;

/** One line of a file of aliases. */
sealed interface AliasLine {
  /** The set of names that it belongs to. */
  String vocabulary();

  record OfMetric(String vocabulary, MetricAlias alias) implements AliasLine {}

  /**
   * @param name the label under which it is seen
   * @param stored the label that series have
   */
  record OfLabel(String vocabulary, String name, String stored) implements AliasLine {}
}
