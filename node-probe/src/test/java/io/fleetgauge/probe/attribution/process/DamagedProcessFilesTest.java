package io.fleetgauge.probe.attribution.process;

import static org.assertj.core.api.Assertions.assertThat;

import io.fleetgauge.probe.Damage;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Damage to what the kernel, Slurm and the node's administrator say of a process and its user. */
class DamagedProcessFilesTest {
  private static final String CONTAINER =
      "3d1a9f0c5be24c7c8a40d5a5b2d0a1f69e0b7f4c3e6d8a1b2c4d5e6f7a8b9c0d";

  @Test
  void aUserOfPasswdThatIsDamagedCostsNoOtherUser(@TempDir Path root) throws Exception {
    List<String> users =
        List.of(
            "root:x:0:0:root:/root:/bin/bash",
            "slurm:x:64030:64030::/nonexistent:/usr/sbin/nologin",
            "müller:x:1000:1000:Ingenieur,,,:/home/mueller:/bin/zsh",
            "ada:x:1001:1001::/home/ada:/bin/bash",
            "+@cluster::::::");
    Path file = Files.createDirectories(root.resolve("etc")).resolve("passwd");
    UserNames names = new UserNames(root);
    SplittableRandom random = Damage.random("passwd");
    for (int i = 0; i < Damage.TIMES; i++) {
      int at = i % users.size();
      String damaged = damaged(users, at, random, i);
      Files.write(file, damaged.getBytes(StandardCharsets.ISO_8859_1));
      Files.setLastModifiedTime(file, FileTime.fromMillis(1_000L * (i + 1)));
      names.look();
      for (int user = 0; user < 4; user++) {
        String[] fields = users.get(user).split(":");
        if (user != at) {
          assertThat(names.of(fields[2])).as(damaged).isEqualTo(fields[0]);
        }
      }
      assertThat(names.of("4711")).as(damaged).isEqualTo("4711");
    }
  }

  @Test
  void aVariableThatIsDamagedCostsNoOther() {
    List<String> variables =
        List.of(
            "PATH=/usr/bin:/bin",
            "SLURM_JOB_ID=4711",
            "SLURM_JOB_PARTITION=gpu-long",
            "LS_COLORS=rs=0:di=01;34",
            "SLURM_ARRAY_JOB_ID=4700",
            "SLURM_ARRAY_TASK_ID=11");
    SplittableRandom random = Damage.random("environ");
    for (int i = 0; i < Damage.TIMES; i++) {
      int at = i % variables.size();
      String damaged = damaged(variables, at, random, i).replace('\n', '\0');
      SlurmVariables read = SlurmVariables.of(damaged);
      String[] expected = {"4711", "gpu-long", "4700", "11"};
      String[] found = {read.job(), read.partition(), read.arrayJob(), read.arrayTask()};
      int[] lines = {1, 2, 4, 5};
      for (int each = 0; each < lines.length; each++) {
        if (lines[each] != at) {
          assertThat(found[each]).as(damaged).isEqualTo(expected[each]);
        }
      }
    }
  }

  @Test
  void aHierarchyThatIsDamagedCostsNoOther() {
    List<String> hierarchies = new ArrayList<>();
    for (String each : List.of("cpuset", "hugetlb", "blkio", "perf_event", "net_cls,net_prio")) {
      hierarchies.add((hierarchies.size() + 2) + ":" + each + ":/docker/" + CONTAINER);
    }
    hierarchies.add("1:name=systemd:/system.slice/docker.service");
    hierarchies.add("0::/");
    SplittableRandom random = Damage.random("cgroup");
    for (int i = 0; i < Damage.TIMES; i++) {
      String damaged = damaged(hierarchies, 1 + i % (hierarchies.size() - 1), random, i);
      assertThat(Cgroup.ofFile(damaged).container()).as(damaged).isEqualTo(CONTAINER);
    }
  }

  private static String damaged(List<String> entries, int at, SplittableRandom random, int time) {
    StringBuilder all = new StringBuilder();
    for (int i = 0; i < entries.size(); i++) {
      byte[] entry = (entries.get(i) + "\n").getBytes(StandardCharsets.UTF_8);
      Damage how = Damage.values()[time % Damage.values().length];
      byte[] written = i == at ? how.to(entry, random) : entry;
      all.append(new String(written, StandardCharsets.ISO_8859_1));
    }
    return all.toString();
  }
}
