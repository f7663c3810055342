package io.fleetgauge.promql.usage;

import io.fleetgauge.promql.lookup.Integral;
import io.fleetgauge.sample.Labels;
import io.fleetgauge.sample.Series;
import java.math.BigInteger;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/**
 * The plain twin of {@link HostUsage}: it looks at every millisecond and at every sample, keeps a
 * plain book, and hands out each unit of a counter by itself. It has more than 600 lines because it
 * shares no code with what it checks.
 */
final class PlainUsage {
  private static final String HOST_MEMORY = "gpu_owner_host_memory_bytes";
  private static final Map<String, Double> GAUGES = new java.util.LinkedHashMap<>();
  private static final Map<String, Double> COUNTERS = new java.util.LinkedHashMap<>();
  private static final Map<String, Double> OTHERS =
      Map.of(
          "gpu_process_memory_bytes", 1.0,
          "gpu_container_memory_bytes", 1.0,
          "gpu_container_utilization_ratio", 1e6,
          "gpu_allocation_info", 1.0);
  private static final Set<Amount> COUNTED =
      Set.of(
          Amount.ENERGY,
          Amount.ENERGY_ESTIMATED,
          Amount.NVLINK,
          Amount.PCIE,
          Amount.CPU,
          Amount.IO);
  private static final Set<String> OF_GPU =
      Set.of(
          "DCGM_FI_DEV_POWER_USAGE",
          "DCGM_FI_DEV_ENFORCED_POWER_LIMIT",
          "DCGM_FI_DEV_TOTAL_ENERGY_CONSUMPTION",
          "gpu_energy_joules_total",
          "gpu_nvlink_bytes_total",
          "gpu_pcie_bytes_total");

  static {
    GAUGES.put("gpu_allocated", 1.0);
    GAUGES.put("DCGM_FI_DEV_FB_USED", 1_048_576.0);
    GAUGES.put("DCGM_FI_DEV_GPU_UTIL", 1e4);
    GAUGES.put("DCGM_FI_PROF_GR_ENGINE_ACTIVE", 1e6);
    GAUGES.put("DCGM_FI_PROF_SM_ACTIVE", 1e6);
    GAUGES.put("DCGM_FI_PROF_PIPE_TENSOR_ACTIVE", 1e6);
    GAUGES.put("DCGM_FI_PROF_DRAM_ACTIVE", 1e6);
    GAUGES.put("DCGM_FI_DEV_POWER_USAGE", 1e3);
    GAUGES.put("DCGM_FI_DEV_ENFORCED_POWER_LIMIT", 1e3);
    GAUGES.put(HOST_MEMORY, 1.0);
    COUNTERS.put("DCGM_FI_DEV_TOTAL_ENERGY_CONSUMPTION", 1.0);
    COUNTERS.put("gpu_energy_joules_total", 1e3);
    COUNTERS.put("gpu_nvlink_bytes_total", 1.0);
    COUNTERS.put("gpu_pcie_bytes_total", 1.0);
    COUNTERS.put("gpu_owner_cpu_seconds_total", 1e3);
    COUNTERS.put("gpu_owner_io_bytes_total", 1.0);
  }

  /** Values of a metric at a time: label sets in order, when they were sampled, and the value. */
  private record Held(List<Labels> labels, long since, long value) {}

  private record Key(Labels device, Labels owner, int interval) {}

  /** An owner and its weight. */
  private record Share(Labels device, Labels owner, int weight) {}

  /** A device at one time. */
  private record State(
      boolean isLive, boolean isCounted, boolean isAllocated, Labels device, List<Share> shares) {
    static final State NOTHING = new State(false, false, false, Labels.EMPTY, List.of());

    State counted(boolean counted) {
      return new State(isLive, counted, isAllocated, device, shares);
    }

    List<Labels> owners() {
      return shares.stream().map(each -> each.owner.only(UsageLabels.OWNER)).sorted().toList();
    }

    List<Share> nobody() {
      return List.of(new Share(device, Labels.EMPTY, 1));
    }
  }

  private static final class Line {
    final Map<Amount, BigInteger> amounts = new EnumMap<>(Amount.class);
    long level;
    long levelAt = -1;
    long peak = -1;
    long atEnd = -1;
    long hostPeak = -1;

    void add(Amount amount, long value) {
      amounts.merge(amount, BigInteger.valueOf(value), BigInteger::add);
    }
  }

  private final List<Series> all;
  private final UsagePeriod period;
  private final UsageTerms terms;
  private final Set<String> ownerNames;
  private final int end;
  private final Map<Key, Line> lines = new HashMap<>();
  private long time;

  // Of one GPU.
  private List<Series> ofGpu = List.of();
  private final TreeMap<String, State[]> states = new TreeMap<>();
  private final Map<String, List<Series>> slotsByName = new HashMap<>();
  private final Map<String, List<List<Series>>> slotsByDevice = new HashMap<>();
  private final Map<String, Set<Long>> sampled = new HashMap<>();

  BigInteger allocated = BigInteger.ZERO;

  /**
   * @param end after it there are no samples, ms
   */
  PlainUsage(List<Series> all, UsagePeriod period, UsageTerms terms, Set<String> more, int end) {
    this.all = all;
    this.period = period;
    this.terms = terms;
    this.end = end;
    this.ownerNames =
        Stream.concat(UsageLabels.OWNER.stream(), more.stream()).collect(Collectors.toSet());
  }

  List<UsageRow> rows() {
    Set<String> gpus = all.stream().map(each -> gpu(each.labels())).collect(Collectors.toSet());
    for (String gpu : gpus) {
      ofGpu = all.stream().filter(each -> gpu(each.labels()).equals(gpu)).toList();
      prepare();
      gauges();
      counters();
      estimates();
    }
    List<UsageRow> rows = new ArrayList<>();
    lines.forEach(
        (key, line) -> {
          List<Integral> amounts = new ArrayList<>();
          int counted = 0;
          for (Amount amount : Amount.values()) {
            BigInteger sum = line.amounts.getOrDefault(amount, BigInteger.ZERO);
            amounts.add(new Integral(sum.shiftRight(64).longValueExact(), sum.longValue()));
            boolean isCounted = COUNTED.contains(amount) && line.amounts.containsKey(amount);
            counted |= isCounted ? 1 << amount.ordinal() : 0;
          }
          if (line.peak >= 0 || counted > 0 || amounts.stream().anyMatch(each -> !each.isZero())) {
            rows.add(
                new UsageRow(
                    key.device,
                    key.owner,
                    key.interval,
                    amounts,
                    counted,
                    line.peak,
                    line.atEnd,
                    line.hostPeak));
          }
        });
    rows.sort(UsageRow.ORDER);
    return rows;
  }

  // --- samples ---

  private static long whole(Labels labels, double sample) {
    String metric = labels.metric();
    double scale =
        GAUGES.getOrDefault(
            metric, COUNTERS.getOrDefault(metric, OTHERS.getOrDefault(metric, 0.0)));
    return sample * scale >= 0 ? Math.round(sample * scale) : -1;
  }

  /** Its GPU, or the place of an owner among those of the host. */
  private static String gpu(Labels labels) {
    String gpu = labels.value("UUID");
    return gpu.isEmpty() ? "slot " + labels.value("slot") : gpu;
  }

  private static String instance(Labels labels) {
    return OF_GPU.contains(labels.metric()) ? "" : labels.value("GPU_I_ID");
  }

  private List<Series> slot(String device, String metric, String direction) {
    return slotsByName.computeIfAbsent(
        device + "/" + metric + "/" + direction, none -> find(device, metric, direction));
  }

  private List<Series> find(String device, String metric, String direction) {
    return ofGpu.stream()
        .filter(each -> each.labels().metric().equals(metric))
        .filter(each -> each.labels().value("direction").equals(direction))
        .filter(each -> each.labels().value("nvlink").isEmpty())
        .filter(each -> instance(each.labels()).equals(device))
        .toList();
  }

  private static int lastUpTo(Series series, long at) {
    return Series.firstAfter(series.times(), 0, series.size(), at) - 1;
  }

  /** The newest samples of some series that are one value; null without a value. */
  private Held newest(List<Series> slot, long at) {
    long newest = Long.MIN_VALUE;
    for (Series series : slot) {
      for (int i = lastUpTo(series, at); i >= 0; i--) {
        if (whole(series.labels(), series.values()[i]) >= 0) {
          newest = Math.max(newest, series.times()[i]);
          break;
        }
      }
    }
    List<Labels> labels = new ArrayList<>();
    long value = -1;
    for (Series series : slot) {
      int last = lastUpTo(series, at);
      if (last >= 0 && series.times()[last] == newest) {
        long whole = whole(series.labels(), series.values()[last]);
        if (whole >= 0) {
          labels.add(series.labels());
          value = Math.max(value, whole);
        }
      }
    }
    labels.sort(Comparator.naturalOrder());
    return labels.isEmpty() || at >= newest + terms.lookback()
        ? null
        : new Held(labels, newest, value);
  }

  /** One label set by itself. */
  private Held held(Series series, long at) {
    return newest(List.of(series), at);
  }

  // --- devices ---

  private List<String> directions(String metric) {
    return ofGpu.stream()
        .filter(each -> each.labels().metric().equals(metric))
        .map(each -> each.labels().value("direction"))
        .distinct()
        .sorted()
        .toList();
  }

  private List<List<Series>> slots(String device) {
    return slotsByDevice.computeIfAbsent(device, this::find);
  }

  private List<List<Series>> find(String device) {
    List<List<Series>> slots = new ArrayList<>();
    for (String metric : GAUGES.keySet()) {
      slots.add(slot(device, metric, ""));
    }
    for (String metric : COUNTERS.keySet()) {
      directions(metric).forEach(direction -> slots.add(slot(device, metric, direction)));
    }
    slots.removeIf(List::isEmpty);
    return slots;
  }

  private boolean isSampled(String device, long at) {
    return sampled
        .computeIfAbsent(
            device,
            none ->
                slots(device).stream()
                    .flatMap(List::stream)
                    .flatMapToLong(
                        each ->
                            IntStream.range(0, each.size())
                                .filter(i -> whole(each.labels(), each.values()[i]) >= 0)
                                .mapToLong(i -> each.times()[i]))
                    .boxed()
                    .collect(Collectors.toSet()))
        .contains(at);
  }

  private void prepare() {
    states.clear();
    slotsByName.clear();
    slotsByDevice.clear();
    sampled.clear();
    states.put("", new State[end + 1]);
    ofGpu.forEach(each -> states.put(instance(each.labels()), new State[end + 1]));
    boolean isDivided = false;
    for (int at = 0; at <= end; at++) {
      boolean isAny = false;
      for (String device : states.keySet()) {
        State state = state(device, at);
        states.get(device)[at] = state;
        isAny |= !device.isEmpty() && state.isLive;
      }
      isDivided = isAny || isDivided && !isSampled("", at);
      for (String device : states.keySet()) {
        State state = states.get(device)[at];
        boolean isCounted = state.isLive && !(device.isEmpty() && isDivided);
        states.get(device)[at] = state.counted(isCounted);
      }
    }
  }

  private State state(String device, long at) {
    Held first =
        slots(device).stream()
            .map(slot -> newest(slot, at))
            .filter(Objects::nonNull)
            .findFirst()
            .orElse(null);
    if (first == null) {
      return State.NOTHING;
    }
    Labels labels = first.labels.getFirst().only(UsageLabels.DEVICE);
    List<Labels> owners = first.labels;
    Held allocated = newest(slot(device, "gpu_allocated", ""), at);
    boolean isAllocated;
    if (allocated == null) {
      isAllocated =
          owners.stream()
              .filter(each -> !each.metric().equals(HOST_MEMORY))
              .anyMatch(each -> !owner(each).only(UsageLabels.HOLDING).isEmpty());
    } else {
      isAllocated = allocated.value > 0;
      List<Labels> sharers = isAllocated ? sharers(device, at) : List.of();
      owners = sharers.isEmpty() ? owners : sharers;
    }
    return new State(
        true,
        false,
        isAllocated,
        labels,
        owners.stream().map(each -> new Share(labels, owner(each), 1)).toList());
  }

  private Labels owner(Labels series) {
    Labels owner = series.only(ownerNames);
    return owner.value("pod").startsWith("nvidia-dcgm-exporter-") ? owner.without("pod") : owner;
  }

  private List<Labels> sharers(String device, long at) {
    List<Held> held =
        slot(device, "gpu_allocation_info", "").stream()
            .filter(each -> each.labels().value("basis").equals("allocation"))
            .map(each -> held(each, at))
            .filter(Objects::nonNull)
            .toList();
    long newest = held.stream().mapToLong(Held::since).max().orElse(0);
    return held.stream()
        .filter(each -> each.since == newest)
        .map(each -> each.labels.getFirst())
        .sorted()
        .toList();
  }

  // --- what is written ---

  private Line line(Share share) {
    return lines.computeIfAbsent(
        new Key(share.device, share.owner, period.interval(time)), none -> new Line());
  }

  private void addEvenly(Amount amount, long value, List<Share> shares) {
    for (int i = 0; i < shares.size(); i++) {
      long part = value / shares.size() + (i < value % shares.size() ? 1 : 0);
      line(shares.get(i)).add(amount, part);
    }
  }

  private void gauges() {
    for (time = period.from(); time < period.to(); time++) {
      for (String device : states.keySet()) {
        State state = states.get(device)[(int) time];
        if (state.isCounted) {
          gauges(device, state);
        } else if (!state.isLive) {
          State bridged = bridged(device, (int) time);
          if (bridged != null && bridged.isAllocated) {
            addEvenly(Amount.UNKNOWN, 1_000_000, bridged.shares);
            allocated = allocated.add(BigInteger.valueOf(1_000_000));
          }
        }
      }
    }
  }

  private void gauges(String device, State state) {
    List<Map.Entry<Labels, Long>> processes = parts(device, "gpu_process_memory_bytes");
    divide(
        newest(slot(device, "DCGM_FI_DEV_FB_USED", ""), time),
        processes.isEmpty() ? parts(device, "gpu_container_memory_bytes") : processes,
        state,
        Amount.MEMORY,
        Amount.MEMORY_TIME);
    Held busy = newest(slot(device, "DCGM_FI_DEV_GPU_UTIL", ""), time);
    busy = busy != null ? busy : newest(slot(device, "DCGM_FI_PROF_GR_ENGINE_ACTIVE", ""), time);
    long activity =
        divide(
            busy,
            parts(device, "gpu_container_utilization_ratio"),
            state,
            Amount.ACTIVITY,
            Amount.ACTIVITY_TIME);
    plain(device, state, "DCGM_FI_PROF_SM_ACTIVE", Amount.SM, Amount.SM_TIME);
    plain(device, state, "DCGM_FI_PROF_PIPE_TENSOR_ACTIVE", Amount.TENSOR, Amount.TENSOR_TIME);
    plain(device, state, "DCGM_FI_PROF_DRAM_ACTIVE", Amount.DRAM, Amount.DRAM_TIME);
    plain(device, state, HOST_MEMORY, Amount.HOST_MEMORY, Amount.HOST_MEMORY_TIME);
    Held ofHost = newest(slot(device, HOST_MEMORY, ""), time);
    for (int i = 0; ofHost != null && i < state.shares.size(); i++) {
      int among = state.shares.size();
      long part = ofHost.value / among + (i < ofHost.value % among ? 1 : 0);
      Line line = line(state.shares.get(i));
      line.hostPeak = Math.max(line.hostPeak, part);
    }
    if (state.isAllocated) {
      allocated = allocated.add(BigInteger.valueOf(1_000_000));
      Held power = newest(slot(device, "DCGM_FI_DEV_POWER_USAGE", ""), time);
      Held limit = newest(slot(device, "DCGM_FI_DEV_ENFORCED_POWER_LIMIT", ""), time);
      boolean isPowerful =
          power != null
              && limit != null
              && power.value * 1_000_000 >= limit.value * terms.highPower();
      Amount use =
          activity < 0
              ? Amount.UNKNOWN
              : activity >= terms.busy()
                  ? Amount.BUSY
                  : isPowerful ? Amount.EXECUTION_IDLE : Amount.IDLE;
      addEvenly(use, 1_000_000, state.shares);
    }
  }

  private void plain(String device, State state, String metric, Amount sum, Amount known) {
    Held held = newest(slot(device, metric, ""), time);
    if (held != null) {
      addEvenly(sum, held.value, state.shares);
      addEvenly(known, 1_000_000, state.shares);
    }
  }

  private List<Map.Entry<Labels, Long>> parts(String device, String metric) {
    Map<String, List<Held>> byPart = new TreeMap<>();
    for (Series series : slot(device, metric, "")) {
      Held held = held(series, time);
      if (held != null) {
        String pid = series.labels().value("pid");
        String part = pid.isEmpty() ? series.labels().value("container_id") : pid;
        byPart.computeIfAbsent(part, none -> new ArrayList<>()).add(held);
      }
    }
    List<Map.Entry<Labels, Long>> parts = new ArrayList<>();
    for (List<Held> of : byPart.values()) {
      Held newest =
          of.stream()
              .min(
                  Comparator.comparing((Held each) -> -each.since)
                      .thenComparing(each -> each.labels.getFirst()))
              .orElseThrow();
      parts.add(Map.entry(newest.labels.getFirst(), newest.value));
    }
    return parts;
  }

  /** Returns all of it; negative if it is not known. */
  private long divide(
      Held held, List<Map.Entry<Labels, Long>> parts, State state, Amount sum, Amount known) {
    if (held == null && parts.isEmpty()) {
      return -1;
    }
    long ofParts = parts.stream().mapToLong(Map.Entry::getValue).sum();
    long total = Math.max(held == null ? 0 : held.value, ofParts);
    List<Map.Entry<Share, Long>> has = new ArrayList<>();
    for (Map.Entry<Labels, Long> part : parts) {
      Share share = new Share(state.device, owner(part.getKey()), 1);
      has.add(Map.entry(share, part.getValue()));
    }
    long rest = total - ofParts;
    int size = state.shares.size();
    for (int i = 0; i < size; i++) {
      has.add(Map.entry(state.shares.get(i), rest / size + (i < rest % size ? 1 : 0)));
    }
    for (Map.Entry<Share, Long> each : has) {
      line(each.getKey()).add(sum, each.getValue());
    }
    addEvenly(known, 1_000_000, state.shares);
    if (sum == Amount.MEMORY) {
      for (Map.Entry<Share, Long> each : has) {
        Line line = line(each.getKey());
        line.level = (line.levelAt == time ? line.level : 0) + each.getValue();
        line.levelAt = time;
      }
      for (Map.Entry<Share, Long> each : has) {
        Line line = line(each.getKey());
        line.peak = Math.max(line.peak, line.level);
        if (time + 1 == period.end(period.interval(time))) {
          line.atEnd = line.level;
        }
      }
    }
    return total;
  }

  // --- gaps ---

  /** The device as it was before the gap, if it had the same owner afterwards; else null. */
  private State bridged(String device, int at) {
    State[] of = states.get(device);
    int gone = at;
    while (gone > 0 && !of[gone - 1].isLive) {
      gone--;
    }
    int back = at;
    while (back <= end && !of[back].isLive) {
      back++;
    }
    int last = lastSampled(device, gone);
    if (last < 0 || back > end || back - last > terms.bridge()) {
      return null;
    }
    for (int between = gone; between < back; between++) {
      for (String other : states.keySet()) {
        boolean isOther = other.isEmpty() != device.isEmpty();
        if (isOther && states.get(other)[between].isCounted) {
          return null;
        }
      }
    }
    boolean isSame =
        of[last].isCounted && of[back].isCounted && of[last].owners().equals(of[back].owners());
    State before = of[last];
    return isSame
        ? new State(
            false, true, before.isAllocated && of[back].isAllocated, before.device, before.shares)
        : null;
  }

  private int lastSampled(String device, int at) {
    int last = at;
    while (last >= 0 && !isSampled(device, last)) {
      last--;
    }
    return last;
  }

  /** Whose the counters of a device are. */
  private List<Share> shares(String device, int at) {
    State state = states.get(device)[at];
    if (device.isEmpty()) {
      List<Share> ofInstances = ofInstances(at);
      if (!ofInstances.isEmpty()) {
        return ofInstances;
      }
      if (state.isLive && !state.isCounted) {
        return state.nobody();
      }
    }
    if (state.isLive) {
      return state.shares;
    }
    State bridged = bridged(device, at);
    if (bridged != null) {
      return bridged.shares;
    }
    List<Share> inGap = device.isEmpty() ? inGap(at) : List.of();
    return inGap.isEmpty() ? states.get(device)[lastSampled(device, at)].nobody() : inGap;
  }

  /** Of instances that come back together with their owners; the parts of others are nobody's. */
  private List<Share> inGap(int at) {
    int back = at;
    while (back <= end && ofInstances(back).isEmpty()) {
      back++;
    }
    int last = at;
    while (last >= 0 && ofInstances(last).isEmpty()) {
      last--;
    }
    List<State> parts = new ArrayList<>();
    boolean isAny = false;
    for (String device : states.keySet()) {
      if (device.isEmpty() || last < 0 || back > end) {
        continue;
      }
      State bridged = states.get(device)[back].isLive ? bridged(device, back - 1) : null;
      isAny |= bridged != null;
      if (bridged != null) {
        parts.add(bridged);
      } else if (states.get(device)[last].isLive) {
        State before = states.get(device)[lastSampled(device, last)];
        parts.add(new State(true, true, false, before.device, before.nobody()));
      }
    }
    return isAny ? combined(parts) : List.of();
  }

  private List<Share> ofInstances(int at) {
    return combined(
        states.keySet().stream()
            .filter(device -> !device.isEmpty())
            .map(device -> states.get(device)[at])
            .filter(State::isLive)
            .toList());
  }

  private static List<Share> combined(List<State> instances) {
    int multiple = 1;
    for (State state : instances) {
      multiple *= state.shares.size() / gcd(multiple, state.shares.size());
    }
    List<Share> shares = new ArrayList<>();
    for (State state : instances) {
      String profile = state.device.value("GPU_I_PROFILE");
      int slices = profile.isEmpty() ? 1 : Integer.parseInt(profile.split("g")[0]);
      for (Share share : state.shares) {
        int weight = slices * multiple / state.shares.size();
        shares.add(new Share(share.device, share.owner, weight));
      }
    }
    return shares;
  }

  private static int gcd(int a, int b) {
    return b == 0 ? a : gcd(b, a % b);
  }

  // --- counters ---

  private record Pair(long from, long to, long increase) {
    /** Number of units that have come. */
    long until(long at) {
      return BigInteger.valueOf(increase)
          .multiply(BigInteger.valueOf(at - from))
          .divide(BigInteger.valueOf(to - from))
          .longValueExact();
    }
  }

  private List<Pair> pairs(List<Series> slot) {
    TreeMap<Long, Long> values = new TreeMap<>();
    for (Series series : slot) {
      for (int i = 0; i < series.size(); i++) {
        long whole = whole(series.labels(), series.values()[i]);
        if (whole >= 0) {
          values.merge(series.times()[i], whole, Math::max);
        }
      }
    }
    List<Pair> pairs = new ArrayList<>();
    Map.Entry<Long, Long> last = null;
    for (Map.Entry<Long, Long> next : values.entrySet()) {
      if (last != null && next.getKey() - last.getKey() <= terms.bridge()) {
        long increase = next.getValue() - last.getValue();
        pairs.add(
            new Pair(last.getKey(), next.getKey(), increase < 0 ? next.getValue() : increase));
      }
      last = next;
    }
    return pairs;
  }

  private void counters() {
    for (String device : states.keySet()) {
      for (String metric : COUNTERS.keySet()) {
        for (String direction : directions(metric)) {
          for (Pair pair : pairs(slot(device, metric, direction))) {
            if (!metric.equals("gpu_energy_joules_total") || isSecond(pair)) {
              count(device, metric, pair);
            }
          }
        }
      }
    }
  }

  /** The other energy counter counts where the first has had no sample for some time. */
  private boolean isSecond(Pair pair) {
    for (Series series : slot("", "DCGM_FI_DEV_TOTAL_ENERGY_CONSUMPTION", "")) {
      for (int i = 0; i < series.size(); i++) {
        long at = series.times()[i];
        if (at <= pair.to
            && at >= pair.to - terms.bridge()
            && whole(series.labels(), series.values()[i]) >= 0) {
          return false;
        }
      }
    }
    return true;
  }

  private void count(String device, String metric, Pair pair) {
    Amount amount =
        switch (metric) {
          case "gpu_nvlink_bytes_total" -> Amount.NVLINK;
          case "gpu_pcie_bytes_total" -> Amount.PCIE;
          case "gpu_owner_cpu_seconds_total" -> Amount.CPU;
          case "gpu_owner_io_bytes_total" -> Amount.IO;
          default -> Amount.ENERGY;
        };
    for (time = Math.max(pair.from, period.from()); time < Math.min(pair.to, period.to()); time++) {
      List<Share> shares = shares(device, (int) time);
      boolean isEstimate = amount == Amount.ENERGY && shares.size() > 1;
      shares.forEach(share -> line(share).add(isEstimate ? Amount.ENERGY_ESTIMATED : amount, 0));
      for (long unit = pair.until(time); unit < pair.until(time + 1); unit++) {
        line(whose(unit, shares))
            .add(isEstimate ? Amount.ENERGY_ESTIMATED : amount, isEstimate ? 1_000 : 1);
      }
    }
  }

  private static Share whose(long unit, List<Share> shares) {
    long place = unit % shares.stream().mapToInt(Share::weight).sum();
    for (Share share : shares) {
      place -= share.weight;
      if (place < 0) {
        return share;
      }
    }
    throw new IllegalStateException();
  }

  private void estimates() {
    List<Pair> covered =
        new ArrayList<>(pairs(slot("", "DCGM_FI_DEV_TOTAL_ENERGY_CONSUMPTION", "")));
    pairs(slot("", "gpu_energy_joules_total", "")).stream()
        .filter(this::isSecond)
        .forEach(covered::add);
    for (time = period.from(); time < period.to(); time++) {
      Held power = newest(slot("", "DCGM_FI_DEV_POWER_USAGE", ""), time);
      if (power != null
          && covered.stream().noneMatch(each -> each.from <= time && time < each.to)) {
        List<Share> shares = shares("", (int) time);
        int sum = shares.stream().mapToInt(Share::weight).sum();
        int start = 0;
        for (Share share : shares) {
          long rest = Math.min(Math.max(power.value % sum - start, 0), share.weight);
          line(share).add(Amount.ENERGY_ESTIMATED, power.value / sum * share.weight + rest);
          start += share.weight;
        }
      }
    }
  }
}
