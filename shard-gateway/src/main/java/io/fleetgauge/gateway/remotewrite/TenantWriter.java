package io.fleetgauge.gateway.remotewrite;

import io.fleetgauge.sample.Histogram;
import io.fleetgauge.sample.Labels;
import io.fleetgauge.sample.frame.DerivedRuns;
import io.fleetgauge.sample.frame.HostLabels;
import io.fleetgauge.sample.frame.IntakeProtocol;
import io.fleetgauge.sample.frame.RunDictionary;
import io.fleetgauge.sample.prometheus.MetricMetadata;
import io.fleetgauge.sample.prometheus.RemoteWriteReader;
import io.fleetgauge.sample.prometheus.RemoteWriteReader.Version;
import io.fleetgauge.sample.relabel.Relabelling;
import io.fleetgauge.sample.wire.WireException;
import java.nio.charset.CharacterCodingException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.random.RandomGenerator;

/**
 * Turns the remote writes of one tenant into frames for the owners of the hosts. It recognises
 * series that were sent before by their bytes. Safe for all threads.
 */
final class TenantWriter {
  /** No series. */
  private static final int NONE = -1;

  /** The number of a series that is refused. */
  private static final int REFUSED = -1;

  /** The number of a series that is refused because its labels are not those of the tenant. */
  private static final int FOREIGN = -2;

  /** The number of a series that the operator's rules drop. */
  private static final int DROPPED = -3;

  private final Rule rule;
  private final Relabelling relabelling;

  private final HostLabels hostLabels;
  private final long latestFuture;
  private final MetadataTable.OfTenant metadata;
  private final RandomGenerator random;

  // All guarded by this.
  private Map<String, HostRun> hosts = new HashMap<>();
  private SeriesTable table;
  private HostRun[] hostBySeries;
  private int[] idBySeries;
  private String[] refusalBySeries;
  private boolean full;

  private volatile int keyBytes;

  /**
   * The rule for the series that a tenant writes.
   *
   * @param tenant its name
   * @param required labels that every series must have
   * @param stamps whether these labels are added instead
   * @param derived whether the samples were derived from others
   */
  record Rule(String tenant, Labels required, boolean stamps, boolean derived) {}

  /**
   * The samples of a request for one host, as frames.
   *
   * @param histograms whether all its samples are histograms; otherwise none is
   * @param isNew whether each sample is newer than all that was taken of its series before, so that
   *     there is nothing to ask its owner about
   */
  record Part(String host, byte[] body, int samples, boolean histograms, boolean isNew) {}

  /**
   * The samples that were refused before any owner was asked.
   *
   * @param reasons the first few, each once
   * @param invalid how many series and histograms are invalid, and samples contradict another one
   * @param foreign how many series have not the labels that the tenant must write
   * @param ahead how many samples are ahead of the clock
   */
  record Refusals(List<String> reasons, int invalid, int foreign, int ahead) {
    int count() {
      return invalid + foreign + ahead;
    }
  }

  /**
   * A request in parts.
   *
   * @param samples how many samples of accepted series are numbers
   * @param histograms how many of them are histograms
   * @param droppedSamples how many samples belong to series that relabelling drops
   * @param droppedHistograms how many histograms do
   * @param ahead why the first sample that is ahead of the clock is refused; empty if none is
   */
  record Request(
      List<Part> parts,
      int samples,
      int histograms,
      int exemplars,
      Refusals refused,
      int droppedSamples,
      int droppedHistograms,
      String ahead) {

    /** The parts whose owners may refuse samples because of what they have. */
    Request doubtful() {
      return new Request(
          parts.stream().filter(part -> !part.isNew).toList(),
          samples,
          histograms,
          exemplars,
          refused,
          droppedSamples,
          droppedHistograms,
          ahead);
    }
  }

  /**
   * @param relabelling is applied to each series once, before anything else is asked of its labels
   * @param metadata receives the metadata of metrics
   * @param future how far ahead of the clock a sample may be, ms
   */
  TenantWriter(
      Rule rule,
      Relabelling relabelling,
      HostLabels hostLabels,
      long future,
      MetadataTable.OfTenant metadata,
      RandomGenerator random) {
    this.rule = rule;
    this.relabelling = relabelling;
    this.metadata = metadata;
    this.hostLabels = hostLabels;
    this.latestFuture = future;
    this.random = random;
    begin();
  }

  private void begin() {
    table = new SeriesTable(new SipHash(random.nextLong(), random.nextLong()));
    hosts = new HashMap<>();
    hostBySeries = new HostRun[1 << 10];
    idBySeries = new int[1 << 10];
    refusalBySeries = new String[1 << 10];
    full = false;
    keyBytes = 0;
  }

  /** Forgets all series; the next request starts new runs. */
  synchronized void forget() {
    begin();
  }

  /** Bytes of the keys of all known series. */
  int keyBytes() {
    return keyBytes;
  }

  /** The dictionary of the run for a host; empty if there is none. */
  synchronized byte[] dictionary(String host) {
    HostRun run = hosts.get(host);
    return run == null ? new byte[0] : run.dictionary();
  }

  /** Not all that was read for a host is kept: what its owner has is unknown. */
  synchronized void notKept(String host) {
    HostRun run = hosts.get(host);
    if (run != null) {
      run.notKept();
    }
  }

  /**
   * @param now ms since the epoch
   * @throws WireException if the bytes are not a message of the version
   */
  synchronized Request read(Version version, byte[] bytes, int size, long now)
      throws WireException {
    boolean isBegun = full || table.size() == 0;
    if (full) {
      begin();
    }
    try {
      return split(version, bytes, size, now);
    } catch (WireException e) {
      if (isBegun || !full) {
        throw e;
      }
      // It may fit into new runs.
      begin();
      return split(version, bytes, size, now);
    }
  }

  private Request split(Version version, byte[] bytes, int size, long now) throws WireException {
    Split split = new Split(now + latestFuture);
    try {
      new RemoteWriteReader(version, bytes, size).read(split);
      return split.request();
    } finally {
      split.clear();
      keyBytes = table.keyBytes();
    }
  }

  private final class Split implements RemoteWriteReader.Sink {
    private static final int MAX_REASONS = 10;

    private final long latest;
    private final List<HostRun> numbers = new ArrayList<>();
    private final Map<String, List<HistogramSample>> histograms = new HashMap<>();
    private final List<String> reasons = new ArrayList<>();
    private int invalid;
    private int foreign;
    private int aheadSamples;
    private int droppedSamples;
    private int droppedHistograms;
    private int samples;
    private int histogramCount;
    private int exemplars;
    private String ahead = "";
    private int series = NONE;

    /** Where in the body the key of the series begins that was recognised last. */
    private int knownAt = NONE;

    private record HistogramSample(int id, long time, Histogram histogram) {}

    Split(long latest) {
      this.latest = latest;
    }

    @Override
    public int known(byte[] body, int from, int to) {
      int length = series == NONE ? 0 : table.begins(table.follower(series), body, from, to);
      knownAt = length == 0 ? NONE : from;
      return length;
    }

    @Override
    public boolean series(RemoteWriteReader reader) throws WireException {
      if (!reader.problem().isEmpty()) {
        series = NONE;
        invalid++;
        refuse(invalidLabels(reader, reader.problem()));
        return false;
      }
      byte[] bytes = reader.keyBytes();
      int from = reader.keyFrom();
      int to = reader.keyTo();
      int before = series;
      series = before == NONE ? NONE : table.follower(before);
      boolean known = series != NONE && from == knownAt && to - from == table.keyLength(series);
      if (series == NONE || !known && !table.is(series, bytes, from, to)) {
        int hash = table.hash(bytes, from, to);
        series = table.find(hash, bytes, from, to);
        if (series == NONE) {
          series = add(reader, hash);
        }
        if (before != NONE) {
          table.follow(before, series);
        }
      }
      if (idBySeries[series] == DROPPED) {
        return false;
      }
      if (idBySeries[series] < 0) {
        if (idBySeries[series] == FOREIGN) {
          foreign++;
        } else {
          invalid++;
        }
        refuse(refusalBySeries[series]);
        return false;
      }
      return true;
    }

    private void refuse(String why) {
      if (reasons.size() < MAX_REASONS && !reasons.contains(why)) {
        reasons.add(why);
      }
    }

    @Override
    public void sample(long time, double value) {
      if (time > latest) {
        ahead(time);
        return;
      }
      HostRun run = hostBySeries[series];
      if (run.isEmpty()) {
        numbers.add(run);
      }
      run.add(idBySeries[series], time, value);
      if (time > latest - latestFuture) {
        run.doubt(); // the clock of its owner may be behind
      }
      samples++;
    }

    @Override
    public void histogram(long time, Histogram histogram) {
      if (time > latest) {
        ahead(time);
        return;
      }
      histograms
          .computeIfAbsent(hostBySeries[series].host, none -> new ArrayList<>())
          .add(new HistogramSample(idBySeries[series], time, histogram));
      histogramCount++;
    }

    private void ahead(long time) {
      if (ahead.isEmpty()) {
        ahead = "out of bounds: the time " + time + " is ahead of the latest allowed, " + latest;
      }
      aheadSamples++;
      refuse(ahead);
    }

    @Override
    public void badHistogram(String why) {
      invalid++;
      refuse(why);
    }

    @Override
    public void unwanted(int ofNumbers, int ofHistograms) {
      if (series != NONE && idBySeries[series] == DROPPED) {
        droppedSamples += ofNumbers;
        droppedHistograms += ofHistograms;
      }
    }

    @Override
    public void exemplars(int count) {
      exemplars += count;
    }

    @Override
    public void metadata(String metric, MetricMetadata said) {
      metadata.put(metric, said);
    }

    Request request() {
      List<Part> parts = new ArrayList<>();
      for (HostRun run : numbers) {
        boolean isNew = run.isNew();
        parts.add(part(run, false, isNew));
      }
      histograms.forEach(
          (host, all) -> {
            HostRun run = hosts.get(host);
            all.forEach(each -> run.add(each.id, each.time, each.histogram));
            parts.add(part(run, true, false));
          });
      return new Request(
          parts,
          samples,
          histogramCount,
          exemplars,
          new Refusals(reasons, invalid, foreign, aheadSamples),
          droppedSamples,
          droppedHistograms,
          ahead);
    }

    private Part part(HostRun run, boolean ofHistograms, boolean isNew) {
      int count = run.size();
      int before = invalid;
      byte[] body =
          run.encode(
              why -> {
                invalid++;
                if (reasons.size() < MAX_REASONS) {
                  refuse(shortened(why.get()));
                }
              });
      return new Part(run.host, body, count - (invalid - before), ofHistograms, isNew);
    }

    void clear() {
      numbers.forEach(HostRun::clear);
    }
  }

  private int add(RemoteWriteReader reader, int hash) throws WireException {
    int series = table.add(hash, reader.keyBytes(), reader.keyFrom(), reader.keyTo());
    if (series == idBySeries.length) {
      idBySeries = Arrays.copyOf(idBySeries, 2 * series);
      hostBySeries = Arrays.copyOf(hostBySeries, 2 * series);
      refusalBySeries = Arrays.copyOf(refusalBySeries, 2 * series);
    }
    try {
      Optional<Labels> relabelled = relabelling.apply(labels(reader));
      if (relabelled.isEmpty()) {
        idBySeries[series] = DROPPED;
        hostBySeries[series] = null;
        refusalBySeries[series] = null;
        return series;
      }
      Labels labels = relabelled.get();
      if (labels.metric().isEmpty()) {
        throw new IllegalArgumentException("ingest.relabel removes the metric name");
      }
      if (rule.stamps) {
        labels = labels.with(rule.required);
      } else {
        String why = foreign(labels);
        if (!why.isEmpty()) {
          refuse(series, FOREIGN, why + ", labels " + reader.describe());
          return series;
        }
      }
      addMetadata(labels.metric(), reader);
      String host = hostLabels.hostOf(labels);
      String problem = IntakeProtocol.hostProblem(host);
      if (!problem.isEmpty()) {
        throw new IllegalArgumentException(problem);
      }
      HostRun run = hosts.computeIfAbsent(host, name -> new HostRun(name, number()));
      hostBySeries[series] = run;
      idBySeries[series] = run.number(labels);
      full |= run.isFull();
      if (run.isOverLimit()) {
        throw new WireException(
            "the labels of host "
                + host
                + " in one request are more than a run may have, "
                + RunDictionary.MAX_BYTES
                + " bytes and "
                + RunDictionary.MAX_SERIES
                + " series; send fewer series in a request");
      }
      refusalBySeries[series] = null;
    } catch (CharacterCodingException e) {
      refuse(
          series,
          REFUSED,
          "invalid metric name or labels, they are not UTF-8, got " + reader.describe());
    } catch (IllegalArgumentException e) {
      refuse(series, REFUSED, invalidLabels(reader, e.getMessage()));
    }
    return series;
  }

  private static String invalidLabels(RemoteWriteReader reader, String why) {
    return shortened("invalid labels for series, labels " + reader.describe() + ": " + why);
  }

  private static String shortened(String text) {
    return text.length() > 1_000 ? text.substring(0, 1_000) + " ..." : text;
  }

  private long number() {
    long any = random.nextLong();
    return rule.derived ? DerivedRuns.number(any) : DerivedRuns.numberOfOther(any);
  }

  /** Which label of a series is not that of the tenant; empty if all are. */
  private String foreign(Labels labels) {
    for (int i = 0; i < rule.required.size(); i++) {
      String value = labels.value(rule.required.name(i));
      if (!value.equals(rule.required.value(i))) {
        return "the label "
            + rule.required.name(i)
            + (value.isEmpty() ? " is missing" : " is \"" + value + "\"")
            + ", and tenant "
            + rule.tenant
            + " must write \""
            + rule.required.value(i)
            + "\" there (write.labels in the tenants file)";
      }
    }
    return "";
  }

  /**
   * @param number {@link #REFUSED} or {@link #FOREIGN}
   */
  private void refuse(int series, int number, String why) {
    idBySeries[series] = number;
    hostBySeries[series] = null;
    refusalBySeries[series] = shortened(why);
  }

  private void addMetadata(String metric, RemoteWriteReader reader) throws WireException {
    MetricMetadata said = reader.seriesMetadata();
    if (said != null) {
      metadata.put(metric, said);
    }
  }

  private static Labels labels(RemoteWriteReader reader) throws CharacterCodingException {
    String[] pairs = new String[2 * reader.labelCount()];
    Set<String> names = new HashSet<>();
    for (int i = 0; i < reader.labelCount(); i++) {
      pairs[2 * i] = reader.name(i);
      pairs[2 * i + 1] = reader.value(i);
      if (pairs[2 * i].isEmpty()) {
        throw new IllegalArgumentException("a label has an empty name");
      }
      // Even if one of its values is empty, which would make it no label.
      if (!names.add(pairs[2 * i])) {
        throw new IllegalArgumentException("duplicated label " + pairs[2 * i]);
      }
    }
    Labels labels = Labels.of(pairs);
    if (labels.metric().isEmpty()) {
      throw new IllegalArgumentException("there is no metric name");
    }
    return labels;
  }
}
