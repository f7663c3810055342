package io.fleetgauge.gateway.serve;

import com.github.benmanes.caffeine.cache.Cache;
import io.fleetgauge.gateway.store.CacheUse;
import io.fleetgauge.gateway.store.Store;
import io.fleetgauge.gateway.store.read.NewestSamples;
import io.fleetgauge.promql.expr.Matcher;
import io.fleetgauge.promql.fragment.NewestQuestion;
import io.fleetgauge.promql.lookup.MetricLines;
import io.fleetgauge.promql.lookup.TooManySamples;
import io.fleetgauge.sample.Labels;
import io.fleetgauge.sample.gzip.GzipPiece;
import io.fleetgauge.sample.prometheus.ExpositionLine;
import io.fleetgauge.sample.prometheus.ExpositionLines;
import io.fleetgauge.sample.prometheus.NameEscaping;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/**
 * The newest sample of each series as a line of the text exposition. Federation asks the same
 * repeatedly, so the series and the texts of their labels are cached. Safe for all threads.
 */
final class NewestLines {
  private final Store store;
  private final Cache<Asked, Known> known = NewestOfHosts.cache();

  private record Asked(List<List<Matcher>> selectors, NameEscaping escaping) {}

  /** The start of a series' line, and the number of its family. */
  private record Start(int family, byte[] text) {}

  /** The cached state of a request. */
  private static final class Known implements NewestOfHosts.Known {
    private final Asked question;
    private final NewestOfHosts<Start> hosts;
    private final Map<String, Integer> families = new ConcurrentHashMap<>();
    private final List<String> names = new ArrayList<>();

    /** Bytes of each family in the last answer. */
    private final Map<Integer, Integer> sizes = new ConcurrentHashMap<>();

    Known(Asked question) {
      this.question = question;
      this.hosts = new NewestOfHosts<>(question.selectors, this::start);
    }

    @Override
    public NewestOfHosts<Start> hosts() {
      return hosts;
    }

    private Start start(Labels labels) {
      int family = families.computeIfAbsent(labels.metric(), this::number);
      String text = ExpositionLine.start(labels, question.escaping);
      return new Start(family, text.getBytes(StandardCharsets.UTF_8));
    }

    private int number(String metric) {
      synchronized (names) {
        names.add(metric);
        return names.size() - 1;
      }
    }

    /** Expected bytes of a family. */
    int expected(int family) {
      return sizes.getOrDefault(family, 1_024) + 1_024;
    }

    void had(int family, int size) {
      sizes.put(family, size);
    }

    List<String> names() {
      synchronized (names) {
        return List.copyOf(names);
      }
    }
  }

  NewestLines(Store store) {
    this.store = store;
  }

  CacheUse use() {
    return CacheUse.of(known);
  }

  /**
   * @throws TooManySamples if there are more series or bytes than the question allows
   */
  NewestQuestion.Answer run(NewestQuestion asked, List<String> covered) throws TooManySamples {
    Asked question = new Asked(asked.selectors(), asked.escaping());
    Known of = known.get(question, Known::new);
    List<NewestSamples<Start>> all = of.hosts.of(store, covered);
    known.put(question, of);
    long series = all.stream().mapToLong(NewestSamples::size).sum();
    if (series > asked.mostSeries()) {
      throw TooManySamples.of("series on one gateway", series, asked.mostSeries());
    }
    List<ExpositionLines> lines = new ArrayList<>();
    for (NewestSamples<Start> samples : all) {
      samples.read(
          asked.after(),
          asked.to(),
          (start, time, value) -> {
            while (lines.size() <= start.family) {
              lines.add(new ExpositionLines(of.expected(lines.size())));
            }
            lines.get(start.family).add(start.text, value, time);
          });
    }
    long bytes = 0;
    List<String> names = of.names();
    for (int i = 0; i < lines.size(); i++) {
      bytes += lines.get(i).size();
      of.had(i, lines.get(i).size());
    }
    if (bytes > asked.mostBytes()) {
      throw TooManySamples.of("bytes on one gateway", bytes, asked.mostBytes());
    }
    List<MetricLines> families = new ArrayList<>();
    try (GzipPiece.Compressor compressor = new GzipPiece.Compressor()) {
      for (int i = 0; i < lines.size(); i++) {
        ExpositionLines each = lines.get(i);
        if (each.count() > 0) {
          GzipPiece piece =
              asked.gzip()
                  ? compressor.of(each.array(), 0, each.size())
                  : new GzipPiece(each.array(), 0, each.size(), each.size(), 0);
          families.add(new MetricLines(names.get(i), each.count(), piece));
        }
      }
    }
    return new NewestQuestion.Answer(asked.gzip(), families);
  }
}
