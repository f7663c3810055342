package io.fleetgauge.query.answer;

import static io.fleetgauge.query.answer.TestQuerier.END;
import static io.fleetgauge.query.answer.TestQuerier.ROOT;
import static io.fleetgauge.query.answer.TestQuerier.START;
import static io.fleetgauge.query.answer.TestQuerier.instant;
import static io.fleetgauge.query.answer.TestQuerier.range;
import static org.assertj.core.api.Assertions.assertThat;

import io.fleetgauge.promql.query.Answer;
import io.fleetgauge.sample.Labels;
import io.vertx.core.Vertx;
import io.vertx.junit5.VertxExtension;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** The memory of kept answers is counted, and bounded by {@code query.cache}. */
@ExtendWith(VertxExtension.class)
class CacheMemoryTest {
  private TestQuerier test;

  @BeforeEach
  void start(Vertx vertx) throws Exception {
    test = new TestQuerier(vertx);
    // The shards say where they are, so that what is read afterwards is kept.
    test.value(ROOT, "count(power)");
  }

  @Test
  void keptAnswersAreCountedByTheirPointsLabelsAndTexts() throws Exception {
    // The caches count in the background. The first answer is one sample.
    long kept = 500 + 20 * 56 + texts(instant(ROOT, "count(power)"));
    awaitRecentBytes(kept);
    kept += 500 + 12 * 20 * 56 + texts(instant(ROOT, "power")); // 12 series
    awaitRecentBytes(kept);
    // Two series of 200 points.
    kept += 500 + 2 * (20 + 200) * 56 + texts(range(ROOT, "sum by (rack) (power)", START, END));
    awaitRecentBytes(kept);
    assertThat(test.metrics().get("query_extent_bytes")).isGreaterThan(2 * 200 * 16);
    String literal = "a".repeat(10_000);
    kept += 500 + 56 + 4 * literal.length() + texts(instant(ROOT, "'" + literal + "'"));
    awaitRecentBytes(kept);
    Ask<Evaluated> labelled = instant(ROOT, "label_replace(power, 'a', '" + literal + "', '', '')");
    kept += 500 + texts(labelled);
    for (Answer.Sample each : ((Answer.Vector) test.expected(labelled).result()).samples()) {
      Labels labels = each.labels();
      for (int i = 0; i < labels.size(); i++) {
        kept += 4 * (labels.name(i).length() + labels.value(i).length());
      }
    }
    awaitRecentBytes(kept);
  }

  /** Bytes of the text of a query, and of those of its answer. */
  private long texts(Ask<Evaluated> ask) throws Exception {
    QueryTrace trace = test.answer(ask).value().trace();
    long length = ask.caller().tenant().length() + ask.request().description().length();
    length += trace.plan().length();
    for (String reason : trace.reasons().keySet()) {
      length += reason.length() + trace.reasons().get(reason).length();
    }
    return 2 * length;
  }

  private void awaitRecentBytes(long bytes) {
    Awaitility.await().until(() -> test.metrics().get("query_recent_bytes") == bytes);
  }

  @Test
  void keptAnswersHaveAQuarterOfTheMemoryForCaches(Vertx vertx) throws Exception {
    test = new TestQuerier(vertx, "query:\n  cache: 1MiB\n  maxParallel: 20\n");
    for (int i = 0; i < 60; i++) {
      test.answer(instant(ROOT, "power + " + i)); // nearly 14 KB each
    }
    Awaitility.await().until(() -> test.metrics().get("query_recent_bytes") <= 256 << 10);
    assertThat(test.metrics().get("query_recent_bytes")).isGreaterThan(200 << 10);
  }
}
