package io.fleetgauge.query.answer;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import io.fleetgauge.promql.query.Answer;
import io.fleetgauge.query.admission.Cost;
import io.fleetgauge.query.cache.CachedBody;
import io.fleetgauge.query.config.QueryConfig;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;

class QueryLogTest {
  private static final Ask<Evaluated> QUERY = TestQuerier.instant(TestQuerier.RACK_0, "sum(power)");
  private static final Ask<List<String>> LOOKUP =
      Ask.of(TestQuerier.ROOT, new Request.LabelValues("rack", SeriesFilter.ALL), 1_000);

  private final ListAppender<ILoggingEvent> lines = new ListAppender<>();
  private final Logger logger = (Logger) LoggerFactory.getLogger(QueryLog.class);
  private QueryLog log;

  @BeforeEach
  void listen() throws Exception {
    log = new QueryLog(QueryConfig.read("test", "query:\n  slowWarn: 3s\n  slowError: 5s\n"));
    lines.start();
    logger.addAppender(lines);
  }

  @AfterEach
  void stop() {
    logger.detachAppender(lines);
  }

  private static Reply<Evaluated> reply() {
    QueryTrace trace =
        new QueryTrace(
            "merge sum(power)\n", Map.of(), new Cost(12, 240, 24), 0, 0, 0, 1, List.of());
    return new Reply<>(
        new Evaluated(
            new Answer.Scalar(0, 0),
            List.of(),
            new Answer.Stats(0, 0),
            new Evaluated.Timings(0, 0, 0),
            trace,
            new CachedBody()),
        List.of(),
        new Completeness(1, List.of(), false, 1, 0, List.of()));
  }

  private String line() {
    return lines.list.getLast().getLevel() + " " + lines.list.getLast().getFormattedMessage();
  }

  @Test
  void aSlowQueryIsLoggedWithItsTenantCostTextAndPlan() {
    log.ended(QUERY, 2_999, reply(), null);
    assertThat(lines.list).isEmpty();
    log.ended(QUERY, 3_000, reply(), null);
    assertThat(line())
        .isEqualTo(
            "WARN slow query, 3000 ms, tenant a, cost 12 series, 240 samples, work 24: sum(power);"
                + " plan: merge sum(power)");
    log.ended(QUERY, 4_999, reply(), null);
    assertThat(lines.list.getLast().getLevel()).isEqualTo(Level.WARN);
    log.ended(QUERY, 5_000, null, null);
    assertThat(line())
        .isEqualTo("ERROR slow query, 5000 ms, tenant a, cost unknown: sum(power); plan: none");
  }

  @Test
  void aSlowLookupIsLoggedToo() {
    log.ended(LOOKUP, 3_500, new Reply<>(List.of(), List.of(), reply().completeness()), null);
    assertThat(line())
        .isEqualTo(
            "WARN slow query, 3500 ms, tenant root, cost unknown: values of label rack; plan:"
                + " none");
  }

  @Test
  void queriesAndLookupsAreCountedApartWithTheirTime() {
    log.ended(QUERY, 1_500, reply(), null);
    log.ended(QUERY, 500, null, null);
    log.ended(LOOKUP, 250, null, null);
    assertThat(log.queries()).isEqualTo(2);
    assertThat(log.querySeconds()).isEqualTo(2);
    assertThat(log.lookups()).isEqualTo(1);
    assertThat(log.lookupSeconds()).isEqualTo(0.25);
  }
}
