package io.fleetgauge.load.sim;

import java.util.ArrayList;
import java.util.List;
import java.util.PriorityQueue;
import java.util.SplittableRandom;
import java.util.function.BooleanSupplier;

/**
 * Time and network of a cluster in one thread. What happens next is what is due first; everything
 * that is left to chance comes from the seed, so a seed is a story that can be told again.
 */
final class Simulation {
  /** Behind the wall's clock of all processes: no time of day, but not 0 either. */
  static final long EPOCH = 1_700_000_000_000L;

  private record Due(long at, long order, Runnable work) implements Comparable<Due> {
    @Override
    public int compareTo(Due other) {
      return at == other.at ? Long.compare(order, other.order) : Long.compare(at, other.at);
    }
  }

  final SplittableRandom random;
  private final PriorityQueue<Due> queue = new PriorityQueue<>();
  private long now;
  private long order;
  private double loss;
  private double repeats;
  private long mostDelay = 10;

  /** Pairs that do not reach each other. */
  private final List<Cut> cuts = new ArrayList<>();

  private record Cut(String a, String b) {
    boolean is(String x, String y) {
      return a.equals(x) && b.equals(y) || a.equals(y) && b.equals(x);
    }
  }

  Simulation(long seed) {
    random = new SplittableRandom(seed);
  }

  /** ms since the beginning. */
  long now() {
    return now;
  }

  void after(long millis, Runnable work) {
    queue.add(new Due(now + Math.max(0, millis), order++, work));
  }

  /** Every so often, beginning now and ending when it is told to. */
  void every(long millis, BooleanSupplier work) {
    after(
        millis,
        () -> {
          if (work.getAsBoolean()) {
            every(millis, work);
          }
        });
  }

  void runUntil(long time) {
    while (!queue.isEmpty() && queue.peek().at <= time) {
      Due next = queue.poll();
      now = next.at;
      next.work.run();
    }
    now = time;
  }

  // --- network ---

  /**
   * @param newLoss how many of all messages are lost
   * @param newRepeats how many come twice
   * @param newMostDelay most ms that a message mostly takes; some take a hundred times longer
   */
  void network(double newLoss, double newRepeats, long newMostDelay) {
    loss = newLoss;
    repeats = newRepeats;
    mostDelay = newMostDelay;
  }

  void cut(String a, String b) {
    cuts.add(new Cut(a, b));
  }

  void heal() {
    cuts.clear();
  }

  boolean reaches(String a, String b) {
    return cuts.stream().noneMatch(cut -> cut.is(a, b));
  }

  /** A message is on its way; it may be lost, late, before an earlier one, or come twice. */
  void send(String from, String to, Runnable arrives) {
    int times = random.nextDouble() < repeats ? 2 : 1;
    for (int i = 0; i < times; i++) {
      if (random.nextDouble() >= loss) {
        long delay = 1 + random.nextLong(mostDelay);
        if (random.nextInt(200) == 0) {
          delay *= 100;
        }
        after(
            delay,
            () -> {
              if (reaches(from, to)) {
                arrives.run();
              }
            });
      }
    }
  }
}
