package io.fleetgauge.load.compare;

import static org.assertj.core.api.Assertions.assertThat;

import io.fleetgauge.query.config.SourceSettings;
import io.fleetgauge.sample.Tick;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;

/**
 * Half of the samples in gateways, the other half in a real Prometheus that they read through: the
 * answers are those of one Prometheus that has all of them. Each host has another seam; one host is
 * only here, one only there; of the samples after the seams the store has copies, and others that
 * are wrong.
 */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class SourcesComparisonTest {
  private static final long SEED = 20_261_128;
  private static final int COUNT = 1_000;

  private PrometheusServer store;
  private SideBySide both;

  @BeforeAll
  void giveEachItsHalf(@TempDir Path folder) throws Exception {
    Map<String, List<Tick>> all = ComparedSamples.ticksByHost();
    store = new PrometheusServer(Files.createDirectories(folder.resolve("store")), Set.of());
    SideBySide.fill(store::write, SplitSamples.older(all));
    both =
        new SideBySide(
            Files.createDirectories(folder.resolve("all")),
            all,
            SplitSamples.newer(all),
            ComparedSamples.START + ComparedSamples.LENGTH,
            FuzzCommand.FEATURES,
            List.of(
                SourceSettings.at(
                        "old",
                        store.address(),
                        SourceSettings.Kind.PROMETHEUS,
                        SourceSettings.Holds.OLDER)
                    .withOwnerLabels()
                    .withPushDown()));
  }

  @AfterAll
  void stop() {
    if (both != null) {
      both.close();
    }
    if (store != null) {
      store.close();
    }
  }

  @Test
  void randomQuestionsAreAnsweredAsOnePrometheusWithAllSamplesAnswersThem() throws Exception {
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
  void labelsAndSeriesAreThoseOfBoth() throws Exception {
    List<String> differences = new ArrayList<>();
    for (String path :
        List.of(
            "/api/v1/labels",
            "/api/v1/label/__name__/values",
            "/api/v1/label/Hostname/values",
            "/api/v1/label/job/values",
            "/api/v1/series")) {
      for (String selector : List.of("{rack=~\"r.*\"}", "requests_total", "gpu_job", "nosuch")) {
        both.comparison()
            .difference(path, Map.of("match[]", selector))
            .ifPresent(what -> differences.add(path + " " + selector + ": " + what));
      }
    }
    assertThat(differences).isEmpty();
  }
}
