package io.fleetgauge.probe.attribution.slurm;

import static org.assertj.core.api.Assertions.assertThat;

import io.fleetgauge.sample.Labels;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class MappingFileTest {
  private static final Labels GOOD = Labels.of("hpc_job", "41");

  @Test
  void aJobIsAnIdOrAnObjectWithItAndMore() {
    MappingFile read =
        MappingFile.read(
            "17\n 18_3 \n"
                + """
                {"job_id": 19}
                {"job_id": " 20 ", "user": " ana ", "account": null, "partition": "gpu long"}
                {"array_job": 21, "array_task": "3", "job_id": "22"}
                """);
    assertThat(read.damaged()).isZero();
    assertThat(read.jobs())
        .containsExactly(
            Labels.of("hpc_job", "17"),
            Labels.of("hpc_job", "18_3"),
            Labels.of("hpc_job", "19"),
            Labels.of("hpc_job", "20", "user", "ana", "partition", "gpu long"),
            Labels.of("hpc_job", "22", "array_job", "21", "array_task", "3"));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "a b",
        "caf\u00e9",
        "1\u007f",
        "{\"user\": \"ana\"}",
        "{\"job_id\": null}",
        "{\"job_id\": \"a b\"}",
        "{\"job_id\": \"17\", \"name\": \"of a version to come\"}",
        "{\"job_id\": \"17\", \"user\": 7.5}",
        "{\"job_id\": \"17\", \"user\": [\"ana\"]}",
        "{\"job_id\": \"17\", \"user\": true}",
        "{\"job_id\": \"17\", \"user\": \"a\\u0007\"}",
        "{\"job_id\": \"17\", \"user\": \"\\ud800\"}",
        "{\"job_id\": \"17\", \"job_id\": \"18\"}",
        "{\"job_id\": \"17\"} x",
        "{\"job_id\": \"17\"",
        "[17]x y"
      })
  void aLineOfAnotherFormIsCountedAndCostsNoOther(String line) {
    assertThat(MappingFile.read(line + "\n41\n").jobs()).containsExactly(GOOD);
    assertThat(MappingFile.read("41\n" + line).damaged()).isEqualTo(1);
  }

  @Test
  void idsAndValuesAreNoLongerThanTheirLimits() {
    String id = "x".repeat(128);
    String user = "y".repeat(1_024);
    String line = "{\"job_id\": \"%s\", \"user\": \"%s\"}\n";
    assertThat(MappingFile.read(id + "\n" + line.formatted(id, user)).jobs())
        .containsExactly(Labels.of("hpc_job", id), Labels.of("hpc_job", id, "user", user));
    String tooLong = id + "x\n" + line.formatted(id + "x", user) + line.formatted(id, user + "y");
    assertThat(MappingFile.read(tooLong)).isEqualTo(new MappingFile(List.of(), 3));
  }

  @Test
  void aJobThatIsThereAlreadyIsNotTooMany() {
    String most =
        IntStream.range(0, MappingFile.MAX_JOBS)
            .mapToObj(i -> i + "\n")
            .collect(Collectors.joining());
    MappingFile read = MappingFile.read(most + "7\n999\n7\n");
    assertThat(read.jobs()).hasSize(MappingFile.MAX_JOBS);
    assertThat(read.damaged()).as("999").isEqualTo(1);
  }
}
