package io.fleetgauge.probe.attribution.slurm;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import com.fasterxml.jackson.core.StreamReadFeature;
import com.fasterxml.jackson.core.json.JsonReadFeature;
import io.fleetgauge.sample.Labels;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;

/**
 * The output of {@code squeue --json}, in the forms of Slurm 22.05 and later: a number is a number,
 * or an object with {@code set}, {@code infinite} and {@code number}; a state is a text or a list.
 * Names of users may have any bytes: Slurm does not check that they are UTF-8. It is read as it
 * comes, because it has hundreds of bytes of each job that nobody needs here.
 */
final class SqueueForm {
  private static final int MAX_TEXT = 1_024;
  private static final JsonFactory JSON =
      JsonFactory.builder()
          .disable(StreamReadFeature.AUTO_CLOSE_SOURCE)
          .enable(JsonReadFeature.ALLOW_UNESCAPED_CONTROL_CHARS)
          .enable(JsonReadFeature.ALLOW_BACKSLASH_ESCAPING_ANY_CHARACTER)
          .enable(JsonReadFeature.ALLOW_NON_NUMERIC_NUMBERS)
          .build();

  /** A GPU or a share of one, as in gres/gpu:h100=2, gres:shard:4 and gpu:h100:2(IDX:0-1). */
  private static final Pattern GPUS = Pattern.compile("(?:gres[/:])?(?:gpu|shard|mps)(?:[:=(].*)?");

  private static final Pattern NONE = Pattern.compile("[^(]*[:=]0+(?:\\(.*)?");

  /** Commas between shares, not those within the parentheses of one. */
  private static final Pattern BETWEEN_SHARES = Pattern.compile(",(?![^(]*\\))");

  /** States in which a job has its nodes. */
  private static final Set<String> RUNNING =
      Set.of("RUNNING", "COMPLETING", "SUSPENDED", "STOPPED");

  /** The word that Slurm 22.05 has instead of the state of a running job. */
  private static final Set<String> ALONE = Set.of("CONFIGURING", "RESIZING", "SIGNALING");

  private static final Set<String> FIELDS =
      Set.of(
          "job_id",
          "user_name",
          "account",
          "partition",
          "name",
          "array_job_id",
          "array_task_id",
          "nodes",
          "job_state",
          "gres_detail",
          "tres_alloc_str",
          "tres_req_str",
          "tres_per_job",
          "tres_per_node",
          "tres_per_socket",
          "tres_per_task");

  private SqueueForm() {}

  /**
   * The jobs that run.
   *
   * @param jobs labels of each, in the order in which they came, at most the limit
   * @param leftOut jobs beyond the limit
   * @param damaged entries that are no jobs, or have no id or no state
   * @param damage what the first of them is; empty without one
   */
  record Jobs(List<Labels> jobs, int leftOut, int damaged, String damage) {}

  /**
   * Reads the jobs that run.
   *
   * @param onlyGpus leaves out jobs without GPUs
   * @throws IOException if it is not what squeue prints, or if it tells an error
   */
  static Jobs read(InputStream in, boolean onlyGpus, int limit) throws IOException {
    Reading reading = new Reading(onlyGpus, limit);
    boolean isList = false;
    // What is not UTF-8, in the name of a job, is replaced; a parser of bytes would refuse the
    // whole.
    try (JsonParser json = JSON.createParser(new InputStreamReader(in, StandardCharsets.UTF_8))) {
      if (json.nextToken() != JsonToken.START_OBJECT) {
        throw new IOException("it does not begin with an object");
      }
      while (json.nextToken() == JsonToken.FIELD_NAME) {
        String field = json.currentName();
        JsonToken value = json.nextToken();
        if (field.equals("errors") && value == JsonToken.START_ARRAY) {
          errors(json);
        } else if (field.equals("jobs") && value == JsonToken.START_ARRAY) {
          isList = true;
          reading.list(json);
        } else {
          json.skipChildren();
        }
      }
      if (json.currentToken() != JsonToken.END_OBJECT) {
        throw new IOException("it ends too early");
      }
    }
    if (!isList) {
      throw new IOException("it has no list of jobs");
    }
    return reading.jobs();
  }

  /** The jobs of one answer. */
  private static final class Reading {
    private final boolean onlyGpus;
    private final int limit;
    private final Map<String, Labels> jobs = new LinkedHashMap<>();
    private int entries;
    private int leftOut;
    private int damaged;
    private String damage = "";

    Reading(boolean onlyGpus, int limit) {
      this.onlyGpus = onlyGpus;
      this.limit = limit;
    }

    void list(JsonParser json) throws IOException {
      while (json.nextToken() != JsonToken.END_ARRAY) {
        if (json.currentToken() == null) {
          throw new IOException("it ends within the list of jobs");
        }
        entries++;
        if (json.currentToken() == JsonToken.START_OBJECT) {
          take(object(json));
        } else {
          json.skipChildren();
          damaged("is no object");
        }
      }
    }

    private void take(Map<String, String> told) {
      String id = told.getOrDefault("job_id", "");
      String state = told.getOrDefault("job_state", "");
      if (id.isEmpty() || id.equals("0")) {
        damaged("has no job_id");
      } else if (state.isEmpty()) {
        damaged("has no job_state: " + id);
      } else if (runs(state) && (!onlyGpus || hasGpus(told))) {
        if (jobs.size() >= limit && !jobs.containsKey(id)) {
          leftOut++;
        } else {
          jobs.put(id, job(id, told));
        }
      }
    }

    private void damaged(String how) {
      damage = damaged++ == 0 ? "job number " + entries + " of the list " + how : damage;
    }

    Jobs jobs() {
      return new Jobs(List.copyOf(jobs.values()), leftOut, damaged, damage);
    }
  }

  /** The labels of a job; none where Slurm tells nothing. */
  private static Labels job(String id, Map<String, String> told) {
    String array = told.getOrDefault("array_job_id", "");
    boolean isPart = !array.isEmpty() && !array.equals("0");
    return Labels.of(
        MappingFile.JOB,
        id,
        "user",
        told.getOrDefault("user_name", ""),
        "account",
        told.getOrDefault("account", ""),
        "partition",
        told.getOrDefault("partition", ""),
        "name",
        told.getOrDefault("name", ""),
        "array_job",
        isPart ? array : "",
        "array_task",
        isPart ? told.getOrDefault("array_task_id", "") : "",
        "nodes",
        told.getOrDefault("nodes", ""));
  }

  private static boolean runs(String states) {
    if (ALONE.contains(states.toUpperCase(Locale.ROOT))) {
      return true;
    }
    for (String state : states.split(",")) {
      if (RUNNING.contains(state.toUpperCase(Locale.ROOT))) {
        return true;
      }
    }
    return false;
  }

  /**
   * Reads allocated GPUs, which are named only where Slurm accounts for them, so what was asked
   * counts too. A license or another resource whose name has "gpu" in it is none.
   */
  private static boolean hasGpus(Map<String, String> told) {
    return told.entrySet().stream()
        .filter(each -> each.getKey().startsWith("tres_") || each.getKey().equals("gres_detail"))
        .flatMap(each -> BETWEEN_SHARES.splitAsStream(each.getValue()))
        .map(String::strip)
        .anyMatch(share -> GPUS.matcher(share).matches() && !NONE.matcher(share).matches());
  }

  private static void errors(JsonParser json) throws IOException {
    while (json.nextToken() != JsonToken.END_ARRAY) {
      if (json.currentToken() == null) {
        return;
      }
      if (json.currentToken() == JsonToken.START_OBJECT) {
        StringBuilder all = new StringBuilder();
        while (json.nextToken() == JsonToken.FIELD_NAME) {
          String field = json.currentName();
          all.append(' ').append(field).append('=').append(value(json));
        }
        throw new IOException("Slurm reports an error:" + all);
      }
      json.skipChildren();
    }
  }

  /** The fields of a job that count. */
  private static Map<String, String> object(JsonParser json) throws IOException {
    Map<String, String> told = new HashMap<>();
    while (json.nextToken() == JsonToken.FIELD_NAME) {
      String field = json.currentName();
      if (FIELDS.contains(field)) {
        told.put(field, value(json));
      } else {
        json.nextToken();
        json.skipChildren();
      }
    }
    if (json.currentToken() != JsonToken.END_OBJECT) {
      throw new IOException("it ends within a job");
    }
    return told;
  }

  /** The next value as text; empty if it is not set. */
  private static String value(JsonParser json) throws IOException {
    return switch (json.nextToken()) {
      case VALUE_STRING, VALUE_NUMBER_INT -> text(json.getText());
      case START_ARRAY -> list(json);
      case START_OBJECT -> number(json);
      case null -> throw new IOException("it ends within a value");
      default -> "";
    };
  }

  private static String list(JsonParser json) throws IOException {
    StringBuilder all = new StringBuilder();
    while (json.nextToken() != JsonToken.END_ARRAY) {
      if (json.currentToken() == null) {
        throw new IOException("it ends within a list");
      }
      if (json.currentToken() == JsonToken.VALUE_STRING && all.length() < MAX_TEXT) {
        all.append(all.isEmpty() ? "" : ",").append(json.getText());
      } else {
        json.skipChildren();
      }
    }
    return text(all.toString());
  }

  private static String number(JsonParser json) throws IOException {
    String number = "";
    boolean isSet = true;
    while (json.nextToken() == JsonToken.FIELD_NAME) {
      String field = json.currentName();
      JsonToken value = json.nextToken();
      if (field.equals("number") && value == JsonToken.VALUE_NUMBER_INT) {
        number = json.getText();
      } else if (field.equals("set")) {
        isSet = value != JsonToken.VALUE_FALSE;
      }
      json.skipChildren();
    }
    return isSet ? number : "";
  }

  /** Without what a label may not have. */
  private static String text(String from) {
    String cut = from.length() <= MAX_TEXT ? from : from.substring(0, MAX_TEXT);
    boolean isClean =
        cut.codePoints()
            .noneMatch(
                c -> Character.isISOControl(c) || Character.getType(c) == Character.SURROGATE);
    return isClean ? cut.strip() : cut.replaceAll("[\\p{Cntrl}\\p{Cs}]", "?").strip();
  }
}
