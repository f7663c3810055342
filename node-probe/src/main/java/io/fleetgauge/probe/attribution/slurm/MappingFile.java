package io.fleetgauge.probe.attribution.slurm;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.StreamReadFeature;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import io.fleetgauge.sample.Labels;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.TreeMap;

/**
 * The jobs of one GPU, one a line: the id of a job, or a JSON object with {@code job_id} and what
 * else is known of it.
 *
 * @param jobs labels of each, without repetition
 * @param damaged lines that could not be understood
 */
record MappingFile(List<Labels> jobs, int damaged) {
  /** Most bytes of a file. */
  static final int MAX_BYTES = 64 << 10;

  /** Most jobs of a file. */
  static final int MAX_JOBS = 64;

  /** The label that names a job. */
  static final String JOB = "hpc_job";

  private static final String JOB_ID = "job_id";
  private static final int MAX_ID = 128;
  private static final int MAX_VALUE = 1_024;
  private static final Set<String> MORE =
      Set.of("user", "account", "partition", "array_job", "array_task");
  private static final JsonMapper JSON =
      JsonMapper.builder()
          .enable(StreamReadFeature.STRICT_DUPLICATE_DETECTION)
          .enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS)
          .build();

  static MappingFile read(String text) {
    Set<Labels> jobs = new LinkedHashSet<>();
    int damaged = 0;
    for (String each : (Iterable<String>) text.lines()::iterator) {
      String line = each.strip();
      if (line.isEmpty()) {
        continue;
      }
      Labels job = line.startsWith("{") ? object(line) : id(line);
      if (job.isEmpty() || jobs.size() >= MAX_JOBS && !jobs.contains(job)) {
        damaged++;
      } else {
        jobs.add(job);
      }
    }
    return new MappingFile(List.copyOf(jobs), damaged);
  }

  private static Labels id(String id) {
    boolean isId = id.length() <= MAX_ID && id.chars().allMatch(c -> c > ' ' && c < 0x7f);
    return isId ? Labels.of(JOB, id) : Labels.EMPTY;
  }

  /** Empty if it is damaged. */
  private static Labels object(String line) {
    JsonNode node;
    try {
      node = JSON.readTree(line);
    } catch (JsonProcessingException e) {
      return Labels.EMPTY;
    }
    TreeMap<String, String> more = new TreeMap<>();
    Labels job = Labels.EMPTY;
    for (var field : node.properties()) {
      JsonNode value = field.getValue();
      if (!value.isTextual() && !value.isIntegralNumber() && !value.isNull()) {
        return Labels.EMPTY;
      }
      String of = value.isNull() ? "" : value.asText().strip();
      if (field.getKey().equals(JOB_ID)) {
        job = id(of);
      } else if (!MORE.contains(field.getKey()) || !isPrintable(of)) {
        return Labels.EMPTY;
      } else {
        more.put(field.getKey(), of);
      }
    }
    return job.isEmpty() ? job : job.with(Labels.of(more));
  }

  private static boolean isPrintable(String text) {
    return text.length() <= MAX_VALUE
        && text.codePoints()
            .noneMatch(
                c -> Character.isISOControl(c) || Character.getType(c) == Character.SURROGATE);
  }
}
