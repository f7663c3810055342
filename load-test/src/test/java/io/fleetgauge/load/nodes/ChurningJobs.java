package io.fleetgauge.load.nodes;

import io.fleetgauge.load.nodes.driver.Noise;
import io.fleetgauge.load.nodes.jobs.Job;
import io.fleetgauge.load.nodes.jobs.JobKind;
import io.fleetgauge.load.nodes.jobs.Jobs;
import io.fleetgauge.load.nodes.jobs.Place;
import io.fleetgauge.load.nodes.jobs.Rank;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * Short jobs of one GPU or instance, one after the other, some of them again after a pause under
 * the same number, and some GPUs that two or four of them share. A function of the seed.
 */
final class ChurningJobs implements Jobs {
  private static final long SLOT = Duration.ofMinutes(11).toMillis();
  private static final List<String> TENANTS = List.of("atlas", "borealis", "cirrus");
  private static final List<JobKind> KINDS =
      List.of(
          JobKind.DATA_PARALLEL,
          JobKind.IDLE_SERVING,
          JobKind.NOTEBOOK,
          JobKind.SERVING,
          JobKind.SWEEP);

  private final long seed;

  ChurningJobs(long seed) {
    this.seed = seed;
  }

  @Override
  public Optional<Job> on(Place place, int gpu, int instance, long time) {
    List<Job> sharers = instance < 0 ? sharers(place, gpu, time) : List.of();
    return sharers.isEmpty()
        ? job(place, gpu, Math.max(0, instance), time)
        : Optional.of(sharers.getFirst());
  }

  @Override
  public List<Job> sharers(Place place, int gpu, long time) {
    long period = Math.floorDiv(time, 5 * SLOT);
    int parts = gpu % 4 == 3 ? 2 << Noise.below(2, seed, 1, 100 * place.number() + gpu) : 0;
    if (place.instances(gpu) > 0 || Noise.of(seed, 2, period) < 0.2) {
      return List.of();
    }
    List<Job> sharers = new ArrayList<>();
    for (int part = 0; part < parts; part++) {
      sharers.add(job(place, gpu, 10 + part, period, 5 * SLOT, period));
    }
    return sharers;
  }

  private Optional<Job> job(Place place, int gpu, int part, long time) {
    long slot = Math.floorDiv(time, SLOT);
    long which = 1_000L * place.number() + 20L * gpu + part;
    // The job of the slot before comes again, after a pause or at once.
    boolean isAgain = slot % 3 == 2 && Noise.of(seed, 3, which * 100_000 + slot) < 0.5;
    double pause = 0.4 * Noise.of(seed, 4, which * 100_000 + slot);
    boolean isPaused = time < slot * SLOT + pause * SLOT && (int) (10 * pause) % 2 == 0;
    boolean isFree = Noise.of(seed, 5, which * 100_000 + slot) < 0.1;
    return isPaused || isFree
        ? Optional.empty()
        : Optional.of(job(place, gpu, part, slot, SLOT, isAgain ? slot - 1 : slot));
  }

  private Job job(Place place, int gpu, int part, long slot, long length, long named) {
    long which = 1_000L * place.number() + 20L * gpu + part;
    long number = 100_000L * which + Math.floorMod(named, 100_000L);
    JobKind kind = KINDS.get(Noise.below(KINDS.size(), seed, 6, number));
    return new Job(
        "job-" + number,
        number,
        TENANTS.get(Noise.below(TENANTS.size(), seed, 7, number)),
        "job",
        kind,
        List.of(new Rank(place, gpu)),
        slot * length,
        (slot + 1) * length,
        seed + number);
  }
}
