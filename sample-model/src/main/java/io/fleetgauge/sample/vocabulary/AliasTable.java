package io.fleetgauge.sample.vocabulary;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * The meanings of all aliases. Aliases belong to vocabularies: a question that uses an alias sees
 * the labels of its whole vocabulary. Immutable.
 */
public final class AliasTable {
  /** Nothing is an alias. */
  public static final AliasTable EMPTY = new AliasTable(List.of());

  private static final AliasTable BUILT_IN = readBuiltIn();

  private final Map<String, AliasLine.OfMetric> metrics = new LinkedHashMap<>();
  private final Map<String, AliasLine.OfLabel> labels = new LinkedHashMap<>();

  AliasTable(List<AliasLine> lines) {
    for (AliasLine line : lines) {
      switch (line) {
        case AliasLine.OfMetric metric -> metrics.put(metric.alias().name(), metric);
        case AliasLine.OfLabel label -> labels.put(label.name(), label);
      }
    }
  }

  /** The table of {@code aliases.tsv}. */
  public static AliasTable builtIn() {
    return BUILT_IN;
  }

  private static AliasTable readBuiltIn() {
    try (InputStream in = AliasTable.class.getResourceAsStream("aliases.tsv")) {
      String text = new String(in.readAllBytes(), StandardCharsets.UTF_8);
      return new AliasTable(AliasFile.lines("aliases.tsv", text, EMPTY));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } catch (InvalidAliases e) {
      throw new IllegalStateException(e.getMessage(), e);
    }
  }

  /**
   * This table with the lines of a file; where both have an alias, the file's counts.
   *
   * @param source what messages call the text
   * @throws InvalidAliases with every problem there is
   */
  public AliasTable with(String source, String text) throws InvalidAliases {
    List<AliasLine> all = new ArrayList<>(metrics.values());
    all.addAll(labels.values());
    all.addAll(AliasFile.lines(source, text, this));
    return new AliasTable(all);
  }

  public boolean isEmpty() {
    return metrics.isEmpty() && labels.isEmpty();
  }

  /** Returns true if a metric's name is an alias. */
  public boolean hasMetric(String name) {
    return metrics.containsKey(name);
  }

  /** Returns true if a label's name is an alias. */
  public boolean hasLabel(String name) {
    return labels.containsKey(name);
  }

  /** All metrics, in the order of the table. */
  public Collection<MetricAlias> metrics() {
    return metrics.values().stream().map(AliasLine.OfMetric::alias).toList();
  }

  /** The stored labels that aliases stand for. */
  Collection<String> storedLabels() {
    return labels.values().stream().map(AliasLine.OfLabel::stored).toList();
  }

  /** The aliases that are in effect when some names are used; others are ignored. */
  public Aliases used(Collection<String> metricNames, Collection<String> labelNames) {
    Map<String, MetricAlias> named = new HashMap<>();
    Set<String> vocabularies = new HashSet<>();
    for (String name : metricNames) {
      AliasLine.OfMetric metric = metrics.get(name);
      if (metric != null) {
        named.put(name, metric.alias());
        vocabularies.add(metric.vocabulary());
      }
    }
    for (String name : labelNames) {
      AliasLine.OfLabel label = labels.get(name);
      if (label != null) {
        vocabularies.add(label.vocabulary());
      }
    }
    return vocabularies.isEmpty() ? Aliases.NONE : new Aliases(named, labelsOf(vocabularies));
  }

  /** All of one vocabulary. */
  public Aliases vocabulary(String vocabulary) {
    Map<String, MetricAlias> named = new LinkedHashMap<>();
    for (AliasLine.OfMetric metric : metrics.values()) {
      if (metric.vocabulary().equals(vocabulary)) {
        named.put(metric.alias().name(), metric.alias());
      }
    }
    return new Aliases(named, labelsOf(Set.of(vocabulary)));
  }

  private Map<String, String> labelsOf(Set<String> vocabularies) {
    Map<String, String> found = new HashMap<>();
    for (AliasLine.OfLabel label : labels.values()) {
      if (vocabularies.contains(label.vocabulary())) {
        found.put(label.name(), label.stored());
      }
    }
    return Collections.unmodifiableMap(found);
  }
}
