package io.fleetgauge.probe.attribution.allocation;

import io.fleetgauge.runtime.process.Meters;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.LongSupplier;
import java.util.function.UnaryOperator;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The allocations that hold now. Safe for all threads; changes wait for the disk, looks do not. */
public final class Allocations {
  private static final Logger LOG = LoggerFactory.getLogger(Allocations.class);

  private final int limit;
  private final Optional<AllocationFile> file;
  private final LongSupplier clock;
  private final LongAdder fileErrors = new LongAdder();
  private final LongAdder ended = new LongAdder();
  private final LongAdder expired = new LongAdder();
  private volatile Map<String, ReportedAllocation> byId = Map.of();
  private boolean isKept = true;

  private Allocations(int limit, Optional<AllocationFile> file, LongSupplier clock) {
    this.limit = limit;
    this.file = file;
    this.clock = clock;
  }

  /** The result of telling an allocation. */
  enum Outcome {
    DONE,
    /** There are too many. */
    FULL
  }

  /**
   * Opens the allocations that an earlier process kept.
   *
   * @param limit most at a time
   * @param file where they are kept; empty for memory alone
   * @param boot names the time since the machine was started
   * @param clock ms since the epoch
   */
  public static Allocations open(int limit, Optional<Path> file, String boot, LongSupplier clock) {
    Allocations all =
        new Allocations(limit, file.map(path -> new AllocationFile(path, boot)), clock);
    all.file.ifPresent(
        kept -> {
          Map<String, ReportedAllocation> found = new TreeMap<>();
          for (ReportedAllocation each : kept.read()) {
            if (found.size() < limit) {
              found.put(each.id(), each);
            }
          }
          all.byId = Collections.unmodifiableMap(found);
        });
    return all;
  }

  /** Those that have not expired, by id. */
  public List<ReportedAllocation> now() {
    long now = clock.getAsLong();
    return byId.values().stream().filter(each -> !each.isOver(now)).toList();
  }

  long time() {
    return clock.getAsLong();
  }

  int limit() {
    return limit;
  }

  synchronized Outcome put(ReportedAllocation allocation) {
    ReportedAllocation before = byId.get(allocation.id());
    if (before == null && byId.size() >= limit) {
      look();
      if (byId.size() >= limit) {
        return Outcome.FULL;
      }
    }
    // A job that is requeued is told again under its id: its new life has had no cgroup yet.
    if (before == null || !before.isSameAs(allocation) || before.hadCgroup() || !isKept) {
      change(map -> with(map, allocation));
    }
    return Outcome.DONE;
  }

  /** Ends an allocation; whether it was there. */
  synchronized boolean remove(String id) {
    boolean wasThere = byId.containsKey(id);
    if (wasThere) {
      change(map -> without(map, id));
    }
    return wasThere;
  }

  /** The cgroup of its job was seen. */
  public synchronized void sawCgroup(ReportedAllocation allocation) {
    if (allocation.equals(byId.get(allocation.id())) && !allocation.hadCgroup()) {
      change(map -> with(map, allocation.withCgroup()));
    }
  }

  /** Nobody told its end, but its job has ended: whether it was still there. */
  public synchronized boolean endOf(ReportedAllocation allocation) {
    if (byId.get(allocation.id()) != allocation) {
      return false; // told anew meanwhile
    }
    ended.increment();
    change(map -> without(map, allocation.id()));
    return true;
  }

  /** Forgets those that have expired, and tries again to keep what could not be kept. */
  public synchronized void look() {
    long now = clock.getAsLong();
    long over = byId.values().stream().filter(each -> each.isOver(now)).count();
    if (over > 0 || !isKept) {
      expired.add(over);
      change(
          map -> {
            map.values().removeIf(each -> each.isOver(now));
            return map;
          });
    }
  }

  /** The number of changes that the disk did not take. */
  long fileErrors() {
    return fileErrors.sum();
  }

  /** Declares what it counts. */
  public void declare(Meters meters) {
    meters.gauge("allocations", "Allocations of GPUs that schedulers reported.", () -> byId.size());
    meters.counter(
        "allocations_ended",
        "Allocations that ended because the cgroup of their job was gone, without a report from the"
            + " scheduler.",
        ended::sum);
    meters.counter(
        "allocations_expired", "Allocations that ended at their time of expiry.", expired::sum);
    meters.counter(
        "allocation_file_errors",
        "Changes of allocations that could not be written to disk.",
        fileErrors::sum);
  }

  private void change(UnaryOperator<Map<String, ReportedAllocation>> how) {
    byId = Collections.unmodifiableMap(how.apply(new TreeMap<>(byId)));
    if (file.isPresent()) {
      try {
        file.get().write(byId.values());
        isKept = true;
      } catch (IOException e) {
        fileErrors.increment();
        if (isKept) {
          LOG.error(
              "allocations cannot be written to {}, so a restart of the probe would lose them: {}",
              file.get().file(),
              e.toString());
        }
        isKept = false;
      }
    }
  }

  private static Map<String, ReportedAllocation> with(
      Map<String, ReportedAllocation> map, ReportedAllocation allocation) {
    map.put(allocation.id(), allocation);
    return map;
  }

  private static Map<String, ReportedAllocation> without(
      Map<String, ReportedAllocation> map, String id) {
    map.remove(id);
    return map;
  }
}
