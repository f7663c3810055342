package io.fleetgauge.probe.attribution.slurm;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fleetgauge.probe.Damage;
import io.fleetgauge.probe.config.SlurmSettings;
import io.fleetgauge.probe.sampling.GpuOwners;
import io.fleetgauge.probe.sampling.NodeLabels;
import io.fleetgauge.probe.sampling.Sampler;
import io.fleetgauge.probe.sampling.TickClass;
import io.fleetgauge.probe.sampling.TickSink;
import io.fleetgauge.sample.Labels;
import io.fleetgauge.sample.Tick;
import io.fleetgauge.sample.relabel.Relabelling;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.SplittableRandom;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class JobSamplingTest {
  /** As the data parsers 0.0.40 and later write it. */
  private static final String NEWER =
      """
      {"jobs": [
        {"job_id": 4712, "user_name": "ana", "account": "phys", "partition": "gpu", "name": "train",
         "array_job_id": {"set": true, "infinite": false, "number": 4711},
         "array_task_id": {"set": true, "infinite": false, "number": 0},
         "job_state": ["RUNNING", "CONFIGURING"], "nodes": "n[1-2]",
         "job_resources": {"nodes": {"count": 2, "list": "n[1-2]"}},
         "tres_alloc_str": "cpu=2,gres/gpu=8"},
        {"job_id": 4713, "user_name": "bo", "account": "", "partition": "gpu", "name": "",
         "array_job_id": {"set": true, "infinite": false, "number": 0},
         "array_task_id": {"set": false, "infinite": false, "number": 0},
         "job_state": ["PENDING"], "nodes": "", "tres_per_node": "gres/gpu:1"},
        {"job_id": 4714, "job_state": ["RUNNING"], "tres_alloc_str": "cpu=2"},
        {"user_name": "nobody"}],
       "last_backfill": {"set": true, "infinite": false, "number": 1},
       "meta": {"slurm": {"version": {"major": "24"}}}, "errors": [], "warnings": []}
      """;

  private static final TickClass CORE = new TickClass(Duration.ofSeconds(15));

  @TempDir private Path folder;
  private long millis;

  @Test
  void theFormOfSlurm2205IsRead() throws IOException {
    try (InputStream in = JobSamplingTest.class.getResourceAsStream("squeue-22.05.json")) {
      assertThat(SqueueForm.read(in, true, 10).jobs())
          .containsExactly(job("1", "root", "", "p", "a\"b", "1", "3", "n1"));
    }
  }

  @Test
  void theFormWithNumbersAsObjectsAndStatesAsListsIsRead() throws IOException {
    Labels train = job("4712", "ana", "phys", "gpu", "train", "4711", "0", "n[1-2]");
    SqueueForm.Jobs onlyGpus = read(NEWER, true, 10);
    assertThat(onlyGpus)
        .isEqualTo(
            new SqueueForm.Jobs(List.of(train), 0, 1, "job number 4 of the list has no job_id"));
    assertThat(read(NEWER, false, 10).jobs())
        .extracting(JobSamplingTest::id)
        .containsExactly("4712", "4714");
    assertThat(read(NEWER, false, 1).leftOut()).isEqualTo(1);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          tres_alloc_str  | cpu=8,mem=64G,gres/gpu=8                        | true
          tres_alloc_str  | cpu=8,gres/gpu:h100=2                           | true
          tres_alloc_str  | cpu=8,gres/gpu:nvidia_a100_3g.20gb=1            | true
          tres_alloc_str  | cpu=2,gres/shard=4                              | true
          tres_alloc_str  | gres/shard:l40s=1                               | true
          tres_alloc_str  | cpu=2,gres/mps=50                               | true
          tres_per_node   | gres:gpu:2                                      | true
          tres_per_node   | gpu                                             | true
          tres_req_str    | cpu=2,gres/gpu=10                               | true
          tres_per_task   | gres/gpu:1                                      | true
          tres_per_socket | gres/gpu:h100:1                                 | true
          tres_per_job    | gres/gpu:8                                      | true
          gres_detail     | shard:l40s:2(0/8,2/8),gpu:0                     | true
          gres_detail     | gpu:h100:2(IDX:0-1)                             | true
          gres_detail     | nic:2,gpu:1(IDX:3)                              | true
          tres_alloc_str  | cpu=1,license/gpu_profiler=1                    | false
          tres_alloc_str  | cpu=1,gres/gpu_fan=1                            | false
          tres_alloc_str  | cpu=1,gres/nic=1,fs/gpu=1                       | false
          tres_alloc_str  | cpu=1,gres/gpu=0                                | false
          gres_detail     | gpu:0(IDX:)                                     | false
          gres_detail     | nic:2(gpu,gpu)                                  | false
          tres_per_node   | N/A                                             | false
          tres_per_node   | (null)                                          | false
          """)
  void aJobHasGpusIfAShareOfOneIsAllocatedOrAsked(String field, String value, boolean has)
      throws IOException {
    String told =
        "{\"jobs\": [{\"job_id\": 1, \"job_state\": [\"RUNNING\"], \"%s\": %s}]}"
            .formatted(
                field, field.equals("gres_detail") ? "[\"" + value + "\"]" : "\"" + value + "\"");
    assertThat(read(told, true, 10).jobs()).hasSize(has ? 1 : 0);
  }

  @Test
  void aNameThatIsNotUtf8OrHasControlCharactersCostsNoJob() throws IOException {
    byte[] text =
        "{\"jobs\": [{\"job_id\": 1, \"job_state\": \"RUNNING\", \"name\": \"caf\u00e9\ta\\q\"}, 7, [{}],"
            .concat(" {\"job_id\": 2, \"job_state\": \"RUNNING\", \"limit\": NaN}]}")
            .getBytes(StandardCharsets.ISO_8859_1);
    SqueueForm.Jobs jobs = SqueueForm.read(new ByteArrayInputStream(text), false, 10);
    assertThat(jobs.jobs()).extracting(JobSamplingTest::id).containsExactly("1", "2");
    assertThat(jobs.jobs().getFirst().value("name")).isEqualTo("caf\ufffd?aq");
    assertThat(jobs.damaged()).as("a number and a list").isEqualTo(2);
    assertThat(jobs.damage()).isEqualTo("job number 2 of the list is no object");
  }

  @Test
  void anEntryWhoseValuesHaveUnknownFormsCostsOnlyItself() throws IOException {
    String text =
        """
        {"jobs": [{"job_id": 1, "job_state": "RUNNING", "nodes": {"set": [], "number": {}}},
         {"job_id": [], "job_state": {"a": [1]}}, {"job_id": 3, "job_state": []},
         {"job_id": 4, "job_state": "RUNNING", "nodes": [{"a": ["b"]}, "n1"]}]}
        """;
    assertThat(read(text, false, 10).jobs())
        .containsExactly(
            job("1", "", "", "", "", "", "", ""), job("4", "", "", "", "", "", "", "n1"));
    assertThat(read(text, false, 10).damaged()).isEqualTo(2);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      value = {
        "['COMPLETING', 'RUNNING'] | true",
        "['RUNNING', 'CONFIGURING'] | true",
        "['CANCELLED', 'COMPLETING'] | true",
        "['SUSPENDED'] | true",
        "'CONFIGURING' | true",
        "'RESIZING' | true",
        "['PENDING', 'CONFIGURING'] | false",
        "['PENDING'] | false",
        "['COMPLETED', 'STAGE_OUT'] | false",
        "['A_NEW_STATE'] | false"
      })
  void aJobRunsWhileItHasItsNodes(String state, boolean runs) throws IOException {
    String text = "{'jobs': [{'job_id': 7, 'job_state': %s}]}".formatted(state).replace('\'', '"');
    assertThat(read(text, false, 10).jobs()).hasSize(runs ? 1 : 0);
    assertThat(read(text, false, 10).damaged()).isZero();
  }

  @Test
  void whatIsNotAListOfJobsIsAnError() {
    assertThatThrownBy(() -> read("slurm_load_jobs error", false, 1))
        .isInstanceOf(IOException.class);
    assertThatThrownBy(() -> read("{\"meta\": {}}", false, 1)).hasMessageContaining("no list");
    assertThatThrownBy(() -> read(NEWER.substring(0, 300), false, 1))
        .isInstanceOf(IOException.class);
    assertThatThrownBy(
            () -> read("{\"errors\":[{\"error\":\"no controller\"}],\"jobs\":[]}", false, 1))
        .hasMessageContaining("error=no controller");
  }

  /** Slurm's JSON is whole whatever users write; what is between its quotes may be anything. */
  @Test
  void aJobWithDamagedValuesCostsNoOtherAndIsCounted() throws IOException {
    SplittableRandom random = Damage.random("squeue");
    String[] values = {
      "null",
      "[]",
      "{}",
      "17",
      "-1.5e3",
      "true",
      "[[\"a\"]]",
      "{\"set\": 7, \"a\": [{}]}",
      "NaN",
      "\"\""
    };
    for (int i = 0; i < Damage.TIMES; i++) {
      byte[] value =
          random.nextBoolean()
              ? values[random.nextInt(values.length)].getBytes(StandardCharsets.UTF_8)
              : quoted(
                  Damage.values()[i % 7].to(
                      "RUNNING 4712".getBytes(StandardCharsets.UTF_8), random));
      String field =
          "job_id job_state name nodes tres_alloc_str array_job_id later".split(" ")[i % 7];
      ByteArrayOutputStream out = new ByteArrayOutputStream();
      out.writeBytes("{\"jobs\": [{\"job_id\": 1, \"job_state\": \"RUNNING\"}, ".getBytes());
      out.writeBytes(
          ("{\"job_id\": 2, \"job_state\": [\"RUNNING\"], \"" + field + "\": ").getBytes());
      out.writeBytes(value);
      out.writeBytes("}, {\"job_id\": 3, \"job_state\": \"RUNNING\"}]}".getBytes());
      String as = out.toString(StandardCharsets.ISO_8859_1);
      SqueueForm.Jobs jobs =
          SqueueForm.read(new ByteArrayInputStream(out.toByteArray()), false, 10);
      assertThat(jobs.jobs()).as(as).extracting(JobSamplingTest::id).contains("1", "3");
      boolean isTold = jobs.jobs().size() == 3;
      assertThat(isTold || jobs.damaged() == 1 || field.equals("job_state")).as(as).isTrue();
    }
  }

  /** A text of JSON that has these bytes as they are, but for those that would end it. */
  private static byte[] quoted(byte[] bytes) {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    out.write('"');
    for (byte each : bytes) {
      out.write(each == '"' || each == '\\' ? '?' : each);
    }
    out.write('"');
    return out.toByteArray();
  }

  @Test
  void damagedTextIsAnErrorOrGivesJobsWithAnId() {
    byte[] whole = NEWER.getBytes(StandardCharsets.UTF_8);
    Random random = new Random(23);
    for (int i = 0; i < 20_000; i++) {
      byte[] text = whole.clone();
      for (int changes = 1 + random.nextInt(4); changes > 0; changes--) {
        text[random.nextInt(text.length)] = (byte) random.nextInt(256);
      }
      try {
        SqueueForm.Jobs jobs =
            SqueueForm.read(
                new ByteArrayInputStream(text, 0, random.nextInt(text.length + 1)), false, 10);
        assertThat(jobs.jobs()).noneMatch(job -> id(job).isEmpty());
      } catch (IOException e) {
        assertThat(e).hasMessageMatching("(?s).+");
      }
    }
  }

  @Test
  void jobsAreSeriesWhileTheProgramTellsThem() throws Exception {
    Files.writeString(folder.resolve("answer"), NEWER);
    JobSampling sampling = sampling("cat " + folder.resolve("answer"), Duration.ofMinutes(1));
    sampling.look();
    assertThat(series(sampling))
        .containsEntry("slurm_jobs_up", 1.0)
        .containsEntry("slurm_jobs_damaged", 1.0)
        .containsEntry("slurm_jobs_failures_total", 0.0)
        .anySatisfy((name, value) -> assertThat(name).contains("hpc_job=\"4712\""));
    Files.delete(folder.resolve("answer"));
    sampling.look();
    assertThat(series(sampling))
        .containsEntry("slurm_jobs_up", 1.0)
        .containsEntry("slurm_jobs_failures_total", 1.0);
    millis += 60 * 60_000;
    assertThat(series(sampling))
        .containsEntry("slurm_jobs_up", 0.0)
        .noneSatisfy((name, value) -> assertThat(name).contains("hpc_job"));
    sampling.close();
  }

  /** Three askings, a minute apart, and the time that the last one may take. */
  @Test
  void jobsAreKnownForThreeAskingsAndATimeoutAndTheirAgeIsInSeconds() throws Exception {
    Files.writeString(folder.resolve("answer"), NEWER);
    millis = 5_000;
    JobSampling sampling = sampling("cat " + folder.resolve("answer"), Duration.ofSeconds(7));
    assertThat(series(sampling))
        .containsEntry("slurm_jobs_up", 0.0)
        .doesNotContainKeys("slurm_jobs_age_seconds", "slurm_jobs_left_out", "slurm_jobs_damaged");
    sampling.look();
    millis += 3 * 60_000 + 7_000;
    assertThat(series(sampling))
        .containsEntry("slurm_jobs_up", 1.0)
        .containsEntry("slurm_jobs_age_seconds", 187.0)
        .containsEntry("slurm_jobs_left_out", 0.0);
    millis++;
    assertThat(series(sampling))
        .containsEntry("slurm_jobs_up", 0.0)
        .containsEntry("slurm_jobs_age_seconds", 187.001)
        .doesNotContainKeys("slurm_jobs_left_out", "slurm_jobs_damaged");
    sampling.close();
  }

  @Test
  void aProgramThatHangsOrFailsIsEndedAndCounted() throws Exception {
    JobSampling hangs = sampling("sleep 600", Duration.ofMillis(200));
    hangs.look();
    assertThat(series(hangs))
        .containsEntry("slurm_jobs_up", 0.0)
        .containsEntry("slurm_jobs_failures_total", 1.0);
    hangs.close();
    try (Squeue fails =
        new Squeue(settings("echo Unable to contact >&2; exit 1", Duration.ofMinutes(1)))) {
      assertThatThrownBy(fails::ask).hasMessageContaining("Unable to contact");
    }
    try (Squeue late = new Squeue(settings("sleep 600", Duration.ofMillis(200)))) {
      assertThatThrownBy(late::ask).hasMessageContaining("took longer than PT0.2S");
    }
    try (Squeue fails =
        new Squeue(settings("echo '{\"jobs\":[]}'; exit 3", Duration.ofMinutes(1)))) {
      assertThatThrownBy(fails::ask).hasMessageContaining("ended with 3");
    }
  }

  private static Labels job(
      String id,
      String user,
      String account,
      String partition,
      String name,
      String arrayJob,
      String arrayTask,
      String nodes) {
    return Labels.of("hpc_job", id, "user", user, "account", account, "partition", partition)
        .with(Labels.of("name", name, "array_job", arrayJob, "array_task", arrayTask))
        .with("nodes", nodes);
  }

  private static String id(Labels job) {
    return job.value("hpc_job");
  }

  private static SqueueForm.Jobs read(String text, boolean onlyGpus, int limit) throws IOException {
    return SqueueForm.read(
        new ByteArrayInputStream(text.getBytes(StandardCharsets.UTF_8)), onlyGpus, limit);
  }

  private JobSampling sampling(String script, Duration timeout) throws IOException {
    return new JobSampling(settings(script, timeout), CORE, () -> millis);
  }

  private SlurmSettings.Jobs settings(String script, Duration timeout) throws IOException {
    Path squeue = folder.resolve("squeue");
    Files.deleteIfExists(squeue);
    Files.writeString(squeue, "#!/bin/sh\n" + script + "\n");
    Files.setPosixFilePermissions(squeue, PosixFilePermissions.fromString("rwx------"));
    return new SlurmSettings.Jobs(squeue, Duration.ofMinutes(1), timeout, true, 10);
  }

  private static Map<String, Double> series(JobSampling sampling) throws InterruptedException {
    try (Sampler sampler =
        new Sampler(
            List.of(sampling),
            new NodeLabels(Labels.EMPTY, Relabelling.NONE),
            () -> GpuOwners.NONE,
            "probe",
            Duration.ofSeconds(15),
            () -> 0,
            TickSink.NONE)) {
      Tick tick = sampler.readAt(0);
      Map<String, Double> values = new TreeMap<>();
      for (int i = 0; i < tick.size(); i++) {
        Labels labels = tick.series().get(i);
        boolean isJob = !labels.value("hpc_job").isEmpty();
        values.put(isJob ? labels.toString() : labels.metric(), tick.values()[i]);
      }
      return values;
    }
  }
}
