package io.fleetgauge.load.nodes;

import io.fleetgauge.load.nodes.driver.Board;
import io.fleetgauge.load.nodes.driver.Noise;
import io.fleetgauge.load.nodes.driver.Work;
import java.util.Optional;

/**
 * The jobs of the nodes over time. Neighbouring nodes of one rack and board run one or two jobs at
 * a time, of four tenants in turn, with pauses between them. A function of the seed, so that times
 * may be asked for in any order.
 */
public final class JobSchedule {
  static final String[] TENANTS = {"atlas", "borealis", "cirrus", "delta"};
  private static final String[] TRAINING = {"pretrain", "finetune", "train", "evaluate"};
  private static final String[] SERVING = {"serve", "batch-infer", "notebook", "embed"};

  /** Nodes that are scheduled together. */
  private static final int GROUP = 5;

  /** A part of a slot in which nothing runs yet, at most. */
  private static final double MOST_PAUSE = 0.12;

  private static final long NUMBERS = 10_000_000;

  private final long seed;
  private final long slotMillis;

  public JobSchedule(FleetLayout fleet) {
    this.seed = fleet.seed();
    this.slotMillis = fleet.jobTime().toMillis();
  }

  /**
   * The job that holds a GPU of the node, or an instance of one, if any.
   *
   * @param part of the node: nodes of Kubernetes are shared by two jobs, 0 and 1
   */
  public Optional<Job> on(Place place, int part, long time) {
    int ofBoard = place.board() == Board.L40S ? 50 : 0;
    int group = place.rack() * 100 + ofBoard + place.position() / GROUP;
    // Racks change at different times, or the whole fleet would pause together.
    long shift = Math.floorMod(place.rack() * 727_000L, slotMillis);
    long slot = Math.floorDiv(time + shift, slotMillis);
    int split = 1 + Noise.below(GROUP, seed, group, slot);
    int half = place.position() % GROUP < split ? 0 : 1;
    int side = place.divided() ? part : half;
    long begins = slot * slotMillis - shift;
    long which = 10L * group + side;
    long pause = (long) (MOST_PAUSE * slotMillis * Noise.of(seed, which + 1_000_000, slot));
    if (time < begins + pause) {
      return Optional.empty();
    }
    return Optional.of(job(place, which, slot, begins + pause, begins + slotMillis));
  }

  private Job job(Place place, long which, long slot, long began, long ends) {
    boolean trains = place.isOfSlurm();
    String[] kinds = trains ? TRAINING : SERVING;
    String kind = kinds[Noise.below(kinds.length, seed, which + 2_000_000, slot)];
    String tenant = TENANTS[(int) Math.floorMod(which / 10 * 2 + which % 10 + slot, 4L)];
    long number = 1_000_000 + Math.floorMod(slot * 10_007 + which, NUMBERS);
    double chance = Noise.of(seed, which + 3_000_000, slot);
    double memory = 0.5 + 0.45 * Noise.of(seed, which + 4_000_000, slot);
    Work work =
        trains
            ? new Work(0.88 + 0.12 * chance, memory, place.board() != Board.L40S)
            : new Work(0.25 + 0.5 * chance, memory, false);
    return new Job(kind + "-" + number, number, tenant, kind, work, began, ends);
  }
}
