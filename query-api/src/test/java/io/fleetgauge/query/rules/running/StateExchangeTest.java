package io.fleetgauge.query.rules.running;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fleetgauge.query.rules.definition.RuleGroup;
import io.fleetgauge.query.rules.evaluation.GroupState;
import io.fleetgauge.sample.wire.WireException;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;

class StateExchangeTest {
  private static final GroupState STATE =
      new GroupState(new RuleGroup.Id("", "f", "g"), 5, "d", List.of(), List.of());

  @Test
  void keysAndStatesReadBackAndNothingMayFollow() throws WireException {
    assertThat(StateExchange.keys(StateExchange.bytesOf(List.of(5L, -1L))))
        .containsExactly(5L, -1L);
    assertThat(StateExchange.keys(StateExchange.bytesOf(List.of()))).isEmpty();
    assertThat(StateExchange.states(StateExchange.bytes(List.of(STATE, STATE))))
        .containsExactly(STATE, STATE);
    for (byte[] whole :
        List.of(StateExchange.bytesOf(List.of(5L)), StateExchange.bytes(List.of(STATE)))) {
      byte[] longer = Arrays.copyOf(whole, whole.length + 1);
      assertThatThrownBy(() -> StateExchange.keys(longer)).isInstanceOf(WireException.class);
      assertThatThrownBy(() -> StateExchange.states(longer)).isInstanceOf(WireException.class);
    }
  }
}
