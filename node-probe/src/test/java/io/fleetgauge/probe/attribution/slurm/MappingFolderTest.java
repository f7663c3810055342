package io.fleetgauge.probe.attribution.slurm;

import static org.assertj.core.api.Assertions.assertThat;

import io.fleetgauge.probe.Damage;
import io.fleetgauge.probe.attribution.Claim;
import io.fleetgauge.probe.attribution.OwnerSource;
import io.fleetgauge.probe.config.SlurmSettings;
import io.fleetgauge.probe.gpu.snapshot.GpuIdentity;
import io.fleetgauge.probe.sampling.GpuOwners;
import io.fleetgauge.sample.Labels;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.SplittableRandom;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class MappingFolderTest {
  private static final Labels A = Labels.of("gpu", "0", "UUID", "GPU-a");
  private static final Labels B = Labels.of("gpu", "1", "UUID", "GPU-b");
  private static final List<GpuIdentity> GPUS =
      List.of(
          new GpuIdentity(A, 1, List.of()),
          new GpuIdentity(
              B, 0, List.of(new GpuIdentity.Instance(B.with("GPU_I_ID", "7"), "MIG-7"))));
  private static final long NOW = 1_700_000_000_000L;

  @TempDir private Path folder;
  private Path jobs;
  private Path cgroups;
  private long millis;
  private MappingFolder mapping;

  @BeforeEach
  void open() throws IOException {
    jobs = folder.resolve("jobs");
    cgroups = folder.resolve("cgroup");
    Files.createDirectories(jobs);
    Files.createDirectories(cgroups.resolve("memory"));
    mapping = mapping(SlurmSettings.Numbers.INDEX);
  }

  private MappingFolder mapping(SlurmSettings.Numbers numbers) {
    return new MappingFolder(
        jobs, numbers, Optional.of(new JobCgroups(cgroups)), () -> GPUS, () -> NOW, () -> millis);
  }

  @Test
  void aFileListsTheJobsOfItsGpuOneALine() throws IOException {
    write("0", "\n 17 \n\n18\n17\n\n");
    write("1.7", "19");
    write("GPU-b", "{\"job_id\": 20, \"user\": \"ana\", \"account\": \"phys\", \"array_task\":3}");
    write("README", "21");
    write(".0.swp", "22");
    write("2", "23");
    write("1.8", "24");
    OwnerSource.Knowledge now = look();
    assertThat(now.isUp()).isTrue();
    assertThat(now.errors()).isZero();
    assertThat(now.unresolved()).as("GPU 2 and instance 8").isEqualTo(2);
    assertThat(now.claims())
        .containsExactlyInAnyOrder(
            claim("GPU-a", "", "hpc_job", "17"),
            claim("GPU-a", "", "hpc_job", "18"),
            claim("GPU-b", "7", "hpc_job", "19"),
            claim(
                "GPU-b", "", "hpc_job", "20", "user", "ana", "account", "phys", "array_task", "3"),
            claim(
                "GPU-b",
                "7",
                "hpc_job",
                "20",
                "user",
                "ana",
                "account",
                "phys",
                "array_task",
                "3"));
  }

  @Test
  void numbersAreThoseOfNvmlOrOfDeviceFilesAsConfigured() throws IOException {
    write("0", "17");
    mapping = mapping(SlurmSettings.Numbers.MINOR);
    assertThat(look().claims()).contains(claim("GPU-b", "", "hpc_job", "17"));
  }

  @Test
  void aDamagedLineIsCountedAndTheOthersHold() throws IOException {
    write("0", "17\ntwo words\n{\"job_id\": }\n{\"colour\": 1}\n{\"job_id\":\"\"}\n18");
    OwnerSource.Knowledge now = look();
    assertThat(now.claims()).hasSize(2);
    assertThat(now.errors()).isEqualTo(1);
  }

  @Test
  void withoutTheFolderNoOwnerIsKnownUntilItIsThere() throws IOException {
    Files.delete(jobs);
    assertThat(look().isUp()).isFalse();
    assertThat(look().errors()).isEqualTo(2);
    Files.createDirectory(jobs);
    write("0", "17");
    assertThat(look().claims()).hasSize(1);
    millis += 60_001;
    assertThat(mapping.newest().isUp()).as("not read for a minute").isFalse();
  }

  @Test
  void aJobWhoseCgroupHasGoneOwnsNothing() throws IOException {
    write("0", "17");
    assertThat(look().claims()).as("no cgroup yet").hasSize(1);
    Path job = cgroups.resolve("memory/slurm/uid_1000/job_17");
    Files.createDirectories(job);
    assertThat(look().claims()).hasSize(1);
    Files.delete(job);
    assertThat(look().claims()).isEmpty();
    assertThat(mapping.stale()).isEqualTo(1);
    Files.createDirectory(job);
    assertThat(look().claims()).as("salloc begins another step").hasSize(1);
  }

  @Test
  void afterARestartAnOldFileCountsOnlyWhileItsJobHasACgroup() throws IOException {
    write("0", "17");
    Files.setLastModifiedTime(
        jobs.resolve("0"), FileTime.fromMillis(NOW - MappingFolder.STARTED.toMillis() - 1));
    assertThat(look().claims()).as("Slurm makes no cgroups here").hasSize(1);
    Path job = cgroups.resolve("memory/slurm_n1/uid_1000/job_17");
    Files.createDirectories(job);
    assertThat(look().claims()).hasSize(1);
    mapping = mapping(SlurmSettings.Numbers.INDEX);
    Files.delete(job);
    assertThat(look().claims()).isEmpty();
  }

  @Test
  void aDamagedFileGivesOnlyJobsThatCanBeJobs() {
    eachGivesOnlyJobsThatCanBeJobs(2_000);
  }

  /**
   * @see #aDamagedFileGivesOnlyJobsThatCanBeJobs
   */
  @Tag("slow")
  @Test
  void aHundredThousandDamagedFilesGiveOnlyJobsThatCanBeJobs() {
    eachGivesOnlyJobsThatCanBeJobs(100_000);
  }

  private static void eachGivesOnlyJobsThatCanBeJobs(int files) {
    String whole = "17\n{\"job_id\":\"18\",\"user\":\"ana\",\"account\":\"phys\"}\n\n19 \n";
    Random random = new Random(23);
    for (int i = 0; i < files; i++) {
      byte[] bytes = whole.getBytes(StandardCharsets.UTF_8);
      for (int changes = 1 + random.nextInt(5); changes > 0; changes--) {
        bytes[random.nextInt(bytes.length)] = (byte) random.nextInt(256);
      }
      String text = new String(bytes, 0, random.nextInt(bytes.length + 1), StandardCharsets.UTF_8);
      for (Labels job : MappingFile.read(text).jobs()) {
        assertThat(job.value("hpc_job")).matches("[!-~]{1,128}");
        assertThat(job.toString().chars()).noneMatch(Character::isISOControl);
      }
    }
  }

  @Test
  void moreJobsThanTheLimitAndLargerFilesAreErrors() throws IOException {
    StringBuilder many = new StringBuilder();
    for (int i = 0; i <= MappingFile.MAX_JOBS; i++) {
      many.append(i).append('\n');
    }
    write("0", many.toString());
    OwnerSource.Knowledge now = look();
    assertThat(now.claims()).hasSize(MappingFile.MAX_JOBS);
    assertThat(now.errors()).isEqualTo(1);
    write("0", "1\n".repeat(MappingFile.MAX_BYTES));
    assertThat(look().claims()).isEmpty();
    Files.delete(jobs.resolve("0"));
    Files.createDirectory(jobs.resolve("0"));
    assertThat(look().errors()).isEqualTo(3);
  }

  @Test
  void theAgeIsThatOfTheLastLookThatListedTheFolder() throws IOException {
    assertThat(mapping.newest().ageMillis()).as("never looked").isEmpty();
    millis = 1_000;
    write("0", "17");
    look();
    millis += 60_000;
    assertThat(mapping.newest().isUp()).as("a minute old").isTrue();
    assertThat(mapping.newest().ageMillis()).hasValue(60_000);
    millis++;
    assertThat(mapping.newest().isUp()).isFalse();
    assertThat(mapping.newest().ageMillis()).hasValue(60_001);
    Files.delete(jobs.resolve("0"));
    Files.delete(jobs);
    assertThat(look().ageMillis()).as("a look that failed").hasValue(60_001);
  }

  @Test
  void aFileThatIsTenMinutesOldIsNotYetOld() throws IOException {
    Files.createDirectories(cgroups.resolve("memory/slurm/uid_1/job_99"));
    write("0", "17");
    long started = NOW - MappingFolder.STARTED.toMillis();
    Files.setLastModifiedTime(jobs.resolve("0"), FileTime.fromMillis(started));
    assertThat(look().claims()).hasSize(1);
    assertThat(mapping.stale()).isZero();
    Files.setLastModifiedTime(jobs.resolve("0"), FileTime.fromMillis(started - 1));
    assertThat(look().claims()).isEmpty();
    assertThat(mapping.stale()).isEqualTo(1);
  }

  @Test
  void aJobThatHasNoFileAnyMoreIsForgotten() throws IOException {
    Path job = cgroups.resolve("memory/slurm/uid_1000/job_17");
    Files.createDirectories(job);
    write("0", "17");
    look();
    Files.delete(jobs.resolve("0"));
    look();
    Files.delete(job);
    write("0", "17");
    assertThat(look().claims()).as("another life, which has had no cgroup yet").hasSize(1);
  }

  @Test
  void atMostSoManyFilesAreReadAndTheRestIsOneError() throws IOException {
    for (int i = 0; i < MappingFolder.MAX_FILES; i++) {
      write("" + (100_000 + i), "17");
    }
    assertThat(look().errors()).isZero();
    assertThat(mapping.newest().unresolved()).isEqualTo(MappingFolder.MAX_FILES);
    write("999998", "17");
    write("999999", "17");
    assertThat(look().errors()).isEqualTo(1);
    assertThat(mapping.newest().unresolved()).isEqualTo(MappingFolder.MAX_FILES);
  }

  private OwnerSource.Knowledge look() {
    mapping.look();
    return mapping.newest();
  }

  private void write(String name, String text) throws IOException {
    Files.writeString(jobs.resolve(name), text);
    Files.setLastModifiedTime(jobs.resolve(name), FileTime.fromMillis(NOW));
  }

  private static Claim claim(String gpu, String instance, String... owner) {
    return new Claim(new GpuOwners.Gpu(gpu, instance), Labels.of(owner));
  }

  @Test
  void aDamagedLineCostsNoOtherAndIsCounted() {
    SplittableRandom random = Damage.random("mapping");
    byte[] line = "{\"job_id\": 4712, \"user\": \"ana\"}\n".getBytes(StandardCharsets.UTF_8);
    int lost = 0;
    for (int i = 0; i < Damage.TIMES; i++) {
      Damage how = Damage.values()[i % Damage.values().length];
      String text = "41\n" + new String(how.to(line, random), StandardCharsets.UTF_8) + "42\n";
      MappingFile read = MappingFile.read(text);
      List<String> ids = read.jobs().stream().map(job -> job.value(MappingFile.JOB)).toList();
      assertThat(ids).as(text).contains("41", "42");
      assertThat(ids.size() > 2 || read.damaged() > 0 || how == Damage.CUT).as(text).isTrue();
      lost += read.damaged();
    }
    assertThat(lost).isPositive();
  }
}
