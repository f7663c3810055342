package io.fleetgauge.query.report;

import static org.assertj.core.api.Assertions.assertThat;

import io.fleetgauge.promql.expr.Matcher;
import io.fleetgauge.sample.Labels;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

class ReportQueryTest {
  private static final Matcher PROD = Matcher.equal("cluster", "prod");

  @Test
  void everyMetricIsReadWithTheMatchersThatAreAskedForAndAllocationsAsSuchOnly() throws Exception {
    ReportQuery query =
        new ReportQuery(
            new Period(0, 60_500, 60_500),
            GroupKey.parse(List.of("tenant,pod")),
            List.of(PROD),
            300_000,
            10);
    Map<String, List<Matcher>> byMetric = new TreeMap<>();
    for (List<Matcher> each : query.selectors()) {
      assertThat(each.getFirst().name()).isEqualTo(Labels.NAME);
      byMetric.put(each.getFirst().value(), each.subList(1, each.size()));
    }
    assertThat(byMetric)
        .hasSize(Measure.SOURCES.size())
        .containsEntry("DCGM_FI_DEV_FB_USED", List.of(PROD))
        .containsEntry("gpu_allocated", List.of(PROD))
        .containsEntry("gpu_allocation_info", List.of(Matcher.equal("basis", "allocation"), PROD));
    assertThat(query.description())
        .as("in the log of slow queries")
        .isEqualTo(
            "report gpu-memory from 1970-01-01T00:00:00Z to 1970-01-01T00:01:00.500Z by"
                + " tenant,pod");
  }

  @Test
  void theLastIntervalIsAsLongAsThePeriodAllows() {
    Period period = new Period(100, 1_050, 300);
    assertThat(period.intervals()).isEqualTo(4);
    assertThat(period.start(3)).isEqualTo(1_000);
    assertThat(period.end(3)).isEqualTo(1_050);
    assertThat(period.end(2)).isEqualTo(1_000);
    assertThat(List.of(101L, 400L, 401L, 1_050L))
        .extracting(period::interval)
        .containsExactly(0, 0, 1, 3);
    assertThat(new Period(0, 600, 300).intervals()).isEqualTo(2);
  }
}
