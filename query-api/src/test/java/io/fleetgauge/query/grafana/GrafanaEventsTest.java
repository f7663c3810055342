package io.fleetgauge.query.grafana;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fleetgauge.promql.query.QueryFailure;
import java.util.Map;
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
  void whatIsNoKindOfEventIsRefused(String wanted) {
    assertThatThrownBy(() -> GrafanaEvents.queries(wanted))
        .isInstanceOf(QueryFailure.class)
        .hasMessageContaining("xid{rack=\"r0\"}");
  }
}
