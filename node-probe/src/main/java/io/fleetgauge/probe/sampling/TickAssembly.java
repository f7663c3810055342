package io.fleetgauge.probe.sampling;

import io.fleetgauge.sample.Histogram;
import io.fleetgauge.sample.Labels;
import io.fleetgauge.sample.Staleness;
import io.fleetgauge.sample.Tick;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

/**
 * Makes the ticks of one node: its labels and those of the owners of its GPUs on every series, each
 * series at most once, and a marker for each one that ended. When the owner of a GPU changes, its
 * series end under the old labels and go on under the new ones in one tick. Not for several
 * threads.
 */
public final class TickAssembly {
  /** Series that are read together: whenever they are read, those that are missing have ended. */
  public static final class Part {
    private List<Labels> read = List.of();

    /** The form of each one with the node's labels; null for one that is left out. */
    private Labels[] labelled = {};

    private List<Labels> sent = List.of();
    private Tick reading = new Tick(0, List.of(), new double[0]);
    private Tick last = reading;
    private long takenAt = -1;

    /** The owners that its labels are of, and whether it has series of GPUs at all. */
    private GpuOwners ownedBy = GpuOwners.NONE;

    private boolean hasGpus;

    /** The newest reading, as it was sent; empty before the first. */
    public Tick last() {
      return last;
    }
  }

  /**
   * Counts of what was taken into a tick.
   *
   * @param read samples, before anything is left out
   * @param kept samples in the tick
   * @param added series that began
   */
  record Counts(int read, int kept, int added) {}

  private final NodeLabels node;
  private final Map<Labels, Part> holders = new HashMap<>();
  private final Set<Labels> ended = new LinkedHashSet<>();
  private final List<Tick> pieces = new ArrayList<>();
  private final Map<Long, Map<Labels, Double>> dated = new TreeMap<>();

  private GpuOwners owners = GpuOwners.NONE;

  /** Rises when a series is given free, so that a part that has it too can take it. */
  private long freed;

  private int read;
  private int added;
  private volatile long leftOut;

  public TickAssembly(NodeLabels node) {
    this.node = node;
  }

  /** From this tick on, these own the GPUs. */
  void follow(GpuOwners now) {
    owners = now;
  }

  /** Tells whether the owners have changed since a part was taken that has series of GPUs. */
  boolean isBehind(Part part) {
    return part.hasGpus && part.ownedBy != owners;
  }

  /** Takes a new reading of a part into this tick. A series that another part has is left out. */
  public void read(Part part, Tick reading) {
    if (part.takenAt != freed || isBehind(part) || !part.read.equals(reading.series())) {
      take(part, reading.series());
    }
    part.reading = reading;
    part.last = sent(part, reading);
    read += reading.size();
    leftOut += reading.size() - part.last.size();
    pieces.add(part.last);
  }

  /** Takes a part's last reading into this tick once more. */
  public void again(Part part) {
    if (isBehind(part)) {
      take(part, part.read);
      part.last = sent(part, part.reading);
    }
    pieces.add(part.last);
    read += part.last.size();
  }

  /** Takes samples with times of their own. A series that has one at a time already keeps it. */
  void dated(List<Tick> readings) {
    for (Tick reading : readings) {
      Map<Labels, Double> samples =
          dated.computeIfAbsent(reading.time(), time -> new LinkedHashMap<>());
      for (int i = 0; i < reading.size(); i++) {
        Labels with = node.of(reading.series().get(i));
        if (with.isEmpty() || samples.putIfAbsent(with, reading.values()[i]) != null) {
          leftOut++;
        }
      }
    }
  }

  /** Takes out what has times of its own, a tick for each; the next ones begin. */
  List<Tick> dated() {
    List<Tick> ticks = new ArrayList<>();
    dated.forEach(
        (time, samples) -> {
          if (!samples.isEmpty()) {
            Tick.Builder tick = new Tick.Builder();
            samples.forEach(tick::add);
            ticks.add(tick.at(time));
          }
        });
    dated.clear();
    return ticks;
  }

  /** Counts of this tick so far. */
  Counts counts() {
    return new Counts(read, pieces.stream().mapToInt(Tick::size).sum(), added);
  }

  /** The number of samples that were left out because their series are. Safe for all threads. */
  public long leftOut() {
    return leftOut;
  }

  /** The tick, with everything that was taken into it; the next one begins. */
  public Tick at(long time) {
    int size = ended.size();
    boolean histograms = false;
    for (Tick piece : pieces) {
      size += piece.size();
      histograms |= piece.histograms() != null;
    }
    List<Labels> series = new ArrayList<>(size);
    double[] values = new double[size];
    Histogram[] withHistograms = histograms ? new Histogram[size] : null;
    for (Tick piece : pieces) {
      System.arraycopy(piece.values(), 0, values, series.size(), piece.size());
      if (piece.histograms() != null) {
        System.arraycopy(piece.histograms(), 0, withHistograms, series.size(), piece.size());
      }
      series.addAll(piece.series());
    }
    Arrays.fill(values, series.size(), size, Staleness.MARKER);
    series.addAll(ended);
    pieces.clear();
    ended.clear();
    read = 0;
    added = 0;
    return new Tick(time, Collections.unmodifiableList(series), values, withHistograms);
  }

  private void take(Part part, List<Labels> series) {
    boolean sameOwners = !isBehind(part);
    Map<Labels, Labels> known = HashMap.newHashMap(part.read.size());
    for (int i = 0; i < part.read.size(); i++) {
      Labels of = part.read.get(i);
      if (part.labelled[i] != null && (sameOwners || !GpuOwners.concern(of))) {
        known.put(of, part.labelled[i]);
      }
    }
    part.hasGpus = false;
    Set<Labels> before = new LinkedHashSet<>(part.sent);
    Labels[] labelled = new Labels[series.size()];
    List<Labels> sent = new ArrayList<>(series.size());
    Set<Labels> now = HashSet.newHashSet(series.size());
    for (int i = 0; i < labelled.length; i++) {
      Labels read = series.get(i);
      part.hasGpus |= GpuOwners.concern(read);
      Labels with = known.containsKey(read) ? known.get(read) : node.of(owners.on(read));
      if (!with.isEmpty() && now.add(with) && holders.merge(with, part, (a, b) -> a) == part) {
        labelled[i] = with;
        sent.add(with);
        if (!before.remove(with) && !ended.remove(with)) {
          added++;
        }
      }
    }
    for (Labels gone : before) {
      holders.remove(gone);
      ended.add(gone);
      freed++;
    }
    part.read = series;
    part.labelled = labelled;
    part.sent = Collections.unmodifiableList(sent);
    part.takenAt = freed;
    part.ownedBy = owners;
  }

  private static Tick sent(Part part, Tick reading) {
    if (part.sent.size() == reading.size()) {
      return new Tick(reading.time(), part.sent, reading.values(), reading.histograms());
    }
    double[] values = new double[part.sent.size()];
    Histogram[] histograms = reading.histograms() == null ? null : new Histogram[values.length];
    int next = 0;
    for (int i = 0; i < reading.size(); i++) {
      if (part.labelled[i] != null) {
        values[next] = reading.values()[i];
        if (histograms != null) {
          histograms[next] = reading.histograms()[i];
        }
        next++;
      }
    }
    return new Tick(reading.time(), part.sent, values, histograms);
  }
}
