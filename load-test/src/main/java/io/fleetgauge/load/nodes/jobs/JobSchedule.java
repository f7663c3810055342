package io.fleetgauge.load.nodes.jobs;

import io.fleetgauge.load.nodes.driver.Board;
import io.fleetgauge.load.nodes.driver.Noise;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * The jobs of the nodes over time. Neighbouring nodes of one rack and board run one or two jobs at
 * a time, of four tenants in turn, with pauses between them. A function of the seed, so that times
 * may be asked for in any order. Not for several threads.
 */
public final class JobSchedule implements Jobs {
  public static final List<String> TENANTS = List.of("atlas", "borealis", "cirrus", "delta");
  private static final String[] TRAINING = {"pretrain", "finetune", "train", "evaluate"};
  private static final String[] SERVING = {"serve", "batch-infer", "notebook", "embed"};

  /** Nodes that are scheduled together. */
  private static final int GROUP = 5;

  /** A part of a slot in which nothing runs yet, at most. */
  private static final double MOST_PAUSE = 0.12;

  private static final long NUMBERS = 10_000_000;
  private static final int MOST_KEPT = 10_000;

  private final FleetLayout fleet;
  private final long seed;
  private final long slotMillis;
  private final Map<Slot, Job> kept = new HashMap<>();

  /** A job's place in the schedule. */
  private record Slot(long which, long number) {}

  public JobSchedule(FleetLayout fleet) {
    this.fleet = fleet;
    this.seed = fleet.seed();
    this.slotMillis = fleet.jobTime().toMillis();
  }

  @Override
  public Optional<Job> on(Place place, int gpu, int instance, long time) {
    int group = group(place);
    // Racks change at different times, or the whole fleet would pause together.
    long shift = Math.floorMod(place.rack() * 727_000L, slotMillis);
    long slot = Math.floorDiv(time + shift, slotMillis);
    // Nodes of Kubernetes are shared by two jobs.
    int side = place.divided() ? instance < 0 ? gpu % 2 : instance : half(place, slot);
    long begins = slot * slotMillis - shift;
    long which = 10L * group + side;
    long pause = (long) (MOST_PAUSE * slotMillis * Noise.of(seed, which + 1_000_000, slot));
    if (time < begins + pause) {
      return Optional.empty();
    }
    if (kept.size() > MOST_KEPT) {
      kept.clear();
    }
    return Optional.of(
        kept.computeIfAbsent(
            new Slot(which, slot),
            none -> job(place, side, slot, begins + pause, begins + slotMillis)));
  }

  private static int group(Place place) {
    int ofBoard = place.board() == Board.L40S ? 50 : 0;
    return place.rack() * 100 + ofBoard + place.position() / GROUP;
  }

  private int half(Place place, long slot) {
    int split = 1 + Noise.below(GROUP, seed, group(place), slot);
    return place.position() % GROUP < split ? 0 : 1;
  }

  private Job job(Place place, int side, long slot, long began, long ends) {
    long which = 10L * group(place) + side;
    boolean trains = place.isOfSlurm();
    String[] words = trains ? TRAINING : SERVING;
    String word = words[Noise.below(words.length, seed, which + 2_000_000, slot)];
    String tenant = TENANTS.get((int) Math.floorMod(which / 10 * 2 + which % 10 + slot, 4L));
    long number = 1_000_000 + Math.floorMod(slot * 10_007 + which, NUMBERS);
    return new Job(
        word + "-" + number,
        number,
        tenant,
        word,
        trains ? JobKind.DATA_PARALLEL : JobKind.SERVING,
        ranks(place, side, slot),
        began,
        ends,
        seed * 1_000_003 + number);
  }

  private List<Rank> ranks(Place of, int side, long slot) {
    List<Rank> ranks = new ArrayList<>();
    for (Place place : fleet.places()) {
      if (group(place) != group(of) || !of.divided() && half(place, slot) != side) {
        continue;
      }
      for (int gpu = 0; gpu < place.board().perNode(); gpu++) {
        if (!of.divided() || place.instances(gpu) > 0 || gpu % 2 == side) {
          ranks.add(new Rank(place, gpu));
        }
      }
    }
    return ranks;
  }
}
