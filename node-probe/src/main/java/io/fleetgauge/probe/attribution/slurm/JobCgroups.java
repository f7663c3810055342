package io.fleetgauge.probe.attribution.slurm;

import java.io.File;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.Optional;
import java.util.Set;
import java.util.function.Predicate;

/**
 * The cgroups that Slurm makes for its jobs, in both versions:
 *
 * <pre>
 *   CONTROLLER/slurm*&#47;uid_U/job_N          version 1
 *   system.slice/*slurmstepd.scope/job_N      version 2
 * </pre>
 *
 * @param mount where the cgroups of the node are mounted
 */
public record JobCgroups(Path mount) {
  private static final String JOB = "job_";

  /**
   * The jobs that are there.
   *
   * @param hasSlurm whether Slurm has cgroups on this node
   * @param jobs ids of the jobs that have one
   */
  record Found(boolean hasSlurm, Set<String> jobs) {}

  /** Looks; empty if the cgroups cannot be read. */
  Optional<Found> read() {
    File root = mount.toFile();
    String[] names = root.list();
    if (names == null || names.length == 0) {
      return Optional.empty();
    }
    Set<String> jobs = new HashSet<>();
    boolean hasSlurm = below(root, jobs);
    for (String name : names) {
      hasSlurm |= below(new File(root, name), jobs);
    }
    return Optional.of(new Found(hasSlurm, jobs));
  }

  /** Looks into a hierarchy. */
  private static boolean below(File hierarchy, Set<String> jobs) {
    boolean hasSlurm = false;
    for (File slurm : children(hierarchy, name -> name.startsWith("slurm"))) {
      for (File user : children(slurm, name -> name.startsWith("uid_"))) {
        hasSlurm = true;
        add(user, jobs);
      }
    }
    File slice = new File(hierarchy, "system.slice");
    for (File scope : children(slice, name -> name.endsWith("slurmstepd.scope"))) {
      hasSlurm = true;
      add(scope, jobs);
    }
    return hasSlurm;
  }

  private static void add(File folder, Set<String> jobs) {
    for (File job : children(folder, name -> name.startsWith(JOB))) {
      jobs.add(job.getName().substring(JOB.length()));
    }
  }

  private static File[] children(File folder, Predicate<String> isWanted) {
    File[] found = folder.listFiles((in, name) -> isWanted.test(name));
    return found == null ? new File[0] : found;
  }
}
