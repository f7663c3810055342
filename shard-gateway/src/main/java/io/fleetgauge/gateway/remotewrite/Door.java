package io.fleetgauge.gateway.remotewrite;

import io.fleetgauge.gateway.ownership.HostLabels;
import io.fleetgauge.sample.Histogram;
import io.fleetgauge.sample.Labels;
import io.fleetgauge.sample.prometheus.MetricMetadata;
import io.fleetgauge.sample.prometheus.RemoteWriteReader;
import io.fleetgauge.sample.prometheus.RemoteWriteReader.Version;
import io.fleetgauge.sample.wire.WireException;
import java.nio.charset.CharacterCodingException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.random.RandomGenerator;

/** Turns remote writes into frames for the owners of the hosts. Safe for all threads. */
final class Door {
  /** No series. */
  private static final int NONE = -1;

  /** What a series is at the door when it has no place in the store. */
  private static final int REFUSED = -1;

  private final HostLabels hostLabels;
  private final long latestFuture;
  private final Labels wanted;
  private final boolean stamps;
  private final MetadataTable.OfTenant metadata;
  private final RandomGenerator random;

  // All guarded by this.
  private Map<String, HostDoor> hosts = new HashMap<>();
  private SeriesTable table;
  private HostDoor[] hostBySeries;
  private int[] idBySeries;
  private String[] refusalBySeries;
  private boolean full;

  private volatile int keyBytes;

  /**
   * What a request is for one host.
   *
   * @param histograms whether all its samples are histograms; else none is
   */
  record Part(String host, byte[] body, int samples, boolean histograms) {}

  /**
   * A request in parts.
   *
   * @param samples numbers that are wanted, {@code histograms} likewise
   * @param refusals why series were refused at the door, the first few
   * @param ahead why the first sample that is ahead of the clock is refused; empty when none is
   */
  record Request(
      List<Part> parts,
      int samples,
      int histograms,
      int exemplars,
      List<String> refusals,
      int refusedSeries,
      String ahead) {}

  /**
   * @param wanted labels that every series has to have
   * @param stamps whether these are put on instead
   * @param metadata takes what senders say of metrics
   * @param future how far ahead of the clock a sample may be, ms
   */
  Door(
      HostLabels hostLabels,
      long future,
      Labels wanted,
      boolean stamps,
      MetadataTable.OfTenant metadata,
      RandomGenerator random) {
    this.metadata = metadata;
    this.wanted = wanted;
    this.stamps = stamps;
    this.hostLabels = hostLabels;
    this.latestFuture = future;
    this.random = random;
    begin();
  }

  private void begin() {
    byte[] salt = new byte[16];
    random.nextBytes(salt);
    table = new SeriesTable(salt);
    hosts = new HashMap<>();
    hostBySeries = new HostDoor[1 << 10];
    idBySeries = new int[1 << 10];
    refusalBySeries = new String[1 << 10];
    full = false;
    keyBytes = 0;
  }

  /** Forgets all series; what is sent from now on is of new runs. */
  synchronized void forget() {
    begin();
  }

  /** How many bytes the keys of the known series have. */
  int keyBytes() {
    return keyBytes;
  }

  /** The dictionary of this door's run for a host. */
  synchronized byte[] dictionary(String host) {
    HostDoor door = hosts.get(host);
    return door == null ? new byte[0] : door.dictionary();
  }

  /**
   * @param now ms since the epoch
   * @throws WireException if the bytes are not what their version says
   */
  synchronized Request read(Version version, byte[] bytes, int size, long now)
      throws WireException {
    if (full) {
      begin();
    }
    Gathering gathering = new Gathering(now + latestFuture);
    try {
      new RemoteWriteReader(version, bytes, size).read(gathering);
      return gathering.request();
    } finally {
      gathering.clear();
      keyBytes = table.keyBytes();
    }
  }

  private final class Gathering implements RemoteWriteReader.Sink {
    private static final int MAX_REFUSALS = 10;

    private final long latest;
    private final List<HostDoor> numbers = new ArrayList<>();
    private final Map<String, List<HistogramSample>> histograms = new HashMap<>();
    private final List<String> refusals = new ArrayList<>();
    private int refusedSeries;
    private int samples;
    private int histogramCount;
    private int exemplars;
    private String ahead = "";
    private int series = NONE;

    private record HistogramSample(int id, long time, Histogram histogram) {}

    Gathering(long latest) {
      this.latest = latest;
    }

    @Override
    public boolean series(RemoteWriteReader reader) throws WireException {
      byte[] bytes = reader.keyBytes();
      int from = reader.keyFrom();
      int to = reader.keyTo();
      int before = series;
      series = before == NONE ? NONE : table.follower(before);
      if (series == NONE || !table.is(series, bytes, from, to)) {
        int hash = table.hash(bytes, from, to);
        series = table.find(hash, bytes, from, to);
        if (series == NONE) {
          series = add(reader, hash);
        }
        if (before != NONE) {
          table.follow(before, series);
        }
      }
      if (idBySeries[series] == REFUSED) {
        refuse(refusalBySeries[series]);
        return false;
      }
      return true;
    }

    private void refuse(String why) {
      refusedSeries++;
      if (refusals.size() < MAX_REFUSALS) {
        refusals.add(why);
      }
    }

    @Override
    public void sample(long time, double value) {
      if (time > latest) {
        ahead(time);
        return;
      }
      HostDoor door = hostBySeries[series];
      if (door.isEmpty()) {
        numbers.add(door);
      }
      door.add(idBySeries[series], time, value);
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
      refuse(ahead);
    }

    @Override
    public void unwanted(int count) {}

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
      for (HostDoor door : numbers) {
        int count = door.size();
        parts.add(new Part(door.host, door.encode(), count, false));
      }
      histograms.forEach(
          (host, all) -> {
            HostDoor door = hosts.get(host);
            all.forEach(each -> door.add(each.id, each.time, each.histogram));
            parts.add(new Part(host, door.encode(), all.size(), true));
          });
      return new Request(parts, samples, histogramCount, exemplars, refusals, refusedSeries, ahead);
    }

    void clear() {
      numbers.forEach(HostDoor::clear);
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
      Labels labels = admitted(labels(reader));
      noteMetadata(labels.metric(), reader);
      String host = hostLabels.hostOf(labels);
      HostDoor door =
          hosts.computeIfAbsent(host, name -> new HostDoor(name, 1 + random.nextLong(1L << 62)));
      hostBySeries[series] = door;
      idBySeries[series] = door.number(labels);
      full |= door.isFull();
      refusalBySeries[series] = null;
    } catch (CharacterCodingException e) {
      refuse(series, "invalid metric name or labels, got " + reader.describe());
    } catch (IllegalArgumentException e) {
      refuse(
          series, "invalid labels for series, labels " + reader.describe() + ": " + e.getMessage());
    }
    return series;
  }

  /** The labels that a series has when it is let in. */
  private Labels admitted(Labels labels) {
    if (stamps) {
      return labels.with(wanted);
    }
    for (int i = 0; i < wanted.size(); i++) {
      if (!labels.value(wanted.name(i)).equals(wanted.value(i))) {
        throw new IllegalArgumentException(
            "the label "
                + wanted.name(i)
                + " has to be \""
                + wanted.value(i)
                + "\" in what this token sends");
      }
    }
    return labels;
  }

  private void refuse(int series, String why) {
    idBySeries[series] = REFUSED;
    hostBySeries[series] = null;
    refusalBySeries[series] = why.length() > 1_000 ? why.substring(0, 1_000) + " ..." : why;
  }

  private void noteMetadata(String metric, RemoteWriteReader reader) throws WireException {
    MetricMetadata said = reader.seriesMetadata();
    if (said != null) {
      metadata.put(metric, said);
    }
  }

  private static Labels labels(RemoteWriteReader reader) throws CharacterCodingException {
    String[] pairs = new String[2 * reader.labelCount()];
    for (int i = 0; i < reader.labelCount(); i++) {
      pairs[2 * i] = reader.name(i);
      pairs[2 * i + 1] = reader.value(i);
      if (pairs[2 * i].isEmpty()) {
        throw new IllegalArgumentException("a label has an empty name");
      }
    }
    Labels labels = Labels.of(pairs);
    if (labels.metric().isEmpty()) {
      throw new IllegalArgumentException("there is no metric name");
    }
    return labels;
  }
}
