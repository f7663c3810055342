package io.fleetgauge.query.faults.reading;

import io.fleetgauge.sample.Labels;
import io.fleetgauge.sample.Series;
import io.fleetgauge.sample.Staleness;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Consumer;

/**
 * Makes ticks of the samples of one host, in order of time. A gauge keeps its value until it ends,
 * or for {@link #HOLD_MILLIS}. Not for several threads.
 */
public final class HostTicks {
  /** A metric that is read seldom stands for so long, as in PromQL. */
  public static final long HOLD_MILLIS = 300_000;

  private static final int MOST_SERIES = 50_000;
  private static final Set<String> OF_GPU =
      Set.of("UUID", "gpu", "modelName", "device", "pci_bus_id");

  /** Labels of a series that are neither of its place, nor of its GPU, nor of its owner. */
  private static final Set<String> OF_SERIES =
      Set.of(
          Labels.NAME,
          "nvlink",
          "xid",
          "communicator",
          "reason",
          "state",
          "error",
          "kind",
          "direction",
          "condition",
          "mode",
          "cpu",
          "port",
          "id",
          "name");

  private final String host;
  private final Set<String> ownerLabels;

  /** By label sets without owners: a counter goes on when its GPU changes hands. */
  private final Map<Labels, Row> rows = new HashMap<>();

  /** The same, by label sets as they are stored. */
  private final Map<Labels, Row> known = new HashMap<>();

  private final Map<String, Gpu> gpus = new HashMap<>();
  private Labels place = Labels.EMPTY;
  private long time = Long.MIN_VALUE;
  private boolean hasTicked;

  /** A GPU as it was seen last. */
  private static final class Gpu {
    Labels labels;
    Labels owner = Labels.EMPTY;
    long ownedAt = Long.MIN_VALUE;
  }

  /** A series. */
  private static final class Row {
    final List<Signal> signals;
    final Labels key;
    double value = Double.NaN;
    double before = Double.NaN;
    long at = Long.MIN_VALUE;
    long beforeAt;
    boolean isNew = true;
    boolean isEnded;
    boolean isGone;

    Row(List<Signal> signals, Labels key) {
      this.signals = signals;
      this.key = key;
    }
  }

  private record Sample(Labels labels, double value) {}

  /**
   * @param ownerLabels labels that say who has a GPU
   */
  public HostTicks(String host, Collection<String> ownerLabels) {
    this.host = host;
    this.ownerLabels = Set.copyOf(ownerLabels);
  }

  public String host() {
    return host;
  }

  /** The time of the last tick, ms; {@link Long#MIN_VALUE} before the first. */
  public long time() {
    return time;
  }

  /**
   * Goes on with new samples; those of times that have passed are left out.
   *
   * @param series raw samples of the metrics of {@link Signal}
   */
  public void feed(List<Series> series, Consumer<HostTick> out) {
    TreeMap<Long, List<Sample>> byTime = new TreeMap<>();
    for (Series each : series) {
      for (int i = 0; i < each.size(); i++) {
        if (each.times()[i] > time) {
          byTime
              .computeIfAbsent(each.times()[i], none -> new ArrayList<>())
              .add(new Sample(each.labels(), each.values()[i]));
        }
      }
    }
    byTime.forEach(
        (at, samples) -> {
          samples.forEach(sample -> take(at, sample));
          time = at;
          out.accept(tick());
          hasTicked = true;
        });
  }

  private void take(long at, Sample sample) {
    Row row = known.get(sample.labels);
    if (row == null || row.isGone) {
      row = begin(sample.labels);
      if (row == null) {
        return;
      }
    }
    if (Staleness.isMarker(sample.value)) {
      row.isEnded |= row.at < at; // else the series of the next owner begins now
      return;
    }
    if (row.at == at) {
      return; // a GPU with several owners has it several times
    }
    row.before = row.value;
    row.beforeAt = row.at;
    row.value = sample.value;
    row.at = at;
    row.isEnded = false;
    owner(at, sample.labels);
  }

  private Row begin(Labels labels) {
    List<Signal> signals = new ArrayList<>();
    for (Signal signal : Signal.of(labels.metric())) {
      if (signal.selects(labels::value)) {
        signals.add(signal);
      }
    }
    boolean isInstance = !labels.value("GPU_I_ID").isEmpty();
    if (signals.isEmpty() || isInstance || rows.size() >= MOST_SERIES) {
      return null;
    }
    Labels identity = labels.without(ownerLabels).with(Labels.NAME, labels.metric());
    Row row =
        rows.computeIfAbsent(
            identity,
            none -> new Row(List.copyOf(signals), labels.only(signals.getFirst().entity().key())));
    if (known.size() > 2 * rows.size() + 1_000) {
      known.clear(); // owners come and go
    }
    known.put(labels, row);
    if (signals.getFirst().entity() == Entity.HOST) {
      place = place(labels);
    }
    return row;
  }

  private Labels place(Labels labels) {
    return labels.without(OF_GPU).without(OF_SERIES).without(ownerLabels);
  }

  private void owner(long at, Labels labels) {
    String uuid = labels.value("UUID");
    if (uuid.isEmpty()) {
      return;
    }
    Gpu gpu = gpus.computeIfAbsent(uuid, none -> new Gpu());
    if (gpu.labels == null || gpu.labels.value("gpu").isEmpty()) {
      gpu.labels = labels.only(OF_GPU);
      place = place.isEmpty() ? place(labels) : place;
    }
    Labels owner = labels.only(ownerLabels);
    if (gpu.ownedAt < at || owner.size() > gpu.owner.size()) {
      gpu.owner = owner;
      gpu.ownedAt = at;
    }
  }

  private HostTick tick() {
    Readings ofHost = new Readings(Entity.HOST);
    Map<String, Readings> ofGpus = new HashMap<>();
    Map<String, SortedMap<String, Readings>> links = new HashMap<>();
    Map<String, SortedMap<String, Readings>> codes = new HashMap<>();
    Map<String, SortedMap<String, Readings>> ranks = new HashMap<>();
    SortedMap<String, Readings> ports = new TreeMap<>();
    rows.values()
        .removeIf(
            row -> {
              row.isGone = time - row.at > HOLD_MILLIS;
              return row.isGone;
            });
    for (Row row : rows.values()) {
      Entity entity = row.signals.getFirst().entity();
      String uuid = row.key.value("UUID");
      Readings target =
          switch (entity) {
            case HOST -> ofHost;
            case GPU -> ofGpus.computeIfAbsent(uuid, none -> new Readings(Entity.GPU));
            case LINK -> of(links, uuid, entity, row.key.value("nvlink"));
            case CODE -> of(codes, uuid, entity, row.key.value("xid"));
            case RANK -> of(ranks, uuid, entity, row.key.value("communicator"));
            case PORT ->
                ports.computeIfAbsent(
                    row.key.value("device") + "/" + row.key.value("port"),
                    none -> new Readings(Entity.PORT));
          };
      add(row, target);
      row.isNew &= row.at < time;
    }
    gpus.keySet().removeIf(uuid -> time - gpus.get(uuid).ownedAt > HOLD_MILLIS);
    List<GpuTick> all = new ArrayList<>();
    for (String uuid : new TreeSet<>(gpus.keySet())) {
      Gpu gpu = gpus.get(uuid);
      all.add(
          new GpuTick(
              gpu.labels,
              gpu.owner,
              ofGpus.getOrDefault(uuid, new Readings(Entity.GPU)),
              links.getOrDefault(uuid, new TreeMap<>()),
              codes.getOrDefault(uuid, new TreeMap<>()),
              ranks.getOrDefault(uuid, new TreeMap<>())));
    }
    all.sort(
        (a, b) -> {
          String one = a.labels().value("gpu");
          String other = b.labels().value("gpu");
          return one.length() != other.length()
              ? Integer.compare(one.length(), other.length())
              : one.compareTo(other);
        });
    return new HostTick(host, time, place, ofHost, List.copyOf(all), ports);
  }

  private static Readings of(
      Map<String, SortedMap<String, Readings>> all, String uuid, Entity entity, String key) {
    return all.computeIfAbsent(uuid, none -> new TreeMap<>())
        .computeIfAbsent(key, none -> new Readings(entity));
  }

  private void add(Row row, Readings target) {
    for (Signal signal : row.signals) {
      if (signal.form() == Signal.Form.LAST) {
        if (!Double.isNaN(row.value) && !row.isEnded) {
          target.add(signal, row.value, 0);
        }
      } else if (row.at == time && !Double.isNaN(row.value)) {
        if (!Double.isNaN(row.before)) {
          // A counter that fell has begun again.
          double increase = row.value >= row.before ? row.value - row.before : row.value;
          target.add(signal, increase, time - row.beforeAt);
        } else if (row.isNew && hasTicked && signal.entity() == Entity.CODE) {
          // Codes are shown from the first time that they are reported.
          target.add(signal, row.value, HOLD_MILLIS);
        }
      }
    }
  }
}
