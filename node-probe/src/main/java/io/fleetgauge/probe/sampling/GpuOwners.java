package io.fleetgauge.probe.sampling;

import io.fleetgauge.sample.Labels;
import java.util.Map;

/**
 * The labels of those who own the node's GPUs now. Immutable: another object means that something
 * has changed.
 *
 * @param byGpu what the series of a GPU or MIG instance get; without an owner it is absent
 */
public record GpuOwners(Map<Gpu, Labels> byGpu) {
  public static final GpuOwners NONE = new GpuOwners(Map.of());

  /**
   * Tells those apart that share a GPU. A series with this label names its own owner, and gets no
   * label of the GPU's.
   */
  public static final String SLOT = "slot";

  private static final String UUID = "UUID";

  public GpuOwners {
    byGpu = Map.copyOf(byGpu);
  }

  /**
   * A GPU, or a part of it.
   *
   * @param uuid of the whole GPU
   * @param instance id of the MIG instance, as the label {@code GPU_I_ID} has it; empty for the GPU
   *     as a whole
   */
  public record Gpu(String uuid, String instance) implements Comparable<Gpu> {
    public static Gpu whole(String uuid) {
      return new Gpu(uuid, "");
    }

    /** The GPU that a series is of; its uuid is empty when it is of none. */
    public static Gpu of(Labels series) {
      return new Gpu(series.value(UUID), series.value("GPU_I_ID"));
    }

    @Override
    public int compareTo(Gpu other) {
      int byUuid = uuid.compareTo(other.uuid);
      return byUuid != 0 ? byUuid : instance.compareTo(other.instance);
    }
  }

  /** Tells whether a series is of a GPU, and does not name its own owner. */
  static boolean concern(Labels series) {
    return !series.value(UUID).isEmpty() && series.value(SLOT).isEmpty();
  }

  /** A series with the labels of its GPU's owner; its own win. */
  Labels on(Labels series) {
    if (byGpu.isEmpty() || !concern(series)) {
      return series;
    }
    Labels owner = byGpu.get(Gpu.of(series));
    return owner == null ? series : owner.with(series);
  }
}
