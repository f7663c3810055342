package io.fleetgauge.load.nodes.jobs;

import io.fleetgauge.load.nodes.driver.Board;
import io.fleetgauge.load.nodes.driver.Fault;
import io.fleetgauge.load.nodes.driver.Incident;
import io.fleetgauge.load.nodes.driver.Noise;
import io.fleetgauge.sample.gpu.FaultKind;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/** Faults of a fleet, and their times. Immutable. */
public final class Incidents {
  /** Amounts of faults. */
  public enum Amount {
    OFF,
    SOME,
    MANY
  }

  public static final Incidents NONE = new Incidents(List.of());

  /** One of each, in this order; the first ones are what {@link Amount#SOME} has. */
  private static final Fault[] ORDER = {
    Fault.STRAGGLER_CLOCK,
    Fault.LOST,
    Fault.IDLE,
    Fault.HUNG_DRIVER,
    Fault.SILENT,
    Fault.PAGE_FAULTS,
    Fault.THERMAL_SLOWDOWN,
    Fault.CORRECTABLE,
    Fault.NARROW_LINK,
    Fault.HANG
  };

  /** What takes longer than a demo, or is only a part of another fault. */
  private static final Set<Fault> LEFT_OUT =
      EnumSet.of(Fault.LINK_TREND, Fault.MEMORY_LEAK, Fault.ENDED);

  /** Times are parts of a day, so that the faults of a day are the same whenever one looks. */
  private static final long DAY = Duration.ofDays(1).toMillis();

  private static final Duration SHORTEST = Duration.ofMinutes(25);

  private final List<Incident> all;

  public Incidents(List<Incident> all) {
    this.all = List.copyOf(all);
  }

  /**
   * Incidents around a time: some go on then, others begin and end around it.
   *
   * @param now ms since the epoch
   */
  public static Incidents around(long now, FleetLayout fleet, Amount amount) {
    List<Incident> all = new ArrayList<>();
    int kinds = amount == Amount.OFF ? 0 : amount == Amount.SOME ? ORDER.length : Integer.MAX_VALUE;
    List<Fault> faults = new ArrayList<>(List.of(ORDER));
    for (Fault fault : Fault.values()) {
      if (!faults.contains(fault) && !LEFT_OUT.contains(fault)) {
        faults.add(fault);
      }
    }
    int hosts = fleet.places().size();
    int first = Noise.below(hosts, fleet.seed(), 77, 0);
    for (int i = 0; i < Math.min(kinds, faults.size()) && i < hosts; i++) {
      Fault fault = faults.get(i);
      Optional<Place> place = place(fleet, fault, first + i * Math.max(1, hosts / faults.size()));
      if (place.isEmpty()) {
        continue;
      }
      int gpus = place.get().board().perNode();
      int gpu = fault.isOfNode() ? Incident.ALL : Noise.below(gpus, fleet.seed(), i, 1);
      for (long begin : begins(fleet.seed(), i, now)) {
        long length = SHORTEST.toMillis() * (1 + Noise.below(3, fleet.seed(), i, begin));
        all.add(new Incident(fault, place.get().number(), gpu, begin, begin + length));
      }
    }
    return new Incidents(all);
  }

  /** An incident begins every two hours or so; those of the last day and the next week. */
  private static List<Long> begins(long seed, int fault, long now) {
    List<Long> begins = new ArrayList<>();
    long day = Math.floorDiv(now, DAY);
    for (long of = (day - 1) * 12; of < (day + 8) * 12; of++) {
      begins.add(of * (DAY / 12) + (long) (Noise.of(seed, 500 + fault, of) * (DAY / 24)));
    }
    return begins;
  }

  /** A node where the fault can be. */
  private static Optional<Place> place(FleetLayout fleet, Fault fault, int first) {
    int hosts = fleet.places().size();
    for (int i = 0; i < hosts; i++) {
      Place place = fleet.places().get((first + i) % hosts);
      if (fits(place, fault)) {
        return Optional.of(place);
      }
    }
    return Optional.empty();
  }

  private static boolean fits(Place place, Fault fault) {
    boolean ofJob =
        fault.kind().isEmpty()
            || fault.kind().get().scope() == FaultKind.Scope.JOB
            || fault == Fault.IDLE;
    return fits(place.board(), fault) && (ofJob ? place.isOfSlurm() : !place.divided());
  }

  /** Tells whether a board can have a fault. */
  static boolean fits(Board board, Fault fault) {
    return switch (fault) {
      case LINK_ERRORS, LINK_TREND, LINK_DOWN, STRAGGLER_LINK -> board.links() > 0;
      case FABRIC -> board.hasFabric();
      case RESET_NEEDED -> board.hasMargin();
      case REMAP_FAILED, REMAP_PENDING, REMAP_LOW, HOT_MEMORY -> board.links() > 0;
      default -> true;
    };
  }

  public List<Incident> all() {
    return all;
  }

  /** The incidents of one node. */
  public List<Incident> of(int host) {
    return all.stream().filter(incident -> incident.host() == host).toList();
  }

  /** Tells whether a node has a fault at a time. */
  public boolean has(Fault fault, int host, long time) {
    return all.stream()
        .anyMatch(
            incident ->
                incident.fault() == fault && incident.host() == host && incident.isAt(time));
  }
}
