package io.fleetgauge.query.faults.engine;

import io.fleetgauge.query.faults.detect.Subject;
import io.fleetgauge.query.faults.detect.Suspect;
import io.fleetgauge.query.faults.episode.Episode;
import io.fleetgauge.sample.gpu.FaultKind;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;

/**
 * Finds which episodes are about the same. A fault of a job may be caused by those of its hosts and
 * GPUs that began around its start; while a host is silent or its driver hangs, what is told of its
 * GPUs may be caused by that.
 */
final class Relations {
  /** A fault may show so long before the job suffers from it, ms. */
  private static final long BEFORE = 600_000;

  /** Its sign may be read so long after the job suffers from it, ms. */
  private static final long AFTER = 300_000;

  private static final int MOST = 20;

  /** What stops a job, the surest first. */
  private static final List<FaultKind> STOP =
      List.of(
          FaultKind.GPU_LOST,
          FaultKind.DRIVER_HANG,
          FaultKind.HOST_SILENT,
          FaultKind.GPU_MISSING,
          FaultKind.XID,
          FaultKind.ECC_UNCORRECTED,
          FaultKind.NVLINK_DOWN,
          FaultKind.FABRIC,
          FaultKind.NIC_DOWN,
          FaultKind.ROW_REMAP_FAILED,
          FaultKind.RECOVERY_ACTION,
          FaultKind.XID_APPLICATION);

  /** What slows a GPU down, the surest first. */
  private static final List<FaultKind> SLOW =
      List.of(
          FaultKind.POWER_BRAKE,
          FaultKind.THERMAL_SLOWDOWN,
          FaultKind.PSTATE_STUCK,
          FaultKind.PCIE_NARROW,
          FaultKind.PCIE_SLOW,
          FaultKind.NVLINK_DOWN,
          FaultKind.NIC_DOWN,
          FaultKind.NIC_SLOW,
          FaultKind.NIC_ERRORS,
          FaultKind.NVLINK_ERRORS,
          FaultKind.ECC_STORM,
          FaultKind.THERMAL_SOFTWARE,
          FaultKind.PCIE_REPLAYS,
          FaultKind.HOT);

  private static final Set<FaultKind> OF_WHOLE_HOST =
      Set.of(FaultKind.HOST_SILENT, FaultKind.DRIVER_HANG);

  private Relations() {}

  /** Hosts and GPUs of a job. */
  record Members(Set<String> hosts, Set<String> uuids) {
    boolean contains(Subject subject) {
      return hosts.contains(subject.host())
          && (subject.uuid().isEmpty() || uuids.contains(subject.uuid()));
    }
  }

  /**
   * Completes episodes.
   *
   * @param members hosts and GPUs of the job of a scope; empty for a host
   */
  static void find(ToldEpisodes told, Function<Object, Optional<Members>> members) {
    Map<String, List<Episode>> byHost = new HashMap<>();
    boolean isNeeded = false;
    for (ToldEpisodes.Entry each : told.entries()) {
      Subject subject = each.now.subject();
      if (subject.job().isEmpty()) {
        byHost.computeIfAbsent(subject.host(), none -> new ArrayList<>()).add(each.now);
      }
      isNeeded |= each.now.isOpen();
    }
    if (!isNeeded) {
      return;
    }
    for (ToldEpisodes.Entry each : told.entries()) {
      if (!each.now.isOpen()) {
        continue;
      }
      if (each.now.subject().job().isEmpty()) {
        each.now = ofHost(each.now, byHost);
      } else {
        Optional<Members> of = members.apply(each.scope);
        if (of.isPresent()) {
          each.now = ofJob(each.now, of.get(), byHost);
        }
      }
    }
  }

  private static Episode ofHost(Episode episode, Map<String, List<Episode>> byHost) {
    if (episode.subject().uuid().isEmpty()) {
      return episode;
    }
    for (Episode other : byHost.get(episode.subject().host())) {
      if (OF_WHOLE_HOST.contains(other.kind()) && other.isOpen()) {
        return episode.related(
            episode.suspects(),
            name(other),
            with(episode.related(), List.of(other)),
            episode.shadow());
      }
    }
    return episode;
  }

  private static Episode ofJob(
      Episode episode, Members members, Map<String, List<Episode>> byHost) {
    List<Episode> around = new ArrayList<>();
    for (String host : members.hosts) {
      for (Episode other : byHost.getOrDefault(host, List.of())) {
        if (members.contains(other.subject())
            && other.since() <= episode.since() + AFTER
            && other.over().orElse(Long.MAX_VALUE) >= episode.since() - BEFORE) {
          around.add(other);
        }
      }
    }
    if (around.isEmpty()) {
      return episode;
    }
    boolean isHang = episode.kind() == FaultKind.HANG;
    List<FaultKind> order = isHang ? STOP : SLOW;
    Optional<Episode> cause =
        around.stream()
            .filter(each -> order.contains(each.kind()))
            .filter(each -> isHang || isOfSubject(each, episode))
            .min(
                Comparator.<Episode>comparingInt(each -> order.indexOf(each.kind()))
                    .thenComparing(each -> !isSuspected(each, episode))
                    .thenComparingLong(Episode::since));
    return episode.related(
        isHang && cause.isPresent() ? suspects(episode, cause.get()) : episode.suspects(),
        cause.map(Relations::name).orElse(episode.suspectedCause()),
        with(episode.related(), around),
        episode.shadow());
  }

  private static boolean isOfSubject(Episode other, Episode episode) {
    Subject of = episode.subject();
    String host = of.host();
    String uuid = of.uuid();
    if (host.isEmpty() && !episode.suspects().isEmpty()) {
      host = episode.suspects().getFirst().host();
      uuid = episode.suspects().getFirst().uuid();
    }
    return other.subject().host().equals(host)
        && (uuid.isEmpty()
            || other.subject().uuid().isEmpty()
            || other.subject().uuid().equals(uuid));
  }

  private static boolean isSuspected(Episode other, Episode episode) {
    return episode.suspects().stream().anyMatch(each -> isOf(each, other.subject()));
  }

  private static boolean isOf(Suspect suspect, Subject subject) {
    return suspect.host().equals(subject.host()) && suspect.uuid().equals(subject.uuid());
  }

  /** The faulty one first; after what NCCL names, if it names any. */
  private static List<Suspect> suspects(Episode episode, Episode cause) {
    Subject of = cause.subject();
    List<Suspect> all = new ArrayList<>();
    Suspect faulty = new Suspect(of.host(), of.uuid(), -1, cause.kind().title());
    for (Suspect each : episode.suspects()) {
      if (isOf(each, of)) {
        faulty = each;
      } else {
        all.add(each);
      }
    }
    boolean isNamed = !episode.suspects().isEmpty() && isOf(episode.suspects().getFirst(), of);
    all.add(episode.proven() && !isNamed && !all.isEmpty() ? 1 : 0, faulty);
    return all;
  }

  private static String name(Episode episode) {
    Subject of = episode.subject();
    String gpu = of.labels().value("gpu");
    return episode.kind().text()
        + (episode.cause().isEmpty() ? "" : " " + episode.cause())
        + " on "
        + of.host()
        + (of.uuid().isEmpty() ? "" : ", GPU " + (gpu.isEmpty() ? of.uuid() : gpu));
  }

  private static List<String> with(List<String> ids, List<Episode> more) {
    Set<String> all = new LinkedHashSet<>(ids);
    for (Episode each : more) {
      if (all.size() < MOST) {
        all.add(each.id());
      }
    }
    return all.size() == ids.size() ? ids : List.copyOf(all);
  }
}
