package io.fleetgauge.sample.gpu;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.EnumMap;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;

/**
 * The kinds of faults that are told of GPUs, hosts and jobs. What each means, and what to do, is in
 * {@code fault-kinds.tsv}.
 */
public enum FaultKind {
  // --- of a host ---
  /** Its probe has sent nothing for a while. */
  HOST_SILENT(Scope.HOST),
  /** A driver call does not return, or the thread that made it is blocked in the kernel. */
  DRIVER_HANG(Scope.HOST),
  /** Driver calls return late. */
  DRIVER_SLOW(Scope.HOST),
  /** The driver counts fewer GPUs than there should be. */
  GPU_MISSING(Scope.HOST),
  /** A port of a network adapter lost its link. */
  NIC_DOWN(Scope.HOST),
  /** A port of a network adapter counts errors. */
  NIC_ERRORS(Scope.HOST),
  /** A port of a network adapter sends again, slower than before. */
  NIC_SLOW(Scope.HOST),

  // --- of a GPU ---
  /** The driver has lost the GPU. */
  GPU_LOST(Scope.GPU),
  /** The driver reported an XID that calls for action. */
  XID(Scope.GPU),
  /** The driver reported an XID that mostly comes from the application. */
  XID_APPLICATION(Scope.GPU),
  /** The driver asks for a recovery. */
  RECOVERY_ACTION(Scope.GPU),
  ECC_UNCORRECTED(Scope.GPU),
  /** Many memory errors are corrected. */
  ECC_STORM(Scope.GPU),
  ROW_REMAP_FAILED(Scope.GPU),
  ROW_REMAP_PENDING(Scope.GPU),
  /** Few spare rows of memory are left. */
  ROW_SPARE_LOW(Scope.GPU),
  /** The hardware reduces clocks because of heat. */
  THERMAL_SLOWDOWN(Scope.GPU),
  /** The driver reduces clocks because of heat. */
  THERMAL_SOFTWARE(Scope.GPU),
  /** The die is near the temperature at which it slows down. */
  HOT(Scope.GPU),
  MEMORY_HOT(Scope.GPU),
  /** The power supply makes the GPU reduce its clocks. */
  POWER_BRAKE(Scope.GPU),
  /** The power is outside of what the board can draw. */
  POWER_RANGE(Scope.GPU),
  /** The GPU works in a performance state for idleness. */
  PSTATE_STUCK(Scope.GPU),
  PCIE_NARROW(Scope.GPU),
  /** The PCIe link is of a lower generation under load. */
  PCIE_SLOW(Scope.GPU),
  PCIE_REPLAYS(Scope.GPU),
  NVLINK_DOWN(Scope.GPU),
  NVLINK_ERRORS(Scope.GPU),
  /** The recoveries of an NVLink grow from day to day. */
  NVLINK_TREND(Scope.GPU),
  /** The GPU is not part of its NVLink fabric. */
  FABRIC(Scope.GPU),
  /** Memory is in use and no process holds it. */
  MEMORY_UNOWNED(Scope.GPU),
  /** The memory of a job's process grows without an end. */
  MEMORY_LEAK(Scope.GPU),
  /** A GPU is allocated and does nothing. */
  IDLE_ALLOCATION(Scope.GPU),

  // --- of a job ---
  /** A job makes no progress. */
  HANG(Scope.JOB),
  /** A GPU of a job is slower than its equals. */
  STRAGGLER(Scope.JOB),
  /** A GPU of a job does far less than it did, while the others go on. */
  UTILISATION_DROP(Scope.JOB);

  /** What a fault is of. */
  public enum Scope {
    HOST,
    GPU,
    JOB
  }

  private static final int COLUMNS = 5;
  private static final Map<FaultKind, String[]> TABLE = table();

  private final Scope scope;
  private final String text = name().toLowerCase(Locale.ROOT);

  FaultKind(Scope scope) {
    this.scope = scope;
  }

  public Scope scope() {
    return scope;
  }

  /** Its name in series, files and responses. */
  public String text() {
    return text;
  }

  /** The kind of a name. */
  public static Optional<FaultKind> find(String text) {
    for (FaultKind kind : values()) {
      if (kind.text.equals(text)) {
        return Optional.of(kind);
      }
    }
    return Optional.empty();
  }

  /** The severity that it has unless a site chooses another. */
  public Severity severity() {
    return Severity.find(TABLE.get(this)[1]).orElseThrow();
  }

  /** A few words, such as {@code GPU off the bus}. */
  public String title() {
    return TABLE.get(this)[2];
  }

  /** A sentence that says what it means. */
  public String meaning() {
    return TABLE.get(this)[3];
  }

  /** A sentence that says what to do. */
  public String action() {
    return TABLE.get(this)[4];
  }

  private static Map<FaultKind, String[]> table() {
    Map<FaultKind, String[]> table = new EnumMap<>(FaultKind.class);
    try (InputStream in = FaultKind.class.getResourceAsStream("fault-kinds.tsv")) {
      String text = new String(in.readAllBytes(), StandardCharsets.UTF_8);
      for (String line : text.lines().skip(1).toList()) { // the first has the names of columns
        String[] cells = line.split("\\t", -1);
        Optional<FaultKind> kind = find(cells[0]);
        if (cells.length != COLUMNS || kind.isEmpty() || table.put(kind.get(), cells) != null) {
          throw new IllegalStateException("fault-kinds.tsv has the line " + line);
        }
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    if (table.size() != values().length) {
      throw new IllegalStateException("fault-kinds.tsv lacks kinds");
    }
    return table;
  }
}
