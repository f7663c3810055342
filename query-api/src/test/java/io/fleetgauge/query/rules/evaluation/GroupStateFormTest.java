package io.fleetgauge.query.rules.evaluation;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fleetgauge.query.rules.definition.RuleGroup;
import io.fleetgauge.sample.Labels;
import io.fleetgauge.sample.wire.WireException;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Random;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

class GroupStateFormTest {
  private static final GroupState STATE =
      new GroupState(
          new RuleGroup.Id("t", "f", "g"),
          5,
          "d",
          List.of("n1"),
          List.of(
              new RuleState(
                  "A{}",
                  RuleState.Health.ERR,
                  "e",
                  4,
                  3,
                  List.of(
                      new AlertInstance(
                          Labels.of("a", "b"),
                          new TreeMap<>(java.util.Map.of("s", "x")),
                          AlertInstance.State.FIRING,
                          1.5,
                          1,
                          2,
                          3,
                          4,
                          5)),
                  List.of(Labels.of("__name__", "m")))),
          List.of(Labels.of("c", "d")));

  private static final String BYTES =
      "46475253" // FGRS
          + "01" // version
          + "0174" // tenant
          + "0166" // file
          + "0167" // name
          + "0a" // slot
          + "0164" // definition
          + "01026e31" // missing
          + "010101630164" // ending
          + "01" // rules
          + "03417b7d" // rule
          + "02" // health
          + "0165" // error
          + "08" // evaluated
          + "03" // nanos
          + "01" // alerts
          + "0101610162" // labels
          + "0101730178" // annotations
          + "02" // state
          + "000000000000f83f" // value
          + "0204060" // activeAt, firedAt, resolvedAt ...
          + "80a" // keepFiringSince, lastSentAt
          + "0101085f5f6e616d655f5f016d"; // series

  @Test
  void theBytesAreThoseOfTheDrawing() {
    assertThat(HexFormat.of().formatHex(GroupStateForm.toBytes(STATE))).isEqualTo(BYTES);
  }

  @Test
  void whatIsReadIsWhatWasWritten() throws WireException {
    assertThat(GroupStateForm.read(GroupStateForm.toBytes(STATE))).isEqualTo(STATE);
  }

  @Test
  void anotherVersionIsRefused() {
    byte[] bytes = GroupStateForm.toBytes(STATE);
    bytes[4] = 2;

    assertThatThrownBy(() -> GroupStateForm.read(bytes))
        .isInstanceOf(WireException.class)
        .hasMessage("the state of a rule group has version 2, known is 1");
  }

  @Test
  void damagedBytesAreRefusedOrAreAState() {
    byte[] whole = GroupStateForm.toBytes(STATE);
    Random random = new Random(7);
    for (int i = 0; i < 20_000; i++) {
      byte[] damaged = Arrays.copyOf(whole, 1 + random.nextInt(whole.length));
      damaged[random.nextInt(damaged.length)] = (byte) random.nextInt();
      try {
        assertThat(GroupStateForm.read(damaged)).isNotNull();
      } catch (WireException e) {
        assertThat(e).hasMessageNotContaining("null");
      }
    }
  }
}
