package io.fleetgauge.query.store;

import io.fleetgauge.promql.expr.Expr;
import io.fleetgauge.promql.expr.Matcher;
import io.fleetgauge.promql.expr.TextSpan;
import io.fleetgauge.promql.lookup.SeriesSearch;
import io.fleetgauge.promql.query.Answer;
import io.fleetgauge.promql.query.Query;
import io.fleetgauge.promql.query.QueryFailure;
import io.fleetgauge.promql.query.Selection;
import io.fleetgauge.query.config.SourceSettings;
import io.fleetgauge.query.source.ReadOptions;
import io.fleetgauge.runtime.process.StartFailure;
import io.fleetgauge.sample.Labels;
import io.fleetgauge.sample.Series;
import io.fleetgauge.sample.Staleness;
import io.fleetgauge.sample.Utf8Order;
import io.fleetgauge.sample.prometheus.MetricMetadata;
import io.fleetgauge.sample.prometheus.NameEscaping;
import io.fleetgauge.sample.prometheus.Numbers;
import io.fleetgauge.sample.prometheus.ReadBudget;
import io.fleetgauge.sample.wire.WireException;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.WorkerExecutor;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.StringJoiner;
import java.util.TreeSet;
import java.util.regex.Pattern;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One store that speaks Prometheus's API. Reads fail with a {@link QueryFailure}: of the kind
 * {@code UNAVAILABLE} if the store gave no proper answer, with a text that follows its name.
 * Thread-safe.
 */
public final class ForeignStore implements AutoCloseable {
  /** Prometheus takes no earlier time, and has no earlier sample. */
  private static final long EARLIEST = 0;

  /** The end of the year 9999, which every store takes, ms. */
  private static final long LATEST = 253_402_300_799_000L;

  /** Begin remarks about a query, which say nothing about missing data. */
  private static final String REMARK = "PromQL ";

  /** Of a list that is as long as was asked for. */
  private static final String TRUNCATED = "truncated due to limit";

  private static final Logger LOG = LoggerFactory.getLogger(ForeignStore.class);
  private static final Pattern SIMPLE = Pattern.compile("[a-zA-Z_][a-zA-Z0-9_]*");

  private final SourceSettings settings;
  private final StoreLabels labels;
  private final StoreClient client;
  private final WorkerExecutor worker;

  /**
   * What a store has, and what is wrong with that.
   *
   * @param problem empty if nothing is wrong; else a text that follows the store's name
   */
  public record Found<T>(T value, String problem) {}

  /** A selection with what is sent for it. */
  record Asked(Selection selection, List<Matcher> sent) {}

  /** What is read of a response. */
  @FunctionalInterface
  private interface Decoding<T> {
    T decoded() throws WireException, QueryFailure;
  }

  /**
   * @param worker decodes responses
   * @throws StartFailure if a file with a secret cannot be used
   */
  public ForeignStore(Vertx vertx, SourceSettings settings, WorkerExecutor worker)
      throws StartFailure {
    this.settings = settings;
    this.labels = StoreLabels.of(settings);
    this.client = new StoreClient(vertx, settings);
    this.worker = worker;
  }

  public String name() {
    return settings.name();
  }

  public SourceSettings settings() {
    return settings;
  }

  StoreCounts counts() {
    return client.counts();
  }

  /** Returns true if series there may match. */
  public boolean mayHave(List<Matcher> matchers) {
    return labels.sent(matchers).isPresent();
  }

  private <T> Future<T> decoded(Decoding<T> decoding) {
    return worker.executeBlocking(
        () -> {
          try {
            return decoding.decoded();
          } catch (WireException e) {
            client.counts().errors.increment();
            throw StoreClient.unavailable("sent an improper response: " + e.getMessage());
          } catch (RuntimeException e) {
            client.counts().errors.increment();
            LOG.warn("a response of the source {} cannot be read", name(), e);
            throw StoreClient.unavailable("sent an improper response");
          }
        },
        false);
  }

  private ReadBudget budget(long samples) {
    return new ReadBudget(Math.min(samples, settings.maxSamples()), settings.maxBytes());
  }

  private static void requireOk(StoreClient.Response response) throws QueryFailure {
    if (response.status() != 200) {
      throw StoreClient.unavailable("responded with status " + response.status());
    }
  }

  // --- samples ---

  /**
   * The samples of selections: one list for each, ordered by label set, each label set once.
   *
   * @param most how many samples there may be; more is a failure of the query
   */
  public Future<Found<List<List<Series>>>> samples(
      List<Selection> selections, long most, ReadOptions options) {
    List<Optional<Asked>> all = selections.stream().map(this::asked).toList();
    List<Asked> asked = all.stream().flatMap(Optional::stream).toList();
    if (asked.isEmpty()) {
      return Future.succeededFuture(
          new Found<>(selections.stream().map(each -> List.<Series>of()).toList(), ""));
    }
    Future<Raw> read =
        settings.kind().hasRemoteRead
            ? new RemoteReadRequest(client, asked).read(this::decoding, most, options)
            : queried(asked, most, options);
    return read.compose(raw -> decoded(() -> shown(all, raw)));
  }

  /**
   * Series in the store's labels, as they came.
   *
   * @param series one list for each selection
   */
  record Raw(List<List<Series>> series, String problem) {}

  private Optional<Asked> asked(Selection selection) {
    Selection some =
        new Selection(
            selection.matchers(),
            Math.max(EARLIEST, selection.from()),
            Math.min(LATEST, selection.to()));
    return labels
        .sent(selection.matchers())
        .filter(sent -> some.from() < some.to())
        .map(sent -> new Asked(some, sent));
  }

  /** Reads a response elsewhere than on the event loop. */
  private Future<Raw> decoding(long most, RemoteReadRequest.Reading reading) {
    return decoded(
        () -> {
          ReadBudget budget = budget(most);
          try {
            return reading.read(budget, settings.maxBytes());
          } catch (WireException e) {
            if (budget.samples() > most) {
              throw QueryFailure.tooManySamples(most);
            }
            throw e;
          }
        });
  }

  /** Raw samples by queries, which have no staleness markers. */
  private Future<Raw> queried(List<Asked> asked, long most, ReadOptions options) {
    List<Future<Raw>> reads =
        asked.stream()
            .map(
                each ->
                    client
                        .form("/api/v1/query", window(each), options)
                        .compose(
                            response ->
                                decoding(most, (budget, bytes) -> matrix(response, budget))))
            .toList();
    return Future.all(reads)
        .compose(
            none -> {
              List<List<Series>> series = new ArrayList<>();
              String problem = "";
              long samples = 0;
              for (Future<Raw> each : reads) {
                series.addAll(each.result().series);
                problem = problem.isEmpty() ? each.result().problem : problem;
                samples += each.result().series.getFirst().stream().mapToLong(Series::size).sum();
              }
              return samples > most
                  ? Future.failedFuture(QueryFailure.tooManySamples(most))
                  : Future.succeededFuture(new Raw(series, problem));
            });
  }

  /** A window of Prometheus is open at its start, as selections are. */
  private static List<String> window(Asked asked) {
    Selection selection = asked.selection;
    Expr.Window window =
        new Expr.Window(
            new Expr.Selector(asked.sent, Expr.Shift.NONE, TextSpan.NONE),
            selection.to() - selection.from(),
            TextSpan.NONE);
    return List.of("query", window.toString(), "time", Numbers.seconds(selection.to()));
  }

  /** VictoriaMetrics returns staleness markers, and prints them as NaN. */
  private static Series withMarkers(Series series) {
    double[] values = series.values().clone();
    for (int i = 0; i < values.length; i++) {
      values[i] = Double.isNaN(values[i]) ? Staleness.MARKER : values[i];
    }
    return new Series(series.labels(), series.times(), values);
  }

  private Raw matrix(StoreClient.Response response, ReadBudget budget)
      throws WireException, QueryFailure {
    requireOk(response);
    StoreJson read =
        StoreJson.read(response.body(settings.maxBytes()), StoreJson.Data.RESULT, budget);
    if (!read.resultType().equals("matrix")) {
      throw new WireException("the result of a range is a " + read.resultType());
    }
    String problem =
        read.hasHistograms()
            ? "has native histograms, which cannot be read by queries"
            : problem(read);
    List<Series> series =
        settings.kind() == SourceSettings.Kind.VICTORIAMETRICS
            ? read.series().stream().map(ForeignStore::withMarkers).toList()
            : read.series();
    return new Raw(List.of(series), problem);
  }

  /** What a store says is missing from its own response. */
  private static String problem(StoreJson read) {
    return read.warnings().stream()
        .filter(each -> !each.startsWith(REMARK) && !each.contains(TRUNCATED))
        .findFirst()
        .map(each -> "warns: " + each)
        .orElse("");
  }

  /** Series in our labels, without what was not asked for. */
  private Found<List<List<Series>>> shown(List<Optional<Asked>> all, Raw raw) throws WireException {
    List<List<Series>> shown = new ArrayList<>();
    int next = 0;
    long dropped = 0;
    for (Optional<Asked> asked : all) {
      if (asked.isEmpty()) {
        shown.add(List.of());
        continue;
      }
      List<Series> series = new ArrayList<>();
      for (Series each : raw.series.get(next++)) {
        if (!StoreLabels.areMeant(each.labels(), asked.get().sent)) {
          dropped++;
          continue;
        }
        Series cut = cut(each, asked.get().selection);
        if (cut.size() > 0) {
          series.add(
              new Series(labels.seen(cut.labels()), cut.times(), cut.values(), cut.histograms()));
        }
      }
      series.sort(Comparator.comparing(Series::labels));
      shown.add(Series.joinEqual(series));
    }
    return new Found<>(shown, dropped(dropped).orElse(raw.problem));
  }

  private Optional<String> dropped(long series) {
    client.counts().droppedSeries.add(series);
    return series == 0
        ? Optional.empty()
        : Optional.of("sent " + series + " series that were not asked for, which are left out");
  }

  private static Series cut(Series series, Selection to) {
    int begin = Series.firstAfter(series.times(), 0, series.size(), to.from());
    int end = Series.firstAfter(series.times(), begin, series.size(), to.to());
    return series.part(begin, end);
  }

  // --- queries ---

  /** A query that this store can evaluate; empty if it has to be evaluated from samples. */
  public Optional<Evaluation> evaluation(Query query) {
    return settings.pushesDown()
        ? StoreQuery.of(query, labels).map(each -> options -> evaluated(each, options))
        : Optional.empty();
  }

  /** Has a query evaluated. */
  @FunctionalInterface
  public interface Evaluation {
    /**
     * The result; empty if the query has to be evaluated from samples, because the store refuses it
     * or its answer cannot be used as it is.
     */
    Future<Optional<Found<Answer.Result>>> run(ReadOptions options);
  }

  private Future<Optional<Found<Answer.Result>>> evaluated(StoreQuery asked, ReadOptions options) {
    Query query = asked.query();
    List<String> parameters = new ArrayList<>(List.of("query", asked.text()));
    if (query.isInstant()) {
      parameters.addAll(List.of("time", Numbers.seconds(query.start())));
    } else {
      parameters.addAll(List.of("start", Numbers.seconds(query.start())));
      parameters.addAll(List.of("end", Numbers.seconds(query.grid().last())));
      parameters.addAll(List.of("step", Numbers.seconds(query.step())));
    }
    String path = query.isInstant() ? "/api/v1/query" : "/api/v1/query_range";
    return client
        .form(path, parameters, options)
        .compose(response -> decoded(() -> result(asked, response)));
  }

  private Optional<Found<Answer.Result>> result(StoreQuery asked, StoreClient.Response response)
      throws WireException {
    if (response.isRefusal()) {
      return Optional.empty();
    }
    StoreJson read =
        StoreJson.read(
            response.body(settings.maxBytes()),
            StoreJson.Data.RESULT,
            budget(settings.maxSamples()));
    boolean isInstant = asked.query().isInstant();
    boolean isUsable =
        read.resultType().equals(isInstant ? "vector" : "matrix")
            && !read.hasHistograms()
            // They have positions in the text that was sent.
            && read.warnings().stream().noneMatch(each -> each.startsWith(REMARK))
            && read.series().stream().allMatch(asked::mayBe);
    if (!isUsable) {
      return Optional.empty();
    }
    return Optional.of(new Found<>(isInstant ? vector(asked, read) : matrix(read), problem(read)));
  }

  private static Answer.Result matrix(StoreJson read) {
    return new Answer.Matrix(
        read.series().stream().sorted(Comparator.comparing(Series::labels)).toList());
  }

  private static Answer.Result vector(StoreQuery asked, StoreJson read) {
    return new Answer.Vector(
        asked.query().start(),
        read.series().stream()
            .filter(each -> each.size() == 1)
            .map(each -> new Answer.Sample(each.labels(), each.values()[0]))
            .toList());
  }

  /**
   * Those of some hosts that have samples here from a time up to their seams.
   *
   * @param seams by host; a sample at this time does not count, ms
   */
  public Future<Set<String>> haveSamples(Map<String, Long> seams, long from, ReadOptions options) {
    StringJoiner query = new StringJoiner(" or ", "group by (" + labels.hostThere() + ") (", ")");
    seams.forEach(
        (host, seam) -> {
          List<Matcher> matchers = new ArrayList<>(labels.always());
          matchers.add(Matcher.equal(labels.hostThere(), host));
          Expr.Shift before = new Expr.Shift(Optional.of(new Expr.At.Time(seam - 1)), 0);
          long length = Math.max(1, seam - 1 - Math.max(EARLIEST, from));
          Expr.Window window =
              new Expr.Window(
                  new Expr.Selector(matchers, before, TextSpan.NONE), length, TextSpan.NONE);
          query.add("last_over_time(" + window + ")");
        });
    return client
        .form("/api/v1/query", List.of("query", query.toString()), options)
        .compose(
            response ->
                decoded(
                    () -> {
                      requireOk(response);
                      Set<String> hosts = new HashSet<>();
                      StoreJson.read(
                              response.body(settings.maxBytes()),
                              StoreJson.Data.RESULT,
                              budget(seams.size()))
                          .series()
                          .forEach(each -> hosts.add(each.labels().value(labels.hostThere())));
                      return hosts;
                    }));
  }

  // --- labels ---

  /** Sorted names of labels. */
  public Future<Found<List<String>>> labelNames(SeriesSearch search, ReadOptions options) {
    if (!search.matchers().isEmpty()) {
      return ofSets(search, options, (set, into) -> names(set, into));
    }
    return client
        .form("/api/v1/labels", parameters(search, everything(), search.limit()), options)
        .compose(response -> decoded(() -> texts(response)))
        .map(
            found -> {
              List<String> all = new ArrayList<>();
              for (String name : found.value) {
                if (name.equals(labels.hostThere())) {
                  all.add(labels.host());
                } else if (labels.there(name).isPresent()) {
                  all.add(name);
                }
              }
              return new Found<>(sorted(all), found.problem);
            });
  }

  private static void names(Labels set, Collection<String> into) {
    for (int i = 0; i < set.size(); i++) {
      into.add(set.name(i));
    }
  }

  /** Sorted values of a label. */
  public Future<Found<List<String>>> labelValues(
      String label, SeriesSearch search, ReadOptions options) {
    Optional<String> there = labels.there(label);
    if (there.isEmpty()) {
      return Future.succeededFuture(new Found<>(List.of(), ""));
    }
    if (!search.matchers().isEmpty()) {
      return ofSets(search, options, (set, into) -> value(set.value(label), into));
    }
    return client
        .get(
            "/api/v1/label/" + segment(there.get()) + "/values",
            parameters(search, everything(), search.limit()),
            options)
        .compose(response -> decoded(() -> texts(response)))
        .map(found -> new Found<>(sorted(found.value), found.problem));
  }

  /** A name in a path: another one than most is escaped as Prometheus does it. */
  private static String segment(String label) {
    return SIMPLE.matcher(label).matches() ? label : NameEscaping.VALUES.escaped(label, false);
  }

  private static void value(String value, Collection<String> into) {
    if (!value.isEmpty()) {
      into.add(value);
    }
  }

  private static List<String> sorted(Collection<String> texts) {
    TreeSet<String> all = new TreeSet<>(Utf8Order::compare);
    all.addAll(texts);
    return List.copyOf(all);
  }

  private Found<List<String>> texts(StoreClient.Response response)
      throws WireException, QueryFailure {
    requireOk(response);
    StoreJson read =
        StoreJson.read(response.body(settings.maxBytes()), StoreJson.Data.TEXTS, budget(0));
    return new Found<>(read.texts(), problem(read));
  }

  /** Adds what a label set has. */
  @FunctionalInterface
  private interface Part {
    void add(Labels set, Collection<String> into);
  }

  /** What a list alone has cannot be checked: series are read in its place. */
  private Future<Found<List<String>>> ofSets(SeriesSearch search, ReadOptions options, Part part) {
    SeriesSearch all = new SeriesSearch(search.from(), search.to(), 0, search.matchers());
    return labelSets(all, options)
        .map(
            found -> {
              TreeSet<String> texts = new TreeSet<>(Utf8Order::compare);
              found.value.forEach(set -> part.add(set, texts));
              return new Found<>(List.copyOf(texts), found.problem);
            });
  }

  /** Sorted label sets of series. */
  public Future<Found<List<Labels>>> labelSets(SeriesSearch search, ReadOptions options) {
    List<List<Matcher>> sent =
        search.matchers().isEmpty()
            ? named(everything())
            : search.matchers().stream().flatMap(each -> labels.sent(each).stream()).toList();
    if (sent.isEmpty()) {
      return Future.succeededFuture(new Found<>(List.of(), ""));
    }
    return client
        .form("/api/v1/series", parameters(search, sent, search.limit()), options)
        .compose(
            response ->
                decoded(
                    () -> {
                      requireOk(response);
                      return sets(
                          StoreJson.read(
                              response.body(settings.maxBytes()),
                              StoreJson.Data.LABEL_SETS,
                              budget(0)),
                          sent);
                    }));
  }

  private Found<List<Labels>> sets(StoreJson read, List<List<Matcher>> sent) {
    TreeSet<Labels> all = new TreeSet<>();
    long dropped = 0;
    for (Labels each : read.labelSets()) {
      if (sent.stream().anyMatch(matchers -> StoreLabels.areMeant(each, matchers))) {
        all.add(labels.seen(each));
      } else {
        dropped++;
      }
    }
    return new Found<>(List.copyOf(all), dropped(dropped).orElse(problem(read)));
  }

  /** Selectors of everything that is read there; none if that is all there is. */
  private List<List<Matcher>> everything() {
    return labels.always().isEmpty() ? List.of() : List.of(labels.always());
  }

  private static List<List<Matcher>> named(List<List<Matcher>> selectors) {
    return selectors.isEmpty()
        ? List.of(List.of(Matcher.of(Matcher.Kind.NOT_EQUAL, Labels.NAME, "")))
        : selectors;
  }

  private static List<String> parameters(
      SeriesSearch search, List<List<Matcher>> selectors, int limit) {
    List<String> all = new ArrayList<>();
    all.addAll(List.of("start", Numbers.seconds(Math.max(EARLIEST, search.from()))));
    all.addAll(List.of("end", Numbers.seconds(Math.min(LATEST, search.to()))));
    for (List<Matcher> each : selectors) {
      all.add("match[]");
      all.add(new Expr.Selector(each, Expr.Shift.NONE, TextSpan.NONE).toString());
    }
    if (limit > 0) {
      all.addAll(List.of("limit", Integer.toString(limit)));
    }
    return all;
  }

  /** Metadata of metrics, by name. */
  public Future<Found<Map<String, MetricMetadata>>> metadata(ReadOptions options) {
    return client
        .get("/api/v1/metadata", List.of(), options)
        .compose(
            response ->
                decoded(
                    () -> {
                      requireOk(response);
                      StoreJson read =
                          StoreJson.read(
                              response.body(settings.maxBytes()),
                              StoreJson.Data.METADATA,
                              budget(0));
                      return new Found<>(read.metadata(), problem(read));
                    }));
  }

  @Override
  public void close() {
    client.close();
  }
}
