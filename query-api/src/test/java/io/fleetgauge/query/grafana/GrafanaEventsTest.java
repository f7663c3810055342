package io.fleetgauge.query.grafana;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assertions.assertTimeoutPreemptively;

import io.fleetgauge.promql.query.Answer;
import io.fleetgauge.promql.query.QueryFailure;
import io.fleetgauge.sample.Labels;
import io.fleetgauge.sample.Series;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class GrafanaEventsTest {
  private static final String XIDS = "DCGM_FI_DEV_XID_ERRORS";

  @Test
  void aKindOfEventIsNamedWithOrWithoutAHash() throws QueryFailure {
    for (String wanted : new String[] {"xid", "#xid", " #xid ", "#XID"}) {
      assertThat(GrafanaEvents.queries(wanted))
          .as(wanted)
          .isEqualTo(Map.of(GrafanaEvents.Kind.XID, XIDS));
    }
    assertThat(GrafanaEvents.queries("#xid{rack=\"r0\",gpu=~\"1|2\"}, #host{rack=\"r0\"}"))
        .containsEntry(GrafanaEvents.Kind.XID, XIDS + "{rack=\"r0\",gpu=~\"1|2\"}")
        .hasEntrySatisfying(
            GrafanaEvents.Kind.HOST, query -> assertThat(query).contains(",rack=\"r0\"})"))
        .hasSize(2);
  }

  @Test
  void withoutANameAllKindsAreMeant() throws QueryFailure {
    assertThat(GrafanaEvents.queries(" ")).containsOnlyKeys(GrafanaEvents.Kind.values());
  }

  @ParameterizedTest
  @ValueSource(strings = {"earthquake", "#", "##xid", "xid{", "xid{rack=}", "xid{} or up", "host}"})
  void anUnknownKindOfEventIsAnError(String wanted) {
    assertThatThrownBy(() -> GrafanaEvents.queries(wanted))
        .isInstanceOf(QueryFailure.class)
        .hasMessageContaining("xid{rack=\"r0\"}");
  }

  @Test
  void aCommaInAMatcherEndsNoKind() throws QueryFailure {
    assertThat(
            GrafanaEvents.queries(
                "xid{a=\"},\\\"{,\",b='},',c=`},\\`}, throttle{d=\"1,2\"} ,host,"))
        .containsEntry(GrafanaEvents.Kind.XID, XIDS + "{a=\"},\\\"{,\",b='},',c=`},\\`}")
        .containsEntry(GrafanaEvents.Kind.THROTTLE, "DCGM_FI_DEV_CLOCK_THROTTLE_REASONS{d=\"1,2\"}")
        .containsKey(GrafanaEvents.Kind.HOST)
        .hasSize(3);
  }

  @Test
  void aTextOfManyCommasIsReadInOnePass() {
    String commas = "xid" + ",".repeat(2_000_000);
    assertTimeoutPreemptively(
        Duration.ofMinutes(2),
        () ->
            assertThatThrownBy(() -> GrafanaEvents.queries(commas + "x"))
                .isInstanceOf(QueryFailure.class));
  }

  // --- events of series ---

  private static final long STEP = 15_000;

  private static List<GrafanaEvents.Event> events(
      GrafanaEvents.Kind kind, long end, long[] steps, double... values) {
    long[] times = LongStream.of(steps).map(step -> step * STEP).toArray();
    Labels labels = Labels.of("Hostname", "n1", "gpu", "3", "rack", "r0");
    Answer.Result matrix = new Answer.Matrix(List.of(new Series(labels, times, values)));
    return GrafanaEvents.of(kind, matrix, end * STEP, STEP);
  }

  private static List<String> times(List<GrafanaEvents.Event> events) {
    return events.stream().map(e -> e.start() / STEP + "-" + e.end() / STEP).toList();
  }

  private static long[] steps(long from, long to) {
    return LongStream.rangeClosed(from, to).toArray();
  }

  @Test
  void anXidIsAnEventWhenItDiffersFromTheOneBeforeAndIsNotZero() {
    List<GrafanaEvents.Event> events =
        events(GrafanaEvents.Kind.XID, 9, steps(0, 6), 31, 31, 79, 79, 0, 79, 48);
    assertThat(times(events)).containsExactly("2-2", "5-5", "6-6");
    assertThat(events.getFirst().text()).isEqualTo("XID 79 on n1, GPU 3");
    assertThat(events(GrafanaEvents.Kind.XID, 9, new long[0])).isEmpty();
  }

  @Test
  void throttlingLastsFromItsFirstToItsLastStepUnlessItIsHarmless() {
    List<GrafanaEvents.Event> events =
        events(GrafanaEvents.Kind.THROTTLE, 9, steps(0, 6), 0x1, 0x40, 0x48, 0x103, 0x8, 0x8, 0);
    assertThat(times(events)).containsExactly("1-2", "4-5");
    assertThat(events.getFirst().text()).isEqualTo("throttle reasons 0x40 on n1, GPU 3");
    assertThat(times(events(GrafanaEvents.Kind.THROTTLE, 9, steps(3, 4), 8, 8)))
        .containsExactly("3-4");
  }

  @Test
  void throttlingEndsWhereStepsAreMissing() {
    assertThat(times(events(GrafanaEvents.Kind.THROTTLE, 9, new long[] {1, 2, 5, 6}, 8, 8, 8, 8)))
        .containsExactly("1-2", "5-6");
  }

  @Test
  void aHostIsSilentFromItsLastStepToTheNextOrToTheEnd() {
    List<GrafanaEvents.Event> events =
        events(GrafanaEvents.Kind.HOST, 9, new long[] {0, 1, 4, 5}, 1, 1, 1, 1);
    assertThat(times(events)).containsExactly("1-4", "5-9");
    assertThat(events.getFirst().text()).isEqualTo("no data from n1, GPU 3");
    assertThat(events(GrafanaEvents.Kind.HOST, 5, steps(0, 5), 1, 1, 1, 1, 1, 1)).isEmpty();
  }

  @Test
  void aFaultLastsWhileItIsOpen() {
    List<GrafanaEvents.Event> events =
        events(GrafanaEvents.Kind.FAULT, 9, new long[] {1, 2, 3, 6}, 1, 1, 1, 1);
    assertThat(times(events)).containsExactly("1-3", "6-6");
    assertThat(events.getFirst().text()).isEqualTo("fault on n1, GPU 3");
  }

  @Test
  void eventsHaveNoPlaceInAnswersWithoutSteps() {
    assertThat(GrafanaEvents.of(GrafanaEvents.Kind.XID, new Answer.Scalar(0, 1), 1, 1)).isEmpty();
  }
}
