package io.fleetgauge.load.compare;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;

/** Questions made at random, and those that once were answered differently. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class RandomQueriesTest {
  private static final long SEED = 20_261_121;
  private static final int COUNT = 2_000;

  private SideBySide both;

  @BeforeAll
  void giveBothTheSameSamples(@TempDir Path folder) throws Exception {
    both =
        new SideBySide(
            folder,
            ComparedSamples.ticksByHost(),
            ComparedSamples.START + ComparedSamples.LENGTH,
            FuzzCommand.FEATURES);
  }

  @AfterAll
  void stop() {
    if (both != null) {
      both.close();
    }
  }

  @Test
  void randomQuestionsAreAnsweredAsPrometheusAnswersThem() throws Exception {
    List<String> differences = new ArrayList<>();
    for (int i = 0; i < COUNT; i++) {
      QueryGenerator.Question question = QueryGenerator.question(SEED, i, true);
      both.comparison()
          .difference(question.path(), question.parameters())
          .ifPresent(what -> differences.add(question + ": " + what));
    }
    assertThat(differences).isEmpty();
  }

  @Test
  void whatOnceWasAnsweredDifferentlyNoLongerIs() throws Exception {
    Path root = Path.of(System.getProperty("fleetgauge.root"));
    List<String> lines =
        Files.readAllLines(root.resolve("load-test/src/test/queries/once-different.txt"));
    List<String> differences = new ArrayList<>();
    for (String line : lines) {
      if (line.startsWith("#") || line.isBlank()) {
        continue;
      }
      boolean instant = line.startsWith("instant ");
      String[] parts = line.split(" ", instant ? 3 : 5);
      Map<String, String> question = new LinkedHashMap<>();
      question.put("query", parts[parts.length - 1]);
      if (instant) {
        question.put("time", parts[1]);
      } else {
        question.putAll(Map.of("start", parts[1], "end", parts[2], "step", parts[3]));
      }
      both.comparison()
          .difference(instant ? "/api/v1/query" : "/api/v1/query_range", question)
          .ifPresent(what -> differences.add(line + ": " + what));
    }
    assertThat(lines).hasSizeGreaterThan(20);
    assertThat(differences).isEmpty();
  }

  @Test
  void mostRandomQuestionsHaveAnAnswer() throws Exception {
    int answered = 0;
    int failed = 0;
    for (int i = 0; i < 200; i++) {
      QueryGenerator.Question question = QueryGenerator.question(SEED, i, true);
      JsonNode answer = both.comparison().reference(question.path(), question.parameters());
      answered += answer.path("data").path("result").isEmpty() ? 0 : 1;
      failed += answer.path("status").asText().equals("error") ? 1 : 0;
      assertThat(answer.path("errorType").asText())
          .as(question.toString())
          .isNotEqualTo("bad_data");
    }
    assertThat(answered).isGreaterThan(100);
    assertThat(failed).isLessThan(60);
  }
}
