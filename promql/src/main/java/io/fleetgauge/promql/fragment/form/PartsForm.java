package io.fleetgauge.promql.fragment.form;

import io.fleetgauge.promql.expr.Feature;
import io.fleetgauge.promql.expr.Matcher;
import io.fleetgauge.promql.expr.Span;
import io.fleetgauge.promql.fragment.Fragment;
import io.fleetgauge.promql.fragment.FragmentAnswer;
import io.fleetgauge.promql.query.Annotation;
import io.fleetgauge.promql.query.Column;
import io.fleetgauge.promql.query.Grid;
import io.fleetgauge.promql.query.PartResult;
import io.fleetgauge.promql.query.Partial;
import io.fleetgauge.promql.query.Query;
import io.fleetgauge.promql.query.QueryText;
import io.fleetgauge.sample.vocabulary.Aliases;
import io.fleetgauge.sample.wire.WireException;
import io.fleetgauge.sample.wire.WireReader;
import io.fleetgauge.sample.wire.WireWriter;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;

/** Parts of a query. */
final class PartsForm {
  private static final int PARTIAL = 1;
  private static final int ROLLUPS = 2;

  private PartsForm() {}

  /**
   * @param hasAliases whether the version has aliases
   */
  static void write(WireWriter out, Fragment.Parts parts, boolean hasAliases) {
    QueryText query = parts.query();
    Query.Settings settings = query.settings();
    out.string(query.text()).svar(query.start()).svar(query.end()).uvar(query.step());
    out.uvar(settings.lookback()).uvar(settings.maxSamples()).uvar(settings.subqueryStep());
    out.uvar(settings.features().size());
    for (Feature feature : new TreeSet<>(settings.features())) {
      out.string(feature.name());
    }
    SelectorForm.matchers(out, parts.scope());
    if (hasAliases) {
      AliasesForm.write(out, parts.aliases());
    }
    out.uvar(parts.timeoutMillis()).uvar(parts.parts().size());
    for (Fragment.Part part : parts.parts()) {
      Grid grid = part.grid();
      out.uvar(part.number()).svar(grid.start()).uvar(grid.step()).svar(grid.end());
      out.u8((part.partial() ? PARTIAL : 0) | (part.rollups() ? ROLLUPS : 0));
    }
    out.u8(parts.since().isPresent() ? 1 : 0);
    parts.since().ifPresent(since -> ChangesForm.write(out, since));
  }

  /**
   * @param hasAliases whether the version has aliases
   */
  static Fragment question(WireReader in, long epoch, List<String> hosts, boolean hasAliases)
      throws WireException {
    QueryText query = query(in);
    List<Matcher> scope = SelectorForm.matchers(in);
    Aliases aliases = hasAliases ? AliasesForm.read(in) : Aliases.NONE;
    long timeout = in.uvar("the timeout");
    int count = in.count(5, "parts");
    List<Fragment.Part> parts = new ArrayList<>(count);
    for (int i = 0; i < count; i++) {
      parts.add(part(in));
    }
    Optional<Fragment.Since> since =
        in.uint(1, "whether changes are asked for") == 1
            ? Optional.of(ChangesForm.since(in))
            : Optional.empty();
    return new Fragment.Parts(epoch, hosts, query, scope, aliases, timeout, parts, since);
  }

  private static QueryText query(WireReader in) throws WireException {
    String text = in.string("the query");
    long start = in.svar("the query's start");
    long end = in.svar("the query's end");
    long step = in.uvar("the query's step");
    long lookback = in.uvar("the lookback");
    long maxSamples = in.uvar("the most samples");
    long subqueryStep = in.uvar("the step of subqueries");
    if (subqueryStep < 1) {
      throw new WireException("the step of subqueries is 0 ms");
    }
    Set<Feature> features = EnumSet.noneOf(Feature.class);
    for (String name : ListForm.strings(in, "features")) {
      try {
        features.add(Feature.valueOf(name));
      } catch (IllegalArgumentException e) {
        throw new WireException("there is no feature " + name);
      }
    }
    Query.Settings settings =
        new Query.Settings(lookback, maxSamples, subqueryStep, Set.copyOf(features));
    return new QueryText(text, start, end, step, settings);
  }

  private static Fragment.Part part(WireReader in) throws WireException {
    int number = in.uint(Integer.MAX_VALUE, "a part's number");
    long start = in.svar("a part's start");
    long step = in.uvar("a part's step");
    long end = in.svar("a part's end");
    if (step < 1 || end < start || (end - start) / step >= NumbersForm.MOST) {
      throw new WireException(
          "a part has the steps " + start + " to " + end + " every " + step + " ms");
    }
    int flags = in.uint(PARTIAL | ROLLUPS, "a part's flags");
    return new Fragment.Part(
        number, new Grid(start, step, end), (flags & PARTIAL) != 0, (flags & ROLLUPS) != 0);
  }

  /** Whether a part can be written: it has no histograms. */
  static boolean fits(PartResult part) {
    return part.columns().stream().allMatch(column -> column.histograms() == null);
  }

  /** About how many bytes of numbers an answer has. */
  static int length(FragmentAnswer.Parts parts) {
    int length = 1_024;
    for (PartResult part : parts.parts()) {
      for (Partial partial : part.partials()) {
        for (double[] numbers : partial.numbers()) {
          length += numbers == null ? 0 : 8 * numbers.length + 64;
        }
      }
      for (Column column : part.columns()) {
        length += 8 * column.values().length + 64;
      }
    }
    return length;
  }

  static void write(WireWriter out, WireWriter body, FragmentAnswer.Parts parts) {
    boolean whole = parts.read().equals(parts.covered());
    out.u8(whole ? 1 : 0);
    if (!whole) {
      ListForm.strings(out, parts.read());
    }
    ListForm.strings(out, parts.hostLabels());
    ListForm.strings(out, parts.notes());
    out.u8(parts.changes().isPresent() ? 1 : 0);
    parts.changes().ifPresent(changes -> ChangesForm.write(out, changes));
    SymbolTable symbols = new SymbolTable();
    body.uvar(parts.rollupCells()).uvar(parts.parts().size());
    for (PartResult part : parts.parts()) {
      part(body, symbols, part);
    }
    symbols.write(out);
  }

  static FragmentAnswer answer(WireReader in, long epoch, List<String> covered)
      throws WireException {
    boolean whole = in.uint(1, "whether all that was read is covered") == 1;
    List<String> read = whole ? covered : ListForm.strings(in, "hosts");
    List<String> hostLabels = ListForm.strings(in, "host labels");
    List<String> notes = ListForm.strings(in, "notes");
    Optional<FragmentAnswer.Changes> changes =
        in.uint(1, "whether it says what has changed") == 1
            ? Optional.of(ChangesForm.answer(in, epoch, List.of()))
            : Optional.empty();
    List<String> symbols = SymbolTable.read(in);
    long rollupCells = in.uvar("the number of rollup cells");
    int count = in.count(4, "parts");
    List<PartResult> parts = new ArrayList<>(count);
    for (int i = 0; i < count; i++) {
      parts.add(part(in, symbols));
    }
    return new FragmentAnswer.Parts(
        epoch, covered, read, parts, notes, rollupCells, hostLabels, changes);
  }

  private static void part(WireWriter out, SymbolTable symbols, PartResult part) {
    out.uvar(part.samples()).uvar(part.annotations().size());
    for (Annotation annotation : part.annotations()) {
      out.u8(annotation.warning() ? 1 : 0).string(annotation.text());
      out.uvar(annotation.span().start()).uvar(annotation.span().end());
    }
    out.uvar(part.columns().size());
    for (Column column : part.columns()) {
      symbols.labels(out, column.labels());
      out.u8(column.nameDropped() ? 1 : 0);
      NumbersForm.writeColumn(out, column.values());
    }
    out.uvar(part.partials().size());
    for (Partial partial : part.partials()) {
      symbols.labels(out, partial.group());
      symbols.labels(out, partial.first());
      out.u8(partial.nameDropped() ? 1 : 0);
      double[] counts = new double[partial.count().length];
      for (int i = 0; i < counts.length; i++) {
        counts[i] = partial.count()[i];
      }
      NumbersForm.write(out, counts, counts.length);
      out.u8(partial.numbers().length);
      for (double[] numbers : partial.numbers()) {
        if (numbers == null) {
          NumbersForm.writeNone(out);
        } else {
          NumbersForm.write(out, numbers, numbers.length);
        }
      }
    }
  }

  private static PartResult part(WireReader in, List<String> symbols) throws WireException {
    long samples = in.uvar("the number of samples");
    int annotationCount = in.count(4, "annotations");
    List<Annotation> annotations = new ArrayList<>(annotationCount);
    for (int i = 0; i < annotationCount; i++) {
      boolean warning = in.uint(1, "whether it is a warning") == 1;
      String text = in.string("an annotation");
      int start = in.uint(Integer.MAX_VALUE, "an annotation's position");
      annotations.add(
          new Annotation(warning, text, new Span(start, in.uint(Integer.MAX_VALUE, "its end"))));
    }
    int columnCount = in.count(4, "columns");
    List<Column> columns = new ArrayList<>(columnCount);
    for (int i = 0; i < columnCount; i++) {
      var labels = SymbolTable.labels(in, symbols);
      boolean dropped = in.uint(1, "whether a name is dropped") == 1;
      columns.add(new Column(labels, NumbersForm.readColumn(in), null, dropped));
    }
    int partialCount = in.count(5, "partials");
    List<Partial> partials = new ArrayList<>(partialCount);
    for (int i = 0; i < partialCount; i++) {
      var group = SymbolTable.labels(in, symbols);
      var first = SymbolTable.labels(in, symbols);
      boolean dropped = in.uint(1, "whether a name is dropped") == 1;
      double[] counts = NumbersForm.read(in);
      int[] count = new int[counts == null ? 0 : counts.length];
      for (int j = 0; j < count.length; j++) {
        count[j] = (int) counts[j];
      }
      double[][] numbers = new double[in.uint(3, "rows of numbers")][];
      for (int j = 0; j < numbers.length; j++) {
        numbers[j] = NumbersForm.read(in);
        if (numbers[j] != null && numbers[j].length != count.length
            || numbers[j] == null && j == 0) {
          throw new WireException("a row of numbers has not as many steps as the counts");
        }
      }
      partials.add(new Partial(group, first, dropped, count, numbers));
    }
    return new PartResult(columns, partials, annotations, samples);
  }

  // --- the answer that there are none ---

  static void write(WireWriter out, FragmentAnswer.Unfit unfit) {
    out.string(unfit.reason());
  }

  static FragmentAnswer unfit(WireReader in, long epoch, List<String> covered)
      throws WireException {
    return new FragmentAnswer.Unfit(epoch, covered, in.string("the reason"));
  }
}
