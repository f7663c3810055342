package io.fleetgauge.probe.config;

import java.util.HashSet;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;

/**
 * The GPUs and MIG instances of which readings are sent, as dcgm-exporter's {@code --devices} says
 * it.
 *
 * @param gpus whether readings of GPUs are
 * @param indexes of which GPUs; all when empty
 * @param instances whether readings of MIG instances are
 */
public record DeviceChoice(boolean gpus, Set<String> indexes, boolean instances) {
  /** The choice of everything. */
  public static final DeviceChoice ALL = new DeviceChoice(true, Set.of(), true);

  private static final int MOST = 1_000;

  public DeviceChoice {
    indexes = Set.copyOf(indexes);
  }

  /** The choice of a text such as {@code f}, {@code g:0,1} or {@code g+i}; empty for others. */
  public static Optional<DeviceChoice> parse(String text) {
    if (text.equals("f")) {
      return Optional.of(ALL);
    }
    if (text.length() > MOST) {
      return Optional.empty();
    }
    boolean gpus = false;
    boolean instances = false;
    Set<String> indexes = new HashSet<>();
    for (String part : text.split("\\+", -1)) {
      if (part.matches("g(:\\d{1,3}(,\\d{1,3})*)?") && !gpus) {
        gpus = true;
        if (part.length() > 2) {
          for (String index : part.substring(2).split(",")) {
            indexes.add(Integer.toString(Integer.parseInt(index)));
          }
        }
      } else if (part.equals("i") && !instances) {
        instances = true;
      } else {
        return Optional.empty();
      }
    }
    return Optional.of(new DeviceChoice(gpus, indexes, instances));
  }

  /**
   * Tells whether readings of a device are sent.
   *
   * @param gpu its index, or that of the GPU that it is a part of
   * @param instance the id of the MIG instance; empty for a whole GPU
   */
  public boolean has(String gpu, String instance) {
    return instance.isEmpty() ? gpus && (indexes.isEmpty() || indexes.contains(gpu)) : instances;
  }

  @Override
  public String toString() {
    if (equals(ALL)) {
      return "f";
    }
    String of = indexes.isEmpty() ? "g" : "g:" + String.join(",", new TreeSet<>(indexes));
    return gpus ? instances ? of + "+i" : of : "i";
  }
}
