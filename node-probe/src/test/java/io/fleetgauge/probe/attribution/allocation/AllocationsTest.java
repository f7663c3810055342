package io.fleetgauge.probe.attribution.allocation;

import static org.assertj.core.api.Assertions.assertThat;

import io.fleetgauge.probe.attribution.Claim;
import io.fleetgauge.probe.attribution.OwnerSource;
import io.fleetgauge.probe.gpu.snapshot.GpuIdentity;
import io.fleetgauge.probe.sampling.GpuOwners;
import io.fleetgauge.sample.Labels;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Random;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class AllocationsTest {
  private static final Labels GPU = Labels.of("gpu", "0", "UUID", "GPU-a");
  private static final List<GpuIdentity> GPUS =
      List.of(
          new GpuIdentity(
              GPU, 4, List.of(new GpuIdentity.Instance(GPU.with("GPU_I_ID", "7"), "MIG-7"))));

  @TempDir private Path folder;
  private Path file;
  private long now = 1_000;
  private Allocations all;

  @BeforeEach
  void open() {
    file = folder.resolve("allocations");
    all = open("boot-1");
  }

  @Test
  void allocationsSurviveARestartOfTheProbeInAPrivateFile() throws Exception {
    all.put(allocation("a", "1"));
    all.put(allocation("b", "2"));
    all.sawCgroup(allocation("a", "1"));
    all.remove("b");
    assertThat(open("boot-1").now()).containsExactly(allocation("a", "1").withCgroup());
    assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(file)))
        .isEqualTo("rw-------");
    assertThat(folder.toFile().list()).containsExactly("allocations");
  }

  @Test
  void jobsDoNotSurviveAStartOfTheMachineButOtherOwnersDo() {
    all.put(allocation("a", "1"));
    ReportedAllocation vm =
        new ReportedAllocation(
            "vm", List.of("GPU-a"), Labels.of("vm", "v1"), OptionalLong.empty(), false);
    all.put(vm);
    assertThat(open("boot-2").now()).containsExactly(vm);
  }

  @Test
  void aJobThatIsToldAgainAfterItsCgroupWasSeenIsRequeuedAndDoesNotEndWithTheOldOne() {
    all.put(allocation("a", "1"));
    all.sawCgroup(all.now().getFirst());
    ReportedAllocation old = all.now().getFirst();
    all.put(allocation("a", "1"));
    assertThat(all.now()).containsExactly(allocation("a", "1"));
    assertThat(all.endOf(old)).isFalse();
    all.sawCgroup(all.now().getFirst());
    assertThat(all.endOf(old)).as("equal, and not the same").isFalse();
    assertThat(all.endOf(all.now().getFirst())).isTrue();
  }

  @Test
  void aDamagedFileIsNoAllocationsNeverWrongOnes() throws Exception {
    all.put(allocation("a", "1"));
    all.put(allocation("b", "2"));
    byte[] whole = Files.readAllBytes(file);
    List<ReportedAllocation> kept = all.now();
    Random random = new Random(5);
    for (int i = 0; i < 300; i++) {
      byte[] damaged = Arrays.copyOf(whole, random.nextInt(whole.length + 1));
      if (damaged.length > 0) {
        damaged[random.nextInt(damaged.length)] ^= (byte) (1 << random.nextInt(8));
      }
      Files.write(file, damaged);
      assertThat(new AllocationFile(file, "boot-1").read()).isIn(List.of(), kept);
    }
  }

  @Test
  void aRepeatedRequestWritesNothing() throws Exception {
    all.put(allocation("a", "1"));
    Files.delete(file);
    assertThat(all.put(allocation("a", "1"))).isEqualTo(Allocations.Outcome.DONE);
    assertThat(file).doesNotExist();
    all.put(allocation("a", "9"));
    assertThat(all.now()).as("a requeued job begins anew").containsExactly(allocation("a", "9"));
    assertThat(all.remove("a")).isTrue();
    assertThat(all.remove("a")).isFalse();
  }

  @Test
  void beyondTheLimitNothingIsTakenUntilOneHasEndedOrExpired() {
    all.put(
        new ReportedAllocation(
            "x", List.of("0"), Labels.of("user", "u"), OptionalLong.of(2_000), false));
    all.put(allocation("a", "1"));
    all.put(allocation("b", "2"));
    assertThat(all.put(allocation("c", "3"))).isEqualTo(Allocations.Outcome.FULL);
    assertThat(all.put(allocation("a", "4"))).isEqualTo(Allocations.Outcome.DONE);
    now = 2_000;
    assertThat(all.now()).extracting(ReportedAllocation::id).containsExactly("a", "b");
    assertThat(all.put(allocation("c", "3"))).isEqualTo(Allocations.Outcome.DONE);
  }

  @Test
  void whileTheDiskTakesNothingMemoryHoldsAndTheNextLookTriesAgain() throws Exception {
    Path unfinished = folder.resolve("allocations.unfinished");
    Files.createDirectory(unfinished);
    all.put(allocation("a", "1"));
    assertThat(all.now()).hasSize(1);
    assertThat(all.fileErrors()).isEqualTo(1);
    Files.delete(unfinished);
    all.look();
    assertThat(open("boot-1").now()).hasSize(1);
  }

  @Test
  void theOwnerOfAGpuOwnsItsInstancesAndUnknownGpusAreCounted() {
    AllocationSource source = new AllocationSource(all, () -> GPUS);
    all.put(allocation("a", "1"));
    ReportedAllocation other =
        new ReportedAllocation(
            "b",
            List.of("MIG-7", "GPU-other"),
            Labels.of("hpc_job", "2"),
            OptionalLong.empty(),
            false);
    all.put(other);
    OwnerSource.Knowledge knowledge = source.newest();
    assertThat(knowledge.claims())
        .containsExactly(
            new Claim(GpuOwners.Gpu.whole("GPU-a"), Labels.of("hpc_job", "1")),
            new Claim(new GpuOwners.Gpu("GPU-a", "7"), Labels.of("hpc_job", "1")),
            new Claim(new GpuOwners.Gpu("GPU-a", "7"), Labels.of("hpc_job", "2")));
    assertThat(knowledge.unresolved()).isEqualTo(1);
    assertThat(source.unknown(other)).containsExactly("GPU-other");
  }

  private Allocations open(String boot) {
    return Allocations.open(3, Optional.of(file), boot, () -> now);
  }

  private static ReportedAllocation allocation(String id, String job) {
    return new ReportedAllocation(
        id, List.of("nvidia4"), Labels.of("hpc_job", job), OptionalLong.empty(), false);
  }
}
