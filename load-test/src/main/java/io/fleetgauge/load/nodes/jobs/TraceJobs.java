package io.fleetgauge.load.nodes.jobs;

import io.fleetgauge.load.nodes.driver.Board;
import io.fleetgauge.load.nodes.driver.Noise;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * Nodes and jobs of a trace: jobs of all kinds, on one to eight nodes or on a few GPUs of one. A
 * function of the seed.
 */
public final class TraceJobs implements Jobs {
  private static final long MINUTE = 60_000;
  private static final long HOUR = 60 * MINUTE;
  private static final int NODES_OF_RACK = 8;
  private static final int[] SIZES = {1, 1, 1, 1, 2, 2, 4, 8};
  private static final Board[] BOARDS = {
    Board.H100, Board.H100, Board.H100, Board.H200, Board.GB200, Board.A100
  };
  private static final JobKind[] OF_NODES = {
    JobKind.DATA_PARALLEL,
    JobKind.DATA_PARALLEL,
    JobKind.PIPELINE,
    JobKind.TENSOR_PARALLEL,
    JobKind.TENSOR_PARALLEL,
    JobKind.EVALUATION,
    JobKind.EVALUATION,
    JobKind.CHECKPOINTS,
    JobKind.CHECKPOINTS,
    JobKind.DATA_LOADING,
    JobKind.ELASTIC,
    JobKind.LONG_STEPS,
    JobKind.EXPERTS,
    JobKind.ROLES,
    JobKind.OFFLOAD,
    JobKind.COMPILED,
    JobKind.PREPARED,
    JobKind.CAPPED,
    JobKind.BURN_IN,
    JobKind.BATCH,
    JobKind.SWEEP,
    JobKind.DEBUGGED,
    JobKind.SERVING,
    JobKind.IDLE_SERVING
  };
  private static final JobKind[] OF_GPUS = {
    JobKind.NOTEBOOK,
    JobKind.NOTEBOOK,
    JobKind.DEBUGGED,
    JobKind.IDLE_SERVING,
    JobKind.SERVING,
    JobKind.DATA_PARALLEL,
    JobKind.CHECKPOINTS
  };

  /** So long a node of an elastic job is there or away. */
  private static final long ELASTIC_MILLIS = 40 * MINUTE;

  private final long seed;
  private final long start;
  private final long end;
  private final boolean shared;
  private final List<Place> places = new ArrayList<>();
  private final List<List<Place>> groups = new ArrayList<>();

  /** By node and GPU, in order of time. */
  private final List<List<List<Job>>> jobs = new ArrayList<>();

  private final List<Job> all = new ArrayList<>();
  private long numbers = 2_000_000;

  /**
   * @param shared whether some nodes are divided among small jobs
   */
  public TraceJobs(long seed, int hosts, long start, long end, boolean shared) {
    this.seed = seed;
    this.start = start;
    this.end = end;
    this.shared = shared;
    while (places.size() < hosts) {
      group(hosts - places.size());
    }
  }

  private void group(int left) {
    int number = groups.size();
    int size = Math.min(left, SIZES[Noise.below(SIZES.length, seed, 1, number)]);
    boolean mixed = size > 1 && Noise.of(seed, 2, number) < 0.2;
    Board board = BOARDS[Noise.below(BOARDS.length, seed, 3, number)];
    List<Place> group = new ArrayList<>();
    for (int i = 0; i < size; i++) {
      int host = places.size();
      Board of = mixed ? 2 * i < size ? Board.H100 : Board.A100 : board;
      Place place = new Place(host, 1 + host / NODES_OF_RACK, host % NODES_OF_RACK, of, false);
      places.add(place);
      group.add(place);
      List<List<Job>> ofNode = new ArrayList<>();
      for (int gpu = 0; gpu < of.perNode(); gpu++) {
        ofNode.add(new ArrayList<>());
      }
      jobs.add(ofNode);
    }
    groups.add(List.copyOf(group));
    if (size == 1 && shared && Noise.of(seed, 4, number) < 0.4) {
      share(group.getFirst(), number);
    } else {
      run(ranks(group), mixed ? new JobKind[] {JobKind.MIXED_BOARDS} : OF_NODES, 10L * number);
    }
  }

  private static List<Rank> ranks(List<Place> group) {
    List<Rank> ranks = new ArrayList<>();
    for (Place place : group) {
      for (int gpu = 0; gpu < place.board().perNode(); gpu++) {
        ranks.add(new Rank(place, gpu));
      }
    }
    return ranks;
  }

  /** Small jobs of one to four GPUs. */
  private void share(Place place, int group) {
    int gpu = 0;
    for (int part = 0; gpu < place.board().perNode(); part++) {
      int size = 1 << Noise.below(3, seed, 5, 10L * group + part);
      List<Rank> ranks = new ArrayList<>();
      for (; gpu < place.board().perNode() && ranks.size() < size; gpu++) {
        ranks.add(new Rank(place, gpu));
      }
      run(ranks, OF_GPUS, 10L * group + part);
    }
  }

  /** One job after the other on the same GPUs. */
  private void run(List<Rank> ranks, JobKind[] kinds, long which) {
    long at = start - (long) (6 * HOUR * Noise.of(seed, 6, which));
    for (int i = 0; at < end; i++) {
      long what = 1_000 * which + i;
      JobKind kind = kinds[Noise.below(kinds.length, seed, 7, what)];
      boolean oneNode = ranks.getFirst().place() == ranks.getLast().place();
      if (kind == JobKind.ELASTIC && oneNode || kind == JobKind.DEBUGGED && !oneNode) {
        kind = JobKind.DATA_PARALLEL;
      }
      long length = (long) (HOUR * (4 + 20 * Noise.of(seed, 8, what)));
      numbers++;
      Job job =
          new Job(
              kind.word() + "-" + numbers,
              numbers,
              JobSchedule.TENANTS.get(Noise.below(4, seed, 9, what)),
              kind.word(),
              kind,
              ranks,
              at,
              at + length,
              seed * 1_000_003 + numbers);
      all.add(job);
      for (Rank rank : ranks) {
        jobs.get(rank.place().number()).get(rank.gpu()).add(job);
      }
      at += length + (long) (MINUTE * (3 + 12 * Noise.of(seed, 10, what)));
    }
  }

  public List<Place> places() {
    return List.copyOf(places);
  }

  /** Nodes that run the same jobs. */
  List<List<Place>> groups() {
    return groups;
  }

  public List<Job> all() {
    return List.copyOf(all);
  }

  @Override
  public Optional<Job> on(Place place, int gpu, int instance, long time) {
    for (Job job : jobs.get(place.number()).get(gpu)) {
      if (time >= job.began() && time < job.ends()) {
        return isAway(job, place, time) ? Optional.empty() : Optional.of(job);
      }
    }
    return Optional.empty();
  }

  /** Nodes of an elastic job come and go, but for the first. */
  private static boolean isAway(Job job, Place place, long time) {
    if (job.kind() != JobKind.ELASTIC || job.ranks().getFirst().place().equals(place)) {
      return false;
    }
    long period = (time - job.began()) / ELASTIC_MILLIS;
    return Noise.of(job.seed(), 2_000 + place.number(), period) < 0.25;
  }
}
