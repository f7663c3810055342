package io.fleetgauge.sample.vocabulary;

import io.fleetgauge.sample.Labels;
import io.fleetgauge.sample.gpu.GpuMetrics;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Pattern;

/**
 * Reads aliases from text: one line for each, its cells separated by tabs, after a line with the
 * names of the columns. {@code -} stands for nothing; empty lines and lines that begin with {@code
 * #} are ignored.
 */
final class AliasFile {
  private static final String HEAD = "vocabulary\tkind\talias\tstored\tfactor\tunit\thelp";
  private static final int COLUMNS = 7;
  private static final int MAX_LINES = 10_000;
  private static final int MAX_CELL = 1_000;

  /** After so many problems the others are counted only. */
  private static final int MAX_PROBLEMS = 50;

  private static final Pattern VOCABULARY = Pattern.compile("[A-Za-z0-9][A-Za-z0-9._-]{0,99}");
  private static final Pattern METRIC = Pattern.compile("[A-Za-z_:][A-Za-z0-9_:]*");
  private static final Pattern LABEL = Pattern.compile("[A-Za-z_][A-Za-z0-9_]*");

  private final AliasTable below;
  private final List<String> problems = new ArrayList<>();
  private final List<AliasLine> lines = new ArrayList<>();

  /** The line that each alias stands in, metrics and labels apart. */
  private final Map<String, Integer> metrics = new HashMap<>();

  private final Map<String, Integer> labels = new HashMap<>();
  private int omitted;

  private AliasFile(AliasTable below) {
    this.below = below;
  }

  /**
   * @param below the table to which the lines are added
   * @throws InvalidAliases with every problem
   */
  static List<AliasLine> lines(String source, String text, AliasTable below) throws InvalidAliases {
    AliasFile file = new AliasFile(below);
    file.read(text.split("\r?\n", -1));
    file.checkChains();
    if (!file.problems.isEmpty()) {
      if (file.omitted > 0) {
        file.problems.add("and " + file.omitted + " more");
      }
      throw new InvalidAliases(source, file.problems);
    }
    return file.lines;
  }

  private void problem(int line, String text) {
    if (problems.size() < MAX_PROBLEMS) {
      problems.add("line " + line + ": " + text);
    } else {
      omitted++;
    }
  }

  private void read(String[] rows) {
    if (rows.length > MAX_LINES) {
      problem(MAX_LINES, "the file has more lines than the limit of " + MAX_LINES);
      return;
    }
    if (!rows[0].equals(HEAD)) {
      problem(
          1,
          "the first line has to be " + HEAD.replace('\t', ' ') + ", with tabs between the names");
      return;
    }
    for (int i = 1; i < rows.length; i++) {
      if (!rows[i].isBlank() && !rows[i].startsWith("#")) {
        row(i + 1, rows[i].split("\t", -1));
      }
    }
  }

  private void row(int line, String[] cells) {
    if (cells.length != COLUMNS) {
      problem(line, "it has " + cells.length + " cells separated by tabs, not " + COLUMNS);
      return;
    }
    for (String cell : cells) {
      if (cell.length() > MAX_CELL) {
        problem(line, "a cell has " + cell.length() + " characters; the limit is " + MAX_CELL);
        return;
      }
    }
    if (!VOCABULARY.matcher(cells[0]).matches()) {
      problem(
          line,
          "the vocabulary \""
              + cells[0]
              + "\" is no name of letters, digits, dots, dashes and underscores");
    }
    switch (cells[1]) {
      case "metric" -> metric(line, cells);
      case "label" -> label(line, cells);
      default -> problem(line, "the kind \"" + cells[1] + "\" is neither metric nor label");
    }
  }

  private void metric(int line, String[] cells) {
    String alias = cells[2];
    names(line, cells, METRIC, "metric", metrics);
    if (GpuMetrics.find(alias).isPresent()) {
      problem(line, alias + " is the name of a metric that is stored, so it cannot be an alias");
    }
    Optional<Factor> factor = Factor.parse(cells[4]);
    if (factor.isEmpty()) {
      problem(
          line,
          "the factor \""
              + cells[4]
              + "\" is neither a whole number above 0 nor two of them, such as 1/100");
    }
    lines.add(
        new AliasLine.OfMetric(
            cells[0],
            new MetricAlias(
                alias, cells[3], factor.orElse(Factor.ONE), cell(cells[5]), cell(cells[6]))));
  }

  private void label(int line, String[] cells) {
    names(line, cells, LABEL, "label", labels);
    if (cells[2].equals(Labels.NAME) || cells[3].equals(Labels.NAME)) {
      problem(line, Labels.NAME + " is the metric's name; use a line of kind metric");
    }
    for (int i = 4; i < COLUMNS; i++) {
      if (!cell(cells[i]).isEmpty()) {
        problem(line, "a label has no factor, unit or help; write - for each");
        break;
      }
    }
    lines.add(new AliasLine.OfLabel(cells[0], cells[2], cells[3]));
  }

  private void names(
      int line, String[] cells, Pattern form, String kind, Map<String, Integer> known) {
    for (int i = 2; i < 4; i++) {
      if (!form.matcher(cells[i]).matches()) {
        problem(line, "\"" + cells[i] + "\" is no name of a " + kind);
      }
    }
    if (cells[2].equals(cells[3])) {
      problem(line, cells[2] + " is an alias of itself");
    }
    Integer first = known.putIfAbsent(cells[2], line);
    if (first != null) {
      problem(line, "the alias " + cells[2] + " is in line " + first + " already");
    }
  }

  /** An alias stands for what is stored, never for another alias. */
  private void checkChains() {
    for (AliasLine line : lines) {
      switch (line) {
        case AliasLine.OfMetric metric -> {
          String name = metric.alias().stored();
          if (metrics.containsKey(name) || below.hasMetric(name)) {
            problem(
                metrics.getOrDefault(metric.alias().name(), 0),
                "the metric " + name + " is itself an alias; name what is stored");
          }
        }
        case AliasLine.OfLabel label -> {
          if (labels.containsKey(label.stored()) || below.hasLabel(label.stored())) {
            problem(
                labels.getOrDefault(label.name(), 0),
                "the label " + label.stored() + " is itself an alias; name what is stored");
          }
        }
      }
    }
    for (MetricAlias alias : below.metrics()) {
      if (metrics.containsKey(alias.stored())) {
        problem(
            metrics.get(alias.stored()),
            alias.stored() + " is what the alias " + alias.name() + " stands for");
      }
    }
    for (String label : below.storedLabels()) {
      if (labels.containsKey(label)) {
        problem(labels.get(label), label + " is what another alias stands for");
      }
    }
  }

  private static String cell(String text) {
    return text.equals("-") ? "" : text;
  }
}
