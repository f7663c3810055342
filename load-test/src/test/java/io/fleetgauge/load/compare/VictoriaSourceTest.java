package io.fleetgauge.load.compare;

import static org.assertj.core.api.Assertions.assertThat;

import io.fleetgauge.load.fleet.LocalPorts;
import io.fleetgauge.load.fleet.PeerProcess;
import io.fleetgauge.load.fleet.PeerPrograms;
import io.fleetgauge.query.config.SourceSettings;
import io.fleetgauge.sample.Tick;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * As {@link SourcesComparisonTest} with a real VictoriaMetrics, which has no remote read. Metrics
 * are left out that it does not keep as they are: those with infinities, NaN and more than fifteen
 * digits.
 */
class VictoriaSourceTest {
  private static final long SEED = 20_261_130;
  private static final int COUNT = 400;
  private static final Pattern NOT_KEPT =
      Pattern.compile("odd_|resets_|POWER|large_|tiny|huge|strange|__name__");

  @Test
  void randomQuestionsAreAnsweredAsOnePrometheusWithAllSamplesAnswersThem(@TempDir Path folder)
      throws Exception {
    Map<String, List<Tick>> all = ComparedSamples.ticksByHost();
    try (VictoriaServer store =
        new VictoriaServer(Files.createDirectories(folder.resolve("store")))) {
      SideBySide.fill(store::write, SplitSamples.older(all));
      store.flush();
      SourceSettings source =
          SourceSettings.at(
                  "old",
                  store.address(),
                  SourceSettings.Kind.VICTORIAMETRICS,
                  SourceSettings.Holds.OLDER)
              .withOwnerLabels();
      try (SideBySide both =
          new SideBySide(
              Files.createDirectories(folder.resolve("all")),
              all,
              SplitSamples.newer(all),
              ComparedSamples.START + ComparedSamples.LENGTH,
              Set.of(),
              List.of(source))) {
        List<String> differences = new ArrayList<>();
        int asked = 0;
        for (int i = 0; asked < COUNT; i++) {
          QueryGenerator.Question question = QueryGenerator.question(SEED, i, false);
          if (!NOT_KEPT.matcher(question.parameters().get("query")).find()) {
            asked++;
            both.comparison()
                .difference(question.path(), question.parameters())
                .ifPresent(what -> differences.add(question + ": " + what));
          }
        }
        assertThat(differences).isEmpty();
      }
    }
  }

  /** A real VictoriaMetrics on loopback. */
  private static final class VictoriaServer implements AutoCloseable {
    private final PeerProcess process;

    /**
     * @param folder for its data and its log
     */
    VictoriaServer(Path folder) throws IOException, InterruptedException {
      Path home = folder.toAbsolutePath();
      int port = LocalPorts.free(1).getFirst();
      process =
          new PeerProcess(
              List.of(
                  PeerPrograms.program("victoria-metrics").toString(),
                  "-storageDataPath=" + home.resolve("data"),
                  "-httpListenAddr=127.0.0.1:" + port,
                  "-retentionPeriod=100y"),
              home,
              home.resolve("victoria.log"),
              URI.create("http://127.0.0.1:" + port),
              "/health");
    }

    URI address() {
      return process.address();
    }

    void write(List<Tick> ticks) throws IOException, InterruptedException {
      PrometheusServer.write(process, ticks);
    }

    /** Makes what was written visible. */
    void flush() throws IOException, InterruptedException {
      process.get("/internal/force_flush");
    }

    @Override
    public void close() {
      process.close();
    }
  }
}
