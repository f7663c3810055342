package io.fleetgauge.probe.attribution.allocation;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fleetgauge.sample.Labels;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.OptionalLong;
import java.util.Random;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class AllocationFormTest {
  private static final String WHOLE =
      """
      {"id": "slurm-4711", "gpus": ["GPU-a", 3, "MIG-b"],
       "owner": {"hpc_job": 4711, "user": "ana", "account": "", "partition": "gp\\u00e9"},
       "expires": "2030-01-31T12:00:00Z"}
      """;
  private static final int DAMAGED = 100_000;

  @Test
  void anAllocationHasGpusAnOwnerAndATimeOfExpiry() throws Exception {
    ReportedAllocation read = read(WHOLE);
    assertThat(read.id()).isEqualTo("slurm-4711");
    assertThat(read.gpus()).containsExactly("GPU-a", "nvidia3", "MIG-b");
    assertThat(read.owner())
        .isEqualTo(Labels.of("hpc_job", "4711", "user", "ana", "partition", "gpé"));
    assertThat(read.expires()).hasValue(1_896_091_200_000L);
    assertThat(read.job()).isEqualTo("4711");
    assertThat(AllocationForm.readKept(AllocationForm.write(read.withCgroup())))
        .isEqualTo(read.withCgroup());
    assertThat(read("{\"id\":\"a\",\"gpus\":[0],\"owner\":{\"user\":\"u\"},\"expires\":9}"))
        .isEqualTo(
            new ReportedAllocation(
                "a", List.of("nvidia0"), Labels.of("user", "u"), OptionalLong.of(9_000), false));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '\0',
      value = {
        "                                                       | not a JSON object",
        "[]                                                     | not a JSON object",
        "{} x                                                   | not JSON",
        "{                                                      | not JSON",
        "{\"id\":\"a\",\"id\":\"b\"}                            | Duplicate field",
        "{\"colour\":1}                                         | no field colour",
        "{\"gpus\":[0]}                                         | id is missing",
        "{\"id\":\"a/b\"}                                       | id is \"a/b\", but must be",
        "{\"id\":7}                                             | id is 7, but must be text",
        "{\"id\":\"a\"}                                         | gpus is missing",
        "{\"id\":\"a\",\"gpus\":[]}                             | a list of 1 to 256",
        "{\"id\":\"a\",\"gpus\":[-1]}                           | gpus has -1",
        "{\"id\":\"a\",\"gpus\":[1.5]}                          | gpus has 1.5",
        "{\"id\":\"a\",\"gpus\":[\"\"]}                         | number of its device file",
        "{\"id\":\"a\",\"gpus\":[0]}                            | owner is missing",
        "{\"id\":\"a\",\"gpus\":[0],\"owner\":{}}               | 1 to 32 labels",
        "{\"id\":\"a\",\"gpus\":[0],\"owner\":{\"user\":\"\"}}  | no label that is not empty",
        "{\"id\":\"a\",\"gpus\":[0],\"owner\":{\"user\":[]}}    | owner.user is []",
        "{\"id\":\"a\",\"gpus\":[0],\"owner\":{\"a-b\":\"c\"}}  | owner has the label a-b",
        "{\"id\":\"a\",\"gpus\":[0],\"owner\":{\"__a\":\"c\"}}  | begin with a digit or __",
        "{\"id\":\"a\",\"gpus\":[0],\"owner\":{\"job\":\"c\"}}  | name a batch job hpc_job",
        "{\"id\":\"a\",\"gpus\":[0],\"owner\":{\"UUID\":\"c\"}} | choose another",
        "{\"id\":\"a\",\"gpus\":[0],\"owner\":{\"a\":\"b\\u0007\"}} | control characters",
        "{\"id\":\"a\",\"gpus\":[0],\"owner\":{\"a\":\"b\"},\"expires\":\"soon\"} | expires is",
        "{\"id\":\"a\",\"gpus\":[0],\"owner\":{\"a\":\"b\"},\"expires\":-1} | expires is -1",
        "{\"id\":\"a\",\"gpus\":[0],\"owner\":{\"a\":\"b\"},\"expires\":5} | has passed",
        "{\"id\":{\"a\":{\"a\":{\"a\":{\"a\":{\"a\":{\"a\":{\"a\":{\"a\":1}}}}}}}}} | not JSON",
      })
  void whatIsWrongIsNamed(String body, String why) {
    assertThatThrownBy(
            () ->
                AllocationForm.read(
                    (body == null ? "" : body).getBytes(StandardCharsets.UTF_8), 6_000))
        .isInstanceOf(BadAllocation.class)
        .hasMessageContaining(why);
  }

  @Test
  void aDamagedBodyIsRefusedOrIsStillAWholeAllocation() {
    eachIsRefusedOrIsStillAWholeAllocation(1_000);
  }

  /**
   * @see #aDamagedBodyIsRefusedOrIsStillAWholeAllocation
   */
  @Tag("slow")
  @Test
  void ofManyDamagedBodiesEachIsRefusedOrIsStillAWholeAllocation() {
    eachIsRefusedOrIsStillAWholeAllocation(DAMAGED);
  }

  private static void eachIsRefusedOrIsStillAWholeAllocation(int bodies) {
    byte[] whole = WHOLE.getBytes(StandardCharsets.UTF_8);
    Random random = new Random(23);
    int refused = 0;
    for (int i = 0; i < bodies; i++) {
      byte[] body = Arrays.copyOf(whole, 1 + random.nextInt(whole.length));
      for (int changes = random.nextInt(4); changes > 0; changes--) {
        body[random.nextInt(body.length)] = (byte) random.nextInt(256);
      }
      if (random.nextBoolean()) {
        body = Arrays.copyOf(body, whole.length);
        System.arraycopy(whole, body.length / 2, body, body.length / 2, whole.length / 2);
      }
      try {
        ReportedAllocation read = AllocationForm.read(body, 0);
        assertThat(read.id()).matches("[A-Za-z0-9._:-]{1,128}");
        assertThat(read.gpus()).isNotEmpty();
        assertThat(read.owner().isEmpty()).isFalse();
        assertThat(AllocationForm.readKept(AllocationForm.write(read))).isEqualTo(read);
      } catch (BadAllocation e) {
        assertThat(e.getMessage()).isNotBlank();
        refused++;
      }
    }
    assertThat(refused).isGreaterThan(bodies / 2);
  }

  private static ReportedAllocation read(String body) throws BadAllocation {
    return AllocationForm.read(body.getBytes(StandardCharsets.UTF_8), 0);
  }
}
