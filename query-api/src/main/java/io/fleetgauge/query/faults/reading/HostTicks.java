package io.fleetgauge.query.faults.reading;

import io.fleetgauge.sample.Labels;
import io.fleetgauge.sample.Series;
import io.fleetgauge.sample.Staleness;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.Comparator;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.Consumer;

/**
 * Makes ticks of the samples of one host, in order of time. A gauge keeps its value until it ends,
 * or for {@link #HOLD_MILLIS}. A counter that was not read for a while has its increase over that
 * while. Not for several threads.
 */
public final class HostTicks {
  /** A metric that is read seldom stands for so long, as in PromQL. */
  public static final long HOLD_MILLIS = 300_000;

  /** A counter that was not read for so long begins again. */
  private static final long FORGET_MILLIS = 86_400_000;

  /** Readings of GPU instances that are added to those of the GPU, which has none of its own. */
  private static final Set<Signal> OF_INSTANCES =
      EnumSet.of(Signal.PROCESSES, Signal.UNOWNED_PROCESSES);

  private static final Comparator<GpuTick> BY_INDEX =
      Comparator.comparingInt((GpuTick gpu) -> gpu.labels().value("gpu").length())
          .thenComparing(gpu -> gpu.labels().value("gpu"));

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

  /** By UUID. */
  private final Map<String, Gpu> gpus = new TreeMap<>();

  private Labels place = Labels.EMPTY;
  private long time = Long.MIN_VALUE;
  private boolean hasTicked;

  /** A GPU as it was seen last. */
  private static final class Gpu {
    Labels labels = Labels.EMPTY;
    Labels owner = Labels.EMPTY;
    long ownedAt = Long.MIN_VALUE;
    Readings readings;

    /** Readings of its links, codes and ranks at this tick, by their names. */
    final Map<Entity, SortedMap<String, Readings>> parts = new EnumMap<>(Entity.class);

    /** The same of ticks before: they rarely change, and ticks are kept for an hour. */
    final Map<Entity, SortedMap<String, Readings>> before = new EnumMap<>(Entity.class);

    Readings of(Row row) {
      return row.entity == Entity.GPU
          ? readings
          : parts
              .computeIfAbsent(row.entity, none -> new TreeMap<>())
              .computeIfAbsent(row.part, none -> new Readings(row.entity));
    }

    GpuTick tick() {
      return new GpuTick(
          labels, owner, readings, take(Entity.LINK), take(Entity.CODE), take(Entity.RANK));
    }

    private SortedMap<String, Readings> take(Entity entity) {
      SortedMap<String, Readings> now = parts.remove(entity);
      if (now == null) {
        return Collections.emptySortedMap();
      }
      SortedMap<String, Readings> last = before.get(entity);
      if (now.equals(last)) {
        return last;
      }
      before.put(entity, now);
      return now;
    }
  }

  /** A series. */
  private static final class Row {
    final Labels identity;
    final List<Signal> signals;
    final Entity entity;
    final String uuid;

    /** Tells links, codes, ranks or ports of one GPU or host apart. */
    final String part;

    final boolean isCounter;
    double value = Double.NaN;
    double before = Double.NaN;
    long at = Long.MIN_VALUE;
    long beforeAt;
    boolean isNew = true;
    boolean isEnded;
    boolean isGone;

    Row(Labels identity, List<Signal> signals) {
      this.identity = identity;
      this.signals = signals;
      this.entity = signals.getFirst().entity();
      this.uuid = entity.isOfGpu() ? identity.value("UUID") : "";
      this.part =
          switch (entity) {
            case HOST, GPU -> "";
            case LINK -> identity.value("nvlink");
            case CODE -> identity.value("xid");
            case RANK -> identity.value("communicator");
            case PORT -> identity.value("device") + "/" + identity.value("port");
          };
      this.isCounter = signals.getFirst().form() == Signal.Form.INCREASE;
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
   * Goes on with new samples; those of times that have passed are left out. Samples of one time
   * make one tick, so all of them have to come at once. What others wrote for the host, such as how
   * many GPUs are expected, makes no tick of its own: it is a part of the next one.
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
          boolean isTick = false;
          for (Sample sample : samples) {
            isTick |= take(at, sample);
          }
          if (isTick) {
            time = at;
            out.accept(tick());
            hasTicked = true;
          }
        });
  }

  /** Returns true if the sample was read on the host. */
  private boolean take(long at, Sample sample) {
    Row row = known.get(sample.labels);
    if (row == null || row.isGone) {
      row = begin(sample.labels);
      if (row == null) {
        return false;
      }
    }
    boolean isRead = row.signals.getFirst() != Signal.EXPECTED;
    if (Staleness.isMarker(sample.value)) {
      row.isEnded |= row.at < at; // else the series of the next owner begins now
      return isRead;
    }
    if (!isInstance(sample.labels)) {
      owner(at, sample.labels);
    }
    if (row.at != at) { // a GPU with several owners has it several times
      row.before = row.value;
      row.beforeAt = row.at;
      row.value = sample.value;
      row.at = at;
      row.isEnded = false;
    }
    return isRead;
  }

  private static boolean isInstance(Labels labels) {
    return !labels.value("GPU_I_ID").isEmpty();
  }

  private Row begin(Labels labels) {
    boolean isInstance = isInstance(labels);
    List<Signal> signals = new ArrayList<>();
    for (Signal signal : Signal.of(labels.metric())) {
      if (signal.selects(labels::value) && (!isInstance || OF_INSTANCES.contains(signal))) {
        signals.add(signal);
      }
    }
    boolean isNameless =
        !signals.isEmpty()
            && signals.getFirst().entity().isOfGpu()
            && labels.value("UUID").isEmpty();
    if (signals.isEmpty() || isNameless || rows.size() >= MOST_SERIES) {
      return null;
    }
    Labels identity = labels.without(ownerLabels).with(Labels.NAME, labels.metric());
    Row row = rows.computeIfAbsent(identity, none -> new Row(identity, List.copyOf(signals)));
    if (known.size() > 2 * rows.size() + 1_000) {
      known.clear(); // owners come and go
    }
    known.put(labels, row);
    if (row.entity == Entity.HOST) {
      Labels of = place(labels);
      place = place.isEmpty() ? of : place.common(of);
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
    if (gpu.ownedAt == at && gpu.owner.size() > 0 && gpu.labels.size() == OF_GPU.size()) {
      return;
    }
    Labels named = labels.only(OF_GPU);
    if (named.size() > gpu.labels.size()) {
      gpu.labels = named;
      place = place.isEmpty() ? place(labels) : place;
    }
    Labels owner = labels.only(ownerLabels);
    if (gpu.ownedAt < at || owner.size() > gpu.owner.size()) {
      gpu.owner = owner.equals(gpu.owner) ? gpu.owner : owner;
      gpu.ownedAt = at;
    }
  }

  private HostTick tick() {
    gpus.values().removeIf(gpu -> time - gpu.ownedAt > HOLD_MILLIS);
    gpus.values().forEach(gpu -> gpu.readings = new Readings(Entity.GPU));
    Readings ofHost = new Readings(Entity.HOST);
    SortedMap<String, Readings> ports = new TreeMap<>();
    for (Iterator<Row> all = rows.values().iterator(); all.hasNext(); ) {
      Row row = all.next();
      boolean isRead = row.at != Long.MIN_VALUE;
      if (isRead && time - row.at > (row.isCounter ? FORGET_MILLIS : HOLD_MILLIS)) {
        row.isGone = true;
        all.remove();
        continue;
      }
      if (isRead && time - row.at <= HOLD_MILLIS && !row.isEnded) {
        switch (row.entity) {
          case HOST -> add(row, ofHost);
          case PORT -> add(row, ports.computeIfAbsent(row.part, none -> new Readings(Entity.PORT)));
          case GPU, LINK, CODE, RANK -> {
            Gpu gpu = gpus.get(row.uuid);
            if (gpu != null) {
              add(row, gpu.of(row));
            }
          }
        }
      }
      row.isNew &= row.at < time;
    }
    List<GpuTick> all = new ArrayList<>(gpus.size());
    gpus.values().forEach(gpu -> all.add(gpu.tick()));
    all.sort(BY_INDEX);
    return new HostTick(host, time, place, ofHost, List.copyOf(all), ports);
  }

  private void add(Row row, Readings target) {
    for (Signal signal : row.signals) {
      if (signal.form() == Signal.Form.LAST) {
        if (!Double.isNaN(row.value)) {
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
