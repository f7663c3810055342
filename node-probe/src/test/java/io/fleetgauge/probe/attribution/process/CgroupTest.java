package io.fleetgauge.probe.attribution.process;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assertions.assertTimeoutPreemptively;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Random;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class CgroupTest {
  private static final String C = "1f".repeat(32);
  private static final String POD = "0a1b2c3d-1111-2222-3333-4444deadbeef";
  private static final int DAMAGED = 100_000;

  /** Path, container, name, pod, job, step, unit, uid. */
  private static Stream<List<String>> rows() {
    try (var in = CgroupTest.class.getResourceAsStream("cgroups.tsv")) {
      byte[] all = Objects.requireNonNull(in).readAllBytes();
      return new String(all, StandardCharsets.UTF_8)
              .lines()
              .filter(line -> !line.startsWith("#"))
              .map(line -> List.of(line.split("\t", -1)))
              .toList()
              .stream();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static Cgroup expected(List<String> row) {
    return new Cgroup(
        row.get(1), row.get(2), row.get(3), row.get(4), row.get(5), row.get(6), row.get(7));
  }

  @ParameterizedTest
  @MethodSource("rows")
  void eachFormOfAPathTellsItsOwner(List<String> row) {
    assertThat(Cgroup.ofPath(row.getFirst())).isEqualTo(expected(row));
    assertThat(Cgroup.ofFile("0::" + row.getFirst() + "\n")).isEqualTo(expected(row));
    assertThat(Cgroup.ofFile("12:freezer:/\n4:memory:" + row.getFirst() + "\n0::/\n"))
        .isEqualTo(expected(row));
  }

  @Test
  void inAFileOfV1TheLinesThatNameNoContainerAreLeftOut() {
    assertThat(
            Cgroup.ofFile(
                """
                13:rdma:/
                12:perf_event:/
                11:cpu,cpuacct:/system.slice/docker.service
                10:pids:/docker/%1$s
                9:misc:/
                4:memory:/
                1:name=systemd:/system.slice/docker.service
                """
                    .formatted(C)))
        .isEqualTo(new Cgroup(C, "", "", "", "", "", ""));
  }

  @Test
  void inAHybridFileTheLinesOfV1WinIfTheyNameAWorkload() {
    String unified = "0::/user.slice/user-1000.slice/session-3.scope\n";
    assertThat(Cgroup.ofFile("5:memory:/slurm/uid_7/job_17/step_0\n" + unified).job())
        .isEqualTo("17");
    assertThat(Cgroup.ofFile(unified + "5:memory:/slurm/uid_7/job_17/step_0\n").job())
        .isEqualTo("17");
    assertThat(Cgroup.ofFile("5:memory:/\n" + unified).unit()).isEqualTo("session-3.scope");
    assertThat(Cgroup.ofFile("5:memory:/system.slice/a.service\n0::/docker/" + C).container())
        .as("a container says more than a unit")
        .isEqualTo(C);
    assertThat(Cgroup.ofFile("5:devices:/docker/" + C + "\n4:memory:/kubepods/pod" + POD).pod())
        .as("memory comes before devices")
        .isEqualTo(POD);
  }

  @Test
  @Tag("slow")
  void aHundredThousandDamagedFilesTellNothingOrSomethingThatIsThere() {
    List<String> files = new ArrayList<>();
    rows()
        .forEach(row -> files.add("4:memory:" + row.getFirst() + "\n0::" + row.getFirst() + "\n"));
    Random random = new Random(20_261_124);
    assertTimeoutPreemptively(
        Duration.ofMinutes(2),
        () -> {
          for (int i = 0; i < DAMAGED; i++) {
            String file = damaged(files.get(random.nextInt(files.size())), random);
            Cgroup group = Cgroup.ofFile(file);
            assertThat(group.container()).matches("[0-9a-f]{64}|");
            assertThat(group.pod()).matches("[0-9a-f-]{36}|[0-9a-f]{32}|");
            assertThat(group.job()).matches("\\d*");
            assertThat(group.uid()).matches("\\d*");
            assertThat(file).contains(group.container(), group.name(), group.job(), group.unit());
          }
        });
  }

  private static String damaged(String file, Random random) {
    StringBuilder text = new StringBuilder(file);
    for (int n = random.nextInt(6); n >= 0 && !text.isEmpty(); n--) {
      int at = random.nextInt(text.length());
      switch (random.nextInt(6)) {
        case 0 -> text.setCharAt(at, (char) random.nextInt(0x250));
        case 1 -> text.delete(at, Math.min(text.length(), at + random.nextInt(40)));
        case 2 -> text.insert(at, ":/\n\0\u20ac_-.".charAt(random.nextInt(8)));
        case 3 -> text.insert(at, text.substring(at, Math.min(text.length(), at + 80)));
        case 4 -> text.insert(at, "/".repeat(random.nextInt(300)));
        default -> text.setLength(at);
      }
    }
    return text.toString();
  }
}
