package io.fleetgauge.probe.attribution.slurm;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class EndedJobsTest {
  @TempDir private Path mount;

  @ParameterizedTest
  @ValueSource(
      strings = {
        "memory/slurm/uid_1000/job_17/step_0/task_0",
        "cpu,cpuacct/slurm_n1/uid_1000/job_17/step_batch",
        "slurm/uid_1000/job_17",
        "system.slice/slurmstepd.scope/job_17/step_extern/user/task_special",
        "system.slice/n1_slurmstepd.scope/job_17/step_0",
        "unified/system.slice/slurmstepd.scope/job_17",
      })
  void theCgroupsOfJobsAreFoundInBothVersions(String path) throws IOException {
    Files.createDirectories(mount.resolve(path));
    JobCgroups.Found found = new JobCgroups(mount).read().orElseThrow();
    assertThat(found.jobs()).containsExactly("17");
    assertThat(found.hasSlurm()).isTrue();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "memory/user.slice/job_17",
        "memory/slurm/job_17",
        "system.slice/docker.service/job_17",
        "system.slice/slurmstepd.scope/system",
        "memory/other/uid_1000/job_17",
      })
  void aFolderThatOnlyLooksLikeAJobIsNone(String path) throws IOException {
    Files.createDirectories(mount.resolve(path));
    assertThat(new JobCgroups(mount).read().orElseThrow().jobs()).isEmpty();
  }

  @Test
  void withoutCgroupsNothingIsKnown() {
    assertThat(new JobCgroups(mount.resolve("none")).read()).isEmpty();
    assertThat(new JobCgroups(mount).read()).as("an empty mount point").isEmpty();
  }
}
