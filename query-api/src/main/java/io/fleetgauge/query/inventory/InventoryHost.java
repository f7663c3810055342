package io.fleetgauge.query.inventory;

import io.fleetgauge.sample.Labels;
import java.util.List;
import java.util.Locale;
import java.util.OptionalLong;

/**
 * A host.
 *
 * @param place labels of all its series, such as {@code Hostname}, {@code region} and {@code rack},
 *     as far as they are known
 * @param rack empty if it is not known
 * @param domain NVLink domain of its GPUs; empty for none
 * @param seen time of its newest sample, ms since the epoch
 * @param faults kinds of open critical faults of the host itself, sorted
 * @param gpus those that are known, by index
 */
public record InventoryHost(
    String name,
    Labels place,
    String rack,
    String domain,
    State state,
    OptionalLong seen,
    GpuCount count,
    LinkCount links,
    List<String> faults,
    List<InventoryGpu> gpus) {
  /** The state of a host. */
  public enum State {
    /** It sends. */
    PRESENT,
    /** It has sent and does not send any more. */
    SILENT,
    /** It should be there and has never sent. */
    MISSING;

    private final String text = name().toLowerCase(Locale.ROOT);

    /** As responses and series have it. */
    public String text() {
      return text;
    }
  }

  public InventoryHost {
    faults = List.copyOf(faults);
    gpus = List.copyOf(gpus);
  }
}
