package io.fleetgauge.query.faults.reading;

import io.fleetgauge.sample.Labels;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * Ticks made by hand. Values stay from tick to tick until they are set again, and go to the entity
 * that was named last: {@code Ticks.host("h1").gpu(0).with(Signal.POWER, 650).at(15_000).build()}.
 */
public final class Ticks {
  /** Time between two ticks, ms, over which increases of counters are. */
  public static final long STEP = 15_000;

  private final String host;
  private final Values ofHost = new Values(Entity.HOST);
  private final SortedMap<Integer, Gpu> gpus = new TreeMap<>();
  private final SortedMap<String, Values> ports = new TreeMap<>();
  private long time;
  private long step = STEP;
  private Values current = ofHost;
  private Gpu gpu;

  /** A reading: a value, and the time that an increase took. */
  private record Value(double value, long millis) {}

  private static final class Values {
    final Entity entity;
    final Map<Signal, Value> values = new TreeMap<>();

    Values(Entity entity) {
      this.entity = entity;
    }

    Readings readings() {
      Readings readings = new Readings(entity);
      values.forEach((signal, each) -> readings.add(signal, each.value, each.millis));
      return readings;
    }
  }

  private static final class Gpu {
    Labels labels;
    Labels owner = Labels.EMPTY;
    final Values values = new Values(Entity.GPU);
    final SortedMap<String, Values> links = new TreeMap<>();
    final SortedMap<String, Values> codes = new TreeMap<>();
    final SortedMap<String, Values> ranks = new TreeMap<>();

    GpuTick tick() {
      return new GpuTick(labels, owner, values.readings(), read(links), read(codes), read(ranks));
    }
  }

  private Ticks(String host) {
    this.host = host;
  }

  public static Ticks host(String host) {
    return new Ticks(host);
  }

  /** The GPUs of a job at a step, all fresh. */
  public static JobStep job(String job, long time, HostTick... hosts) {
    return job(job, time, Arrays.asList(hosts));
  }

  /** The GPUs of a job at a step, all fresh. */
  public static JobStep job(String job, long time, List<HostTick> hosts) {
    List<JobStep.JobGpu> all = new ArrayList<>();
    for (HostTick each : hosts) {
      for (GpuTick gpu : each.gpus()) {
        if (gpu.job().equals(job)) {
          all.add(new JobStep.JobGpu(each, gpu, true));
        }
      }
    }
    return new JobStep(job, Labels.of("job", job), time, all);
  }

  /** The UUID of a GPU of a host. */
  public static String uuid(String host, int index) {
    return String.format(Locale.ROOT, "GPU-%s-%d", host, index);
  }

  /** The time of the tick that is built next, ms. */
  public Ticks at(long millis) {
    time = millis;
    return this;
  }

  /** The time that increases from now on take, ms. */
  public Ticks step(long millis) {
    step = millis;
    return this;
  }

  /** Goes on with readings of the host. */
  public Ticks onHost() {
    current = ofHost;
    return this;
  }

  /** Goes on with a GPU, an H100 unless it is told otherwise. */
  public Ticks gpu(int index) {
    gpu =
        gpus.computeIfAbsent(
            index,
            none -> {
              Gpu one = new Gpu();
              one.labels =
                  Labels.of(
                      "UUID",
                      uuid(host, index),
                      "gpu",
                      Integer.toString(index),
                      "modelName",
                      "NVIDIA H100 80GB HBM3");
              return one;
            });
    current = gpu.values;
    return this;
  }

  /** The model of the GPU. */
  public Ticks model(String model) {
    gpu.labels = gpu.labels.with("modelName", model);
    return this;
  }

  /** Takes a GPU out of the host. */
  public Ticks withoutGpu(int index) {
    gpus.remove(index);
    return onHost();
  }

  /** The job that has the GPU; an empty name for nobody. */
  public Ticks job(String job) {
    gpu.owner = job.isEmpty() ? Labels.EMPTY : Labels.of("job", job);
    return this;
  }

  /** All labels of the owner of the GPU. */
  public Ticks owner(Labels owner) {
    gpu.owner = owner;
    return this;
  }

  /** Goes on with a link of the GPU. */
  public Ticks link(int number) {
    current = gpu.links.computeIfAbsent(Integer.toString(number), none -> new Values(Entity.LINK));
    return this;
  }

  /** Goes on with a code of the GPU's XIDs. */
  public Ticks code(int code) {
    current = gpu.codes.computeIfAbsent(Integer.toString(code), none -> new Values(Entity.CODE));
    return this;
  }

  /** Goes on with a rank of the GPU in a communicator. */
  public Ticks rank(String communicator) {
    current = gpu.ranks.computeIfAbsent(communicator, none -> new Values(Entity.RANK));
    return this;
  }

  /** Goes on with a port, such as {@code mlx5_0/1}. */
  public Ticks port(String port) {
    current = ports.computeIfAbsent(port, none -> new Values(Entity.PORT));
    return this;
  }

  /** A value of a gauge, or an increase of a counter since the tick before. */
  public Ticks with(Signal signal, double value) {
    long millis = signal.form() == Signal.Form.INCREASE ? step : 0;
    current.values.put(signal, new Value(value, millis));
    return this;
  }

  /** Takes a reading away: it was not read. */
  public Ticks without(Signal signal) {
    current.values.remove(signal);
    return this;
  }

  public HostTick build() {
    return new HostTick(
        host,
        time,
        Labels.of("Hostname", host),
        ofHost.readings(),
        gpus.values().stream().map(Gpu::tick).toList(),
        read(ports));
  }

  private static SortedMap<String, Readings> read(SortedMap<String, Values> all) {
    SortedMap<String, Readings> read = new TreeMap<>();
    all.forEach((key, each) -> read.put(key, each.readings()));
    return read;
  }
}
