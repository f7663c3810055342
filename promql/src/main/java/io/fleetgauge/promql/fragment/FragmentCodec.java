package io.fleetgauge.promql.fragment;

import io.fleetgauge.promql.expr.Feature;
import io.fleetgauge.promql.expr.Matcher;
import io.fleetgauge.promql.query.Column;
import io.fleetgauge.promql.query.PartResult;
import io.fleetgauge.promql.query.Partial;
import io.fleetgauge.promql.query.Selection;
import io.fleetgauge.sample.Histogram;
import io.fleetgauge.sample.Labels;
import io.fleetgauge.sample.Series;
import io.fleetgauge.sample.Staleness;
import io.fleetgauge.sample.WholeNumber;
import io.fleetgauge.sample.gzip.GzipPiece;
import io.fleetgauge.sample.prometheus.MetricMetadata;
import io.fleetgauge.sample.wire.HistogramForm;
import io.fleetgauge.sample.wire.WireException;
import io.fleetgauge.sample.wire.WireReader;
import io.fleetgauge.sample.wire.WireWriter;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * Fragments and their answers as bytes; the drawing is in the package's description. One file for
 * all kinds, because each is a few lines and they share their pieces.
 */
public final class FragmentCodec {
  private static final int VERSION = 3;
  private static final int SAMPLES = 1;
  private static final int NAMES = 2;
  private static final int VALUES = 3;
  private static final int LABEL_SETS = 4;
  private static final int PARTS = 5;
  private static final int UNFIT = 6;
  private static final int EXTENT = 7;
  private static final int CHANGES = 8;
  private static final int METADATA = 9;
  private static final int HOSTS = 10;
  private static final int NEWEST = 11;
  private static final int REDUCED = 12;
  private static final int PARTIAL = 1;
  private static final int ROLLUPS = 2;
  private static final int MOST_STEPS = 1 << 24;
  private static final int DOUBLES = 0;
  private static final int INTEGERS = 1;
  private static final int MIXED = 2;
  private static final int NUMBER = 0;
  private static final int HISTOGRAM = 1;

  private FragmentCodec() {}

  // --- fragments ---

  public static byte[] encode(Fragment fragment) {
    WireWriter out = new WireWriter();
    out.u8('F').u8('Q').u8(VERSION);
    out.u8(
        switch (fragment) {
          case Fragment.Samples samples -> SAMPLES;
          case Fragment.LabelNames names -> NAMES;
          case Fragment.LabelValues values -> VALUES;
          case Fragment.LabelSets sets -> LABEL_SETS;
          case Fragment.Parts parts -> PARTS;
          case Fragment.Extent extent -> EXTENT;
          case Fragment.Changes changes -> CHANGES;
          case Fragment.Metadata metadata -> METADATA;
          case Fragment.Hosts hosts -> HOSTS;
          case Fragment.Newest newest -> NEWEST;
          case Fragment.Reduced reduced -> REDUCED;
        });
    out.uvar(fragment.epoch());
    strings(out, fragment.hosts());
    switch (fragment) {
      case Fragment.Samples samples -> {
        out.uvar(samples.budget()).u8(samples.heavy() ? 1 : 0);
        selections(out, samples.selections());
      }
      case Fragment.Metadata metadata -> strings(out, metadata.tenants());
      case Fragment.Hosts none -> {}
      case Fragment.Newest newest -> {
        selectors(out, newest.selectors());
        out.svar(newest.after()).svar(newest.to());
        out.u8(newest.utf8() ? 1 : 0).u8(newest.gzip() ? 1 : 0);
        out.uvar(newest.mostSeries()).uvar(newest.mostBytes());
      }
      case Fragment.Reduced reduced -> {
        selectors(out, reduced.names());
        matchers(out, reduced.scope());
        out.svar(reduced.after()).svar(reduced.to());
      }
      case Fragment.Extent extent -> selections(out, extent.selections());
      case Fragment.Parts parts -> parts(out, parts);
      case Fragment.Changes changes -> out.u64(changes.incarnation()).uvar(changes.since());
      case Fragment.LabelNames names -> search(out, names.search());
      case Fragment.LabelValues values -> search(out.string(values.label()), values.search());
      case Fragment.LabelSets sets -> search(out, sets.search());
    }
    return out.toBytes();
  }

  /** Whether bytes are a question for changes, so far as their kind says. */
  public static boolean isChanges(byte[] bytes) {
    return bytes.length > 3 && bytes[3] == CHANGES;
  }

  public static Fragment decodeFragment(byte[] bytes) throws WireException {
    WireReader in = new WireReader(bytes);
    int kind = header(in, 'Q');
    long epoch = in.uvar("the epoch");
    List<String> hosts = strings(in, "hosts");
    Fragment fragment =
        switch (kind) {
          case SAMPLES -> {
            long budget = in.uvar("the budget");
            yield new Fragment.Samples(
                epoch, hosts, budget, in.uint(1, "whether it is heavy") == 1, selections(in));
          }
          case METADATA -> new Fragment.Metadata(epoch, hosts, strings(in, "tenants"));
          case HOSTS -> new Fragment.Hosts(epoch, hosts);
          case NEWEST ->
              new Fragment.Newest(
                  epoch,
                  hosts,
                  selectors(in),
                  in.svar("the oldest time"),
                  in.svar("the newest time"),
                  in.uint(1, "whether names are UTF-8") == 1,
                  in.uint(1, "whether lines are packed") == 1,
                  in.uint(Integer.MAX_VALUE, "the most series"),
                  in.uint(Integer.MAX_VALUE, "the most bytes"));
          case REDUCED ->
              new Fragment.Reduced(
                  epoch,
                  hosts,
                  selectors(in),
                  matchers(in),
                  in.svar("the oldest time"),
                  in.svar("the newest time"));
          case EXTENT -> new Fragment.Extent(epoch, hosts, selections(in));
          case CHANGES ->
              new Fragment.Changes(epoch, hosts, in.u64("the incarnation"), in.uvar("the cursor"));
          case PARTS -> parts(in, epoch, hosts);
          case NAMES -> new Fragment.LabelNames(epoch, hosts, search(in));
          case VALUES -> new Fragment.LabelValues(epoch, hosts, in.string("a label"), search(in));
          case LABEL_SETS -> new Fragment.LabelSets(epoch, hosts, search(in));
          default -> throw new WireException("a fragment of the unknown kind " + kind);
        };
    in.end("the fragment");
    return fragment;
  }

  private static void selections(WireWriter out, List<Selection> selections) {
    out.uvar(selections.size());
    for (Selection selection : selections) {
      matchers(out, selection.matchers());
      out.svar(selection.from()).svar(selection.to());
    }
  }

  private static List<Selection> selections(WireReader in) throws WireException {
    int count = in.count(3, "selections");
    List<Selection> selections = new ArrayList<>(count);
    for (int i = 0; i < count; i++) {
      selections.add(
          new Selection(
              matchers(in), in.svar("a selection's start"), in.svar("a selection's end")));
    }
    return selections;
  }

  private static void parts(WireWriter out, Fragment.Parts parts) {
    Fragment.Asked asked = parts.asked();
    out.string(asked.text()).svar(asked.start()).svar(asked.end()).uvar(asked.step());
    out.uvar(asked.lookback()).uvar(asked.features().size());
    for (Feature feature : new TreeSet<>(asked.features())) {
      out.string(feature.name());
    }
    matchers(out, parts.scope());
    out.uvar(parts.budget()).uvar(parts.timeoutMillis());
    out.u8(parts.heavy() ? 1 : 0).uvar(parts.parts().size());
    for (Fragment.Part part : parts.parts()) {
      out.uvar(part.number()).svar(part.start()).uvar(part.step()).svar(part.end());
      out.u8((part.partial() ? PARTIAL : 0) | (part.rollups() ? ROLLUPS : 0));
    }
  }

  private static Fragment parts(WireReader in, long epoch, List<String> hosts)
      throws WireException {
    String text = in.string("the query");
    long start = in.svar("the query's start");
    long end = in.svar("the query's end");
    long step = in.uvar("the query's step");
    long lookback = in.uvar("the lookback");
    Set<Feature> features = EnumSet.noneOf(Feature.class);
    for (String name : strings(in, "features")) {
      try {
        features.add(Feature.valueOf(name));
      } catch (IllegalArgumentException e) {
        throw new WireException("there is no feature " + name);
      }
    }
    List<Matcher> scope = matchers(in);
    long budget = in.uvar("the budget");
    long timeout = in.uvar("the timeout");
    boolean heavy = in.uint(1, "whether it is heavy") == 1;
    int count = in.count(5, "parts");
    List<Fragment.Part> parts = new ArrayList<>(count);
    for (int i = 0; i < count; i++) {
      int number = in.uint(Integer.MAX_VALUE, "a part's number");
      long first = in.svar("a part's start");
      long distance = in.uvar("a part's step");
      long last = in.svar("a part's end");
      if (distance < 1 || last < first || (last - first) / distance >= MOST_STEPS) {
        throw new WireException(
            "a part has the steps " + first + " to " + last + " every " + distance + " ms");
      }
      int flags = in.uint(PARTIAL | ROLLUPS, "a part's flags");
      parts.add(
          new Fragment.Part(
              number, first, distance, last, (flags & PARTIAL) != 0, (flags & ROLLUPS) != 0));
    }
    Fragment.Asked asked =
        new Fragment.Asked(text, start, end, step, lookback, Set.copyOf(features));
    return new Fragment.Parts(epoch, hosts, asked, scope, budget, timeout, heavy, parts);
  }

  private static void search(WireWriter out, Fragment.Search search) {
    out.svar(search.from()).svar(search.to()).uvar(search.limit());
    selectors(out, search.matchers());
  }

  private static void selectors(WireWriter out, List<List<Matcher>> selectors) {
    out.uvar(selectors.size());
    for (List<Matcher> matchers : selectors) {
      matchers(out, matchers);
    }
  }

  private static List<List<Matcher>> selectors(WireReader in) throws WireException {
    int count = in.count(1, "selectors");
    List<List<Matcher>> selectors = new ArrayList<>(count);
    for (int i = 0; i < count; i++) {
      selectors.add(matchers(in));
    }
    return selectors;
  }

  private static Fragment.Search search(WireReader in) throws WireException {
    long from = in.svar("the search's start");
    long to = in.svar("the search's end");
    int limit = in.uint(Integer.MAX_VALUE, "the search's limit");
    return new Fragment.Search(from, to, limit, selectors(in));
  }

  private static void matchers(WireWriter out, List<Matcher> matchers) {
    out.uvar(matchers.size());
    for (Matcher matcher : matchers) {
      out.u8(matcher.kind().ordinal()).string(matcher.name()).string(matcher.value());
    }
  }

  private static List<Matcher> matchers(WireReader in) throws WireException {
    int count = in.count(3, "matchers");
    List<Matcher> matchers = new ArrayList<>(count);
    for (int i = 0; i < count; i++) {
      int kind = in.uint(Matcher.Kind.values().length - 1, "a matcher's kind");
      String name = in.string("a matcher's label");
      String value = in.string("a matcher's value");
      try {
        matchers.add(Matcher.of(Matcher.Kind.values()[kind], name, value));
      } catch (IllegalArgumentException e) {
        throw new WireException("a matcher of " + name + ": " + e.getMessage());
      }
    }
    return matchers;
  }

  // --- answers ---

  public static byte[] encode(FragmentAnswer answer) {
    WireWriter out = new WireWriter(4096 + longLines(answer));
    WireWriter body = new WireWriter(longNumbers(answer));
    out.u8('F').u8('A').u8(VERSION);
    out.u8(
        switch (answer) {
          case FragmentAnswer.Samples samples -> SAMPLES;
          case FragmentAnswer.Strings strings -> NAMES;
          case FragmentAnswer.LabelSets sets -> LABEL_SETS;
          case FragmentAnswer.Parts parts -> PARTS;
          case FragmentAnswer.Unfit unfit -> UNFIT;
          case FragmentAnswer.Extent extent -> EXTENT;
          case FragmentAnswer.Changes changes -> CHANGES;
          case FragmentAnswer.Metadata metadata -> METADATA;
          case FragmentAnswer.Hosts hosts -> HOSTS;
          case FragmentAnswer.Newest newest -> NEWEST;
          case FragmentAnswer.Reduced reduced -> REDUCED;
        });
    out.uvar(answer.epoch());
    strings(out, answer.covered());
    switch (answer) {
      case FragmentAnswer.Samples samples -> {
        Symbols symbols = new Symbols();
        body.uvar(samples.series().size());
        for (List<Series> selection : samples.series()) {
          body.uvar(selection.size());
          for (Series series : selection) {
            symbols.write(body, series.labels());
            samples(body, series);
          }
        }
        symbols.write(out);
      }
      case FragmentAnswer.Strings strings -> strings(out, strings.strings());
      case FragmentAnswer.Unfit unfit -> out.string(unfit.reason());
      case FragmentAnswer.Metadata metadata -> {
        out.uvar(metadata.metrics().size());
        for (var metric : new TreeMap<>(metadata.metrics()).entrySet()) {
          MetricMetadata said = metric.getValue();
          out.string(metric.getKey()).string(said.type()).string(said.help()).string(said.unit());
        }
      }
      case FragmentAnswer.Newest newest -> {
        out.u8(newest.gzip() ? 1 : 0).uvar(newest.families().size());
        for (FragmentAnswer.Family family : newest.families()) {
          GzipPiece lines = family.lines();
          out.string(family.name()).uvar(family.series()).uvar(lines.length());
          if (newest.gzip()) {
            out.uvar(lines.plainLength()).u32(lines.crc());
          }
          out.raw(lines.bytes(), lines.from(), lines.length());
        }
      }
      case FragmentAnswer.Reduced reduced -> {
        Symbols symbols = new Symbols();
        body.uvar(reduced.reductions().size());
        for (FragmentAnswer.Reductions each : reduced.reductions()) {
          strings(body, each.by());
          body.uvar(each.groups().size());
          each.groups().forEach(group -> symbols.write(body, group));
          body.uvar(each.metrics().size());
          each.metrics().forEach(metric -> reduction(body, metric));
        }
        symbols.write(out);
      }
      case FragmentAnswer.Hosts hosts -> {
        out.uvar(hosts.hosts().size());
        for (FragmentAnswer.Host host : hosts.hosts()) {
          out.string(host.name()).svar(host.newest()).uvar(host.tickMillis()).uvar(host.series());
        }
      }
      case FragmentAnswer.Changes changes -> {
        out.u64(changes.incarnation()).uvar(changes.cursor()).svar(changes.watermark());
        out.uvar(changes.hosts().size());
        for (FragmentAnswer.Changed host : changes.hosts()) {
          out.string(host.host()).u8(host.all() ? 1 : 0).uvar(host.buckets().size());
          host.buckets().forEach(out::svar);
        }
      }
      case FragmentAnswer.Extent extent -> {
        numbers(out, extent.series());
        numbers(out, extent.samples());
      }
      case FragmentAnswer.Parts parts -> {
        boolean whole = parts.read().equals(parts.covered());
        out.u8(whole ? 1 : 0);
        if (!whole) {
          strings(out, parts.read());
        }
        strings(out, parts.notes());
        Symbols symbols = new Symbols();
        body.uvar(parts.rollupCells()).uvar(parts.parts().size());
        for (PartResult part : parts.parts()) {
          PartsForm.write(body, symbols, part);
        }
        symbols.write(out);
      }
      case FragmentAnswer.LabelSets sets -> {
        Symbols symbols = new Symbols();
        body.uvar(sets.labelSets().size());
        for (Labels labels : sets.labelSets()) {
          symbols.write(body, labels);
        }
        symbols.write(out);
      }
    }
    return out.toBytes(body);
  }

  /** About how many bytes of lines there are. */
  private static int longLines(FragmentAnswer answer) {
    int length = 0;
    if (answer instanceof FragmentAnswer.Newest newest) {
      for (FragmentAnswer.Family family : newest.families()) {
        length += family.lines().length() + 64;
      }
    }
    return length;
  }

  /** About how many bytes of numbers there are. */
  private static int longNumbers(FragmentAnswer answer) {
    int length = 0;
    if (answer instanceof FragmentAnswer.Parts parts) {
      length = 1_024;
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
    }
    return length;
  }

  public static FragmentAnswer decodeAnswer(byte[] bytes) throws WireException {
    WireReader in = new WireReader(bytes);
    int kind = header(in, 'A');
    long epoch = in.uvar("the epoch");
    List<String> covered = strings(in, "covered hosts");
    FragmentAnswer answer =
        switch (kind) {
          case SAMPLES -> {
            List<String> symbols = strings(in, "strings");
            int selections = in.count(1, "selections");
            List<List<Series>> all = new ArrayList<>(selections);
            for (int i = 0; i < selections; i++) {
              int count = in.count(3, "series");
              List<Series> selection = new ArrayList<>(count);
              for (int j = 0; j < count; j++) {
                selection.add(samples(in, labels(in, symbols)));
              }
              all.add(selection);
            }
            yield new FragmentAnswer.Samples(epoch, covered, all);
          }
          case NAMES -> new FragmentAnswer.Strings(epoch, covered, strings(in, "strings"));
          case UNFIT -> new FragmentAnswer.Unfit(epoch, covered, in.string("the reason"));
          case METADATA -> {
            int count = in.count(4, "metrics");
            Map<String, MetricMetadata> metrics = new LinkedHashMap<>();
            for (int i = 0; i < count; i++) {
              metrics.put(
                  in.string("a metric"),
                  new MetricMetadata(
                      in.string("a metric's type"),
                      in.string("a metric's help"),
                      in.string("a metric's unit")));
            }
            yield new FragmentAnswer.Metadata(epoch, covered, metrics);
          }
          case NEWEST -> {
            boolean gzip = in.uint(1, "whether lines are packed") == 1;
            int count = in.count(3, "families");
            List<FragmentAnswer.Family> families = new ArrayList<>(count);
            for (int i = 0; i < count; i++) {
              String name = in.string("a family");
              int series = in.uint(Integer.MAX_VALUE, "a family's series");
              int length = in.uint(in.left(), "the length of lines");
              int plain = gzip ? in.uint(Integer.MAX_VALUE, "the length of packed lines") : length;
              int crc = gzip ? in.u32("the CRC of lines") : 0;
              GzipPiece lines = new GzipPiece(bytes, in.position(), length, plain, crc);
              families.add(new FragmentAnswer.Family(name, series, lines));
              in.skip(length, "lines");
            }
            yield new FragmentAnswer.Newest(epoch, covered, gzip, families);
          }
          case REDUCED -> {
            List<String> symbols = strings(in, "strings");
            int count = in.count(3, "reductions");
            List<FragmentAnswer.Reductions> reductions = new ArrayList<>(count);
            for (int i = 0; i < count; i++) {
              reductions.add(reductions(in, symbols));
            }
            yield new FragmentAnswer.Reduced(epoch, covered, reductions);
          }
          case HOSTS -> {
            int count = in.count(4, "hosts");
            List<FragmentAnswer.Host> hosts = new ArrayList<>(count);
            for (int i = 0; i < count; i++) {
              hosts.add(
                  new FragmentAnswer.Host(
                      in.string("a host"),
                      in.svar("a host's newest time"),
                      in.uvar("a host's tick"),
                      in.uvar("a host's series")));
            }
            yield new FragmentAnswer.Hosts(epoch, covered, hosts);
          }
          case EXTENT ->
              new FragmentAnswer.Extent(
                  epoch, covered, numbers(in, "series"), numbers(in, "samples"));
          case CHANGES -> changes(in, epoch, covered);
          case PARTS -> {
            boolean whole = in.uint(1, "whether all that was read is covered") == 1;
            List<String> read = whole ? covered : strings(in, "hosts");
            List<String> notes = strings(in, "notes");
            List<String> symbols = strings(in, "strings");
            long rollupCells = in.uvar("the number of rollup cells");
            int count = in.count(4, "parts");
            List<PartResult> parts = new ArrayList<>(count);
            for (int i = 0; i < count; i++) {
              parts.add(PartsForm.read(in, symbols));
            }
            yield new FragmentAnswer.Parts(epoch, covered, read, parts, notes, rollupCells);
          }
          case LABEL_SETS -> {
            List<String> symbols = strings(in, "strings");
            int count = in.count(1, "label sets");
            List<Labels> sets = new ArrayList<>(count);
            for (int i = 0; i < count; i++) {
              sets.add(labels(in, symbols));
            }
            yield new FragmentAnswer.LabelSets(epoch, covered, sets);
          }
          default -> throw new WireException("an answer of the unknown kind " + kind);
        };
    in.end("the answer");
    return answer;
  }

  private static void reduction(WireWriter out, FragmentAnswer.Reduction of) {
    int size = of.counts().length;
    out.string(of.metric());
    for (long count : of.counts()) {
      out.uvar(count);
    }
    for (double[] numbers : List.of(of.sums(), of.carries(), of.mins(), of.maxs())) {
      PartsForm.numbers(out, numbers, size);
    }
    long before = 0;
    for (long time : of.newest()) {
      out.svar(time - before);
      before = time;
    }
  }

  private static FragmentAnswer.Reductions reductions(WireReader in, List<String> symbols)
      throws WireException {
    List<String> by = strings(in, "labels");
    int size = in.count(1, "groups");
    List<Labels> groups = new ArrayList<>(size);
    for (int i = 0; i < size; i++) {
      groups.add(labels(in, symbols));
    }
    int count = in.count(1, "metrics");
    List<FragmentAnswer.Reduction> metrics = new ArrayList<>(count);
    for (int i = 0; i < count; i++) {
      metrics.add(reduction(in, size));
    }
    return new FragmentAnswer.Reductions(by, groups, metrics);
  }

  private static FragmentAnswer.Reduction reduction(WireReader in, int size) throws WireException {
    String metric = in.string("a metric");
    long[] counts = new long[size];
    for (int i = 0; i < size; i++) {
      counts[i] = in.uvar("a count");
    }
    double[][] numbers = new double[4][];
    for (int i = 0; i < numbers.length; i++) {
      numbers[i] = PartsForm.numbers(in);
      if (numbers[i] == null || numbers[i].length != size) {
        throw new WireException("a row of numbers has not as many places as there are groups");
      }
    }
    long[] newest = new long[size];
    long before = 0;
    for (int i = 0; i < size; i++) {
      before += in.svar("a time");
      newest[i] = before;
    }
    return new FragmentAnswer.Reduction(
        metric, counts, numbers[0], numbers[1], numbers[2], numbers[3], newest);
  }

  private static void samples(WireWriter out, Series series) {
    long[] times = series.times();
    double[] values = series.values();
    boolean integers = true;
    for (int i = 0; i < values.length && integers; i++) {
      integers = WholeNumber.is(values[i]);
    }
    int form = series.histograms() != null ? MIXED : integers ? INTEGERS : DOUBLES;
    out.uvar(times.length).u8(form);
    long time = 0;
    long distance = 0;
    for (int i = 0; i < times.length; i++) {
      long next = times[i] - time;
      out.svar(next - distance);
      // The first time is far from 0; its distance says nothing about the next.
      distance = i == 0 ? 0 : next;
      time = times[i];
    }
    if (form == MIXED) {
      mixed(out, series);
    } else if (integers) {
      long previous = 0;
      for (double value : values) {
        out.svar((long) value - previous);
        previous = (long) value;
      }
    } else {
      for (double value : values) {
        out.f64(value);
      }
    }
  }

  private static void mixed(WireWriter out, Series series) {
    for (int i = 0; i < series.size(); i++) {
      Histogram histogram = series.histograms()[i];
      if (histogram == null) {
        out.u8(NUMBER).f64(series.values()[i]);
      } else {
        out.u8(HISTOGRAM);
        HistogramForm.write(out, histogram);
      }
    }
  }

  private static Series samples(WireReader in, Labels labels) throws WireException {
    int count = in.count(2, "samples");
    int form = in.uint(MIXED, "the form of values");
    long[] times = new long[count];
    double[] values = new double[count];
    long time = 0;
    long distance = 0;
    for (int i = 0; i < count; i++) {
      long next = distance + in.svar("a time");
      time += next;
      distance = i == 0 ? 0 : next;
      times[i] = time;
    }
    if (form == MIXED) {
      return mixed(in, labels, times);
    }
    long whole = 0;
    for (int i = 0; i < count; i++) {
      if (form == INTEGERS) {
        whole += in.svar("an integer");
        values[i] = whole;
      } else {
        values[i] = in.f64("a double");
      }
    }
    return new Series(labels, times, values);
  }

  private static Series mixed(WireReader in, Labels labels, long[] times) throws WireException {
    double[] values = new double[times.length];
    Histogram[] histograms = new Histogram[times.length];
    for (int i = 0; i < times.length; i++) {
      if (in.uint(HISTOGRAM, "the kind of a sample") == NUMBER) {
        values[i] = in.f64("a double");
      } else {
        values[i] = Staleness.MARKER;
        histograms[i] = HistogramForm.read(in);
      }
    }
    return new Series(labels, times, values, histograms);
  }

  // --- parts of both ---

  private static FragmentAnswer changes(WireReader in, long epoch, List<String> covered)
      throws WireException {
    long incarnation = in.u64("the incarnation");
    long cursor = in.uvar("the cursor");
    long watermark = in.svar("the watermark");
    int count = in.count(3, "hosts");
    List<FragmentAnswer.Changed> hosts = new ArrayList<>(count);
    for (int i = 0; i < count; i++) {
      String host = in.string("a host");
      boolean all = in.uint(1, "whether all has changed") == 1;
      int bucketCount = in.count(1, "buckets");
      List<Long> buckets = new ArrayList<>(bucketCount);
      for (int j = 0; j < bucketCount; j++) {
        buckets.add(in.svar("a bucket"));
      }
      hosts.add(new FragmentAnswer.Changed(host, all, buckets));
    }
    return new FragmentAnswer.Changes(epoch, covered, incarnation, cursor, watermark, hosts);
  }

  private static void numbers(WireWriter out, List<Long> numbers) {
    out.uvar(numbers.size());
    numbers.forEach(out::uvar);
  }

  private static List<Long> numbers(WireReader in, String what) throws WireException {
    int count = in.count(1, what);
    List<Long> numbers = new ArrayList<>(count);
    for (int i = 0; i < count; i++) {
      numbers.add(in.uvar(what));
    }
    return numbers;
  }

  /** Whether the answer to a part of a query can be written: it has no histograms. */
  public static boolean fits(PartResult part) {
    return PartsForm.fits(part);
  }

  /** Strings of an answer, each written once. */
  static final class Symbols {
    private final Map<String, Integer> ids = new HashMap<>();
    private final List<String> strings = new ArrayList<>();

    void write(WireWriter out, Labels labels) {
      out.uvar(labels.size());
      for (int i = 0; i < labels.size(); i++) {
        out.uvar(id(labels.name(i))).uvar(id(labels.value(i)));
      }
    }

    private int id(String string) {
      Integer known = ids.putIfAbsent(string, strings.size());
      if (known == null) {
        strings.add(string);
        return strings.size() - 1;
      }
      return known;
    }

    private void write(WireWriter out) {
      strings(out, strings);
    }
  }

  static Labels labels(WireReader in, List<String> symbols) throws WireException {
    int pairs = in.count(2, "labels");
    String[] flat = new String[2 * pairs];
    for (int i = 0; i < flat.length; i++) {
      flat[i] = symbols.get(in.uint(symbols.size() - 1, "a string's number"));
    }
    try {
      return Labels.of(flat);
    } catch (IllegalArgumentException e) {
      throw new WireException("a label set is not one: " + e.getMessage());
    }
  }

  private static int header(WireReader in, char letter) throws WireException {
    int first = in.u8("the first byte");
    int second = in.u8("the second byte");
    int version = in.u8("the version");
    if (first != 'F' || second != letter || version != VERSION) {
      throw new WireException(
          "the bytes begin with "
              + first
              + ", "
              + second
              + ", "
              + version
              + "; wanted are 'F', '"
              + letter
              + "' and version "
              + VERSION);
    }
    return in.u8("the kind");
  }

  private static void strings(WireWriter out, List<String> strings) {
    out.uvar(strings.size());
    for (String string : strings) {
      out.string(string);
    }
  }

  private static List<String> strings(WireReader in, String what) throws WireException {
    int count = in.count(1, what);
    List<String> strings = new ArrayList<>(count);
    for (int i = 0; i < count; i++) {
      strings.add(in.string(what));
    }
    return strings;
  }
}
