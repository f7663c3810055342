package io.fleetgauge.probe.attribution.allocation;

import static org.assertj.core.api.Assertions.assertThat;

import io.fleetgauge.probe.attribution.slurm.EndedJobs;
import io.fleetgauge.probe.attribution.slurm.JobCgroups;
import io.fleetgauge.sample.Labels;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** An allocation ends with the cgroup of its job, when no epilog ends it. */
class JobsWithoutEpilogTest {
  @TempDir private Path mount;
  private final Allocations allocations = Allocations.open(10, Optional.empty(), "b", () -> 0);
  private EndedJobs ended;

  @BeforeEach
  void open() throws IOException {
    ended = new EndedJobs(allocations, new JobCgroups(mount));
    Files.createDirectories(mount.resolve("memory"));
  }

  private static ReportedAllocation of(String id, String... owner) {
    return new ReportedAllocation(id, List.of("0"), Labels.of(owner), OptionalLong.empty(), false);
  }

  private void tell(String id, String job) {
    allocations.put(of(id, "hpc_job", job));
  }

  private Path cgroup(String job) throws IOException {
    return Files.createDirectories(mount.resolve("memory/slurm/uid_1/job_" + job));
  }

  private List<String> now() {
    return allocations.now().stream().map(ReportedAllocation::id).toList();
  }

  @Test
  void theSecondLookInARowThatMissesTheCgroupEndsTheAllocation() throws IOException {
    tell("a", "17");
    tell("b", "18");
    Path cgroup = cgroup("17");
    cgroup("18");
    ended.look();
    assertThat(allocations.now()).allMatch(ReportedAllocation::hadCgroup);
    Files.delete(cgroup);
    ended.look();
    assertThat(now()).as("missed once").containsExactly("a", "b");
    ended.look();
    assertThat(now()).as("missed twice").containsExactly("b");
  }

  @Test
  void aCgroupThatIsBackInBetweenBeginsTheCountAgain() throws IOException {
    tell("a", "17");
    Path cgroup = cgroup("17");
    ended.look();
    for (int i = 0; i < 3; i++) {
      Files.delete(cgroup);
      ended.look();
      cgroup("17");
      ended.look();
    }
    assertThat(now()).containsExactly("a");
  }

  @Test
  void anAllocationWhoseCgroupWasNeverThereStays() throws IOException {
    cgroup("99");
    tell("a", "17");
    for (int i = 0; i < 5; i++) {
      ended.look();
    }
    assertThat(now()).containsExactly("a");
    assertThat(allocations.now()).noneMatch(ReportedAllocation::hadCgroup);
  }

  @Test
  void aJobThatIsRequeuedUnderItsIdWaitsForItsNewCgroup() throws IOException {
    tell("a", "17");
    Path cgroup = cgroup("17");
    ended.look();
    Files.delete(cgroup);
    ended.look();
    tell("a", "17");
    ended.look();
    ended.look();
    assertThat(now()).as("its new life has had no cgroup").containsExactly("a");
    cgroup("17");
    ended.look();
    Files.delete(cgroup);
    ended.look();
    assertThat(now()).as("the look before the new life does not count").containsExactly("a");
    ended.look();
    assertThat(now()).isEmpty();
  }

  @Test
  void anAllocationWithoutAJobIsNotLookedAt() throws IOException {
    allocations.put(of("pod", "pod", "p"));
    Path cgroup = cgroup("17");
    ended.look();
    Files.delete(cgroup);
    ended.look();
    ended.look();
    assertThat(now()).containsExactly("pod");
  }

  @Test
  void whileCgroupsCannotBeReadNothingEnds() throws IOException {
    tell("a", "17");
    Path cgroup = cgroup("17");
    ended.look();
    Path elsewhere = mount.resolveSibling(mount.getFileName() + "-moved");
    Files.move(mount, elsewhere);
    for (int i = 0; i < 3; i++) {
      ended.look();
    }
    assertThat(now()).containsExactly("a");
    Files.move(elsewhere, mount);
    Files.delete(cgroup);
    ended.look();
    assertThat(now()).as("the first look that misses it").containsExactly("a");
    ended.look();
    assertThat(now()).isEmpty();
  }
}
