package io.fleetgauge.probe.nccl;

import io.fleetgauge.probe.gpu.snapshot.GpuIdentity;
import io.fleetgauge.probe.sampling.Reader;
import io.fleetgauge.probe.sampling.Readings;
import io.fleetgauge.probe.sampling.TickClass;
import io.fleetgauge.sample.Labels;
import io.fleetgauge.sample.prometheus.TextExpositionReader;
import java.io.File;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Files of NCCL's inspector in the folder of the text-file collector: each has the UUID of its GPU
 * in its name, and names it by no label. The text-file collector reads them as they are; here one
 * series for each GPU and communicator is made of them, with the labels of the GPU, so that the
 * owners of the GPU are added.
 *
 * <p>Only operations with the largest messages count: their bandwidth can be compared between the
 * ranks of a communicator. A file that was not written for five minutes tells of no job that works.
 */
public final class InspectorFiles implements Reader {
  private static final Pattern NAME =
      Pattern.compile(
          "nccl_inspector_metrics_(?:GPU-)?([0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12})"
              + "\\.prom");
  private static final String BANDWIDTH = "nccl_bus_bandwidth_gbs";
  private static final Pattern SIZE = Pattern.compile("([0-9.]{1,12})(?:-[0-9.]{1,12})?([KMGT]?)B");
  private static final String UNITS = "KMGT";
  private static final double STEP = 1_024;
  private static final double GIGA = 1e9;
  private static final long KEPT_MILLIS = Duration.ofMinutes(5).toMillis();
  private static final int MAX_BYTES = 4 << 20;
  private static final int MOST_FILES = 256;
  private static final int MOST_COMMUNICATORS = 16;
  private static final int LONGEST_NAME = 128;

  private final Path folder;
  private final Supplier<List<GpuIdentity>> gpus;
  private final TickClass core;
  private final LongSupplier clock;
  private Map<String, Parsed> known = Map.of();

  private record Parsed(long modified, long size, Map<String, Double> byCommunicator) {}

  /** The operations of a communicator with the largest messages so far. */
  private static final class Largest {
    double size = -1;
    double logarithms;
    int count;

    void add(double messages, double bandwidth) {
      if (messages > size) {
        size = messages;
        logarithms = 0;
        count = 0;
      }
      if (messages == size) {
        logarithms += Math.log(bandwidth);
        count++;
      }
    }
  }

  /**
   * @param gpus the GPUs that were found
   * @param clock ms since the epoch
   */
  public InspectorFiles(
      Path folder, Supplier<List<GpuIdentity>> gpus, TickClass core, LongSupplier clock) {
    this.folder = folder;
    this.gpus = gpus;
    this.core = core;
    this.clock = clock;
  }

  @Override
  public String name() {
    return "nccl_inspector";
  }

  @Override
  public Set<TickClass> classes() {
    return Set.of(core);
  }

  @Override
  public void read(Set<TickClass> due, Readings out) {
    String[] names = folder.toFile().list((parent, name) -> NAME.matcher(name).matches());
    if (names == null || names.length == 0) {
      known = Map.of();
      return;
    }
    Arrays.sort(names);
    Map<String, Labels> byUuid = new HashMap<>();
    for (GpuIdentity gpu : gpus.get()) {
      byUuid.put(bare(gpu.uuid()), gpu.labels());
    }
    Map<String, Parsed> now = new HashMap<>();
    for (String name : Arrays.copyOf(names, Math.min(names.length, MOST_FILES))) {
      Matcher parts = NAME.matcher(name);
      Labels gpu = parts.matches() ? byUuid.get(bare(parts.group(1))) : null;
      if (gpu == null) {
        continue; // of a GPU that the node does not have
      }
      Parsed parsed = parsed(name);
      now.put(name, parsed);
      if (clock.getAsLong() - parsed.modified() <= KEPT_MILLIS) {
        parsed
            .byCommunicator()
            .forEach(
                (communicator, value) ->
                    out.add(
                        core,
                        "nccl_bus_bandwidth_bytes_per_second",
                        gpu.with("communicator", communicator),
                        value));
      }
    }
    known = now;
  }

  private static String bare(String uuid) {
    String lower = uuid.toLowerCase(Locale.ROOT);
    return lower.startsWith("gpu-") ? lower.substring(4) : lower;
  }

  /** Reads a file only if it has changed; while it is being written, it is as it was before. */
  private Parsed parsed(String name) {
    File file = folder.resolve(name).toFile();
    long modified = file.lastModified();
    long size = file.length();
    Parsed before = known.get(name);
    if (before != null && before.modified() == modified && before.size() == size) {
      return before;
    }
    Parsed old = before == null ? new Parsed(0, 0, Map.of()) : before;
    try {
      if (size > MAX_BYTES) {
        return old;
      }
      String text = Files.readString(file.toPath(), StandardCharsets.UTF_8);
      if (!text.endsWith("\n")) {
        return old;
      }
      return new Parsed(modified, size, bandwidths(TextExpositionReader.read(text).samples()));
    } catch (IOException | TextExpositionReader.BadLine e) {
      return old; // the text-file collector says what is wrong with it
    }
  }

  private static Map<String, Double> bandwidths(List<TextExpositionReader.Sample> samples) {
    Map<String, Largest> byCommunicator = new TreeMap<>();
    for (TextExpositionReader.Sample sample : samples) {
      if (!sample.labels().metric().equals(BANDWIDTH) || !(sample.value() > 0)) {
        continue;
      }
      String communicator = communicator(sample.labels());
      if (byCommunicator.size() < MOST_COMMUNICATORS || byCommunicator.containsKey(communicator)) {
        byCommunicator
            .computeIfAbsent(communicator, key -> new Largest())
            .add(size(sample.labels().value("message_size")), sample.value());
      }
    }
    Map<String, Double> bandwidths = new TreeMap<>();
    byCommunicator.forEach(
        (communicator, largest) ->
            bandwidths.put(communicator, Math.exp(largest.logarithms / largest.count) * GIGA));
    return bandwidths;
  }

  /** The id that the RAS port has too, up to 2.29; the name that the job gave it since then. */
  private static String communicator(Labels series) {
    String id = series.value("comm_id");
    if (!id.isEmpty()) {
      return RasAnswer.id(RasJson.hash(id));
    }
    String name = series.value("comm_name");
    String known =
        name.isEmpty() || name.equals("unknown")
            ? series.value("nranks") + " ranks on " + series.value("n_nodes") + " nodes"
            : name;
    return known.substring(0, Math.min(known.length(), LONGEST_NAME));
  }

  /** Bytes of a message at least; 0 when it is not understood. */
  private static double size(String text) {
    Matcher parts = SIZE.matcher(text);
    if (!parts.matches()) {
      return 0;
    }
    try {
      int power = parts.group(2).isEmpty() ? 0 : UNITS.indexOf(parts.group(2)) + 1;
      return Double.parseDouble(parts.group(1)) * Math.pow(STEP, power);
    } catch (NumberFormatException e) {
      return 0;
    }
  }
}
