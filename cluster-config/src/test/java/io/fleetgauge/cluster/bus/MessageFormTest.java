package io.fleetgauge.cluster.bus;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fleetgauge.cluster.bus.BusMessage.BudgetGrants;
import io.fleetgauge.cluster.bus.BusMessage.BudgetUse;
import io.fleetgauge.cluster.bus.BusMessage.CancelAsked;
import io.fleetgauge.cluster.bus.BusMessage.CancelTold;
import io.fleetgauge.cluster.bus.BusMessage.HeardPeer;
import io.fleetgauge.cluster.bus.BusMessage.Leaving;
import io.fleetgauge.cluster.bus.BusMessage.QueriesAsked;
import io.fleetgauge.cluster.bus.BusMessage.QueriesTold;
import io.fleetgauge.cluster.bus.BusMessage.TableChanged;
import io.fleetgauge.cluster.bus.BusMessage.TenantsChanged;
import io.fleetgauge.cluster.bus.BusMessage.UsageGrants;
import io.fleetgauge.cluster.bus.BusMessage.UsageReport;
import io.fleetgauge.cluster.bus.MessageForm.Envelope;
import io.fleetgauge.sample.wire.WireException;
import java.util.Arrays;
import java.util.Collections;
import java.util.HexFormat;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class MessageFormTest {
  private static final Peer SENDER = new Peer("n1:9090", 0x0102030405060708L, 0x1112131415161718L);

  /** Every kind, with the bytes of its message behind the envelope's head. */
  private record Golden(BusMessage message, String hex) {}

  private static final String HEAD =
      "02" // version
          + "07" // length of the name
          + "6e313a39303930" // n1:9090
          + "0807060504030201" // started
          + "1817161514131211" // life
          + "ac02" // sequence 300
          + "efcdab8967452301"; // sent

  private static List<Golden> goldens() {
    return List.of(
        new Golden(new TableChanged(65_537), "01818004"),
        new Golden(new TenantsChanged(), "02"),
        new Golden(
            new UsageReport(
                5, -2, 300, List.of(new BudgetUse("a", 9, 3, 4), new BudgetUse("", 1, 1, 1))),
            "0305feffffffffffffffac02020161090304" + "00010101"),
        new Golden(
            new UsageGrants(
                7,
                List.of(new HeardPeer(1, 2), new HeardPeer(-1, 3)),
                List.of(new BudgetGrants("a", List.of(5, 6)))),
            "040702" + "010000000000000002" + "ffffffffffffffff03" + "0101610506"),
        new Golden(new QueriesAsked(8), "0508"),
        new Golden(
            new QueriesTold(8, List.of(new RemoteQuery(300, "a", "up", "running", 1, 2, 3))),
            "060801" + "ac02" + "0161" + "027570" + "0772756e6e696e67" + "010203"),
        new Golden(new CancelAsked(1, 300, "ops"), "0701ac02036f7073"),
        new Golden(new CancelTold(1, true), "080101"),
        new Golden(new CancelTold(1, false), "080100"),
        new Golden(new Leaving(), "09"));
  }

  private static Envelope envelope(BusMessage message) {
    return new Envelope(SENDER, 300, 0x0123456789abcdefL, message);
  }

  @ParameterizedTest
  @MethodSource("goldens")
  void everyKindHasTheBytesThatAreDrawn(Golden golden) throws WireException {
    byte[] bytes = HexFormat.of().parseHex(HEAD + golden.hex());
    assertThat(MessageForm.toBytes(envelope(golden.message()))).isEqualTo(bytes);
    assertThat(MessageForm.fromBytes(bytes)).isEqualTo(envelope(golden.message()));
  }

  @ParameterizedTest
  @MethodSource("goldens")
  void aMessageThatIsCutOffOrGoesOnIsNotRead(Golden golden) {
    byte[] bytes = MessageForm.toBytes(envelope(golden.message()));
    for (int length = 0; length < bytes.length; length++) {
      byte[] cut = Arrays.copyOf(bytes, length);
      assertThatThrownBy(() -> MessageForm.fromBytes(cut)).isInstanceOf(WireException.class);
    }
    assertThatThrownBy(() -> MessageForm.fromBytes(Arrays.copyOf(bytes, bytes.length + 1)))
        .isInstanceOf(WireException.class)
        .hasMessageContaining("1 bytes are left");
  }

  @Test
  void otherVersionsAndKindsAreNotRead() {
    byte[] bytes = MessageForm.toBytes(envelope(new TenantsChanged()));
    bytes[0] = 1;
    assertThatThrownBy(() -> MessageForm.fromBytes(bytes))
        .hasMessage("a message has version 1; readable is 2");
    bytes[0] = 2;
    bytes[bytes.length - 1] = 10;
    assertThatThrownBy(() -> MessageForm.fromBytes(bytes))
        .hasMessage("a message has the unknown kind 10");
  }

  @Test
  void damagedBytesAreAnErrorOrAMessageAndNothingElse() {
    Random random = new Random(20_261_123);
    for (Golden golden : goldens()) {
      for (int i = 0; i < 2_000; i++) {
        byte[] bytes = MessageForm.toBytes(envelope(golden.message()));
        bytes[random.nextInt(bytes.length)] = (byte) random.nextInt(256);
        try {
          assertThat(MessageForm.fromBytes(bytes)).isNotNull();
        } catch (WireException e) {
          assertThat(e).hasMessageNotContaining("null");
        }
      }
    }
  }

  @Test
  void whatAMessageHoldsIsBounded() throws WireException {
    RemoteQuery query = new RemoteQuery(1, "a", "x".repeat(5_000), "running", 0, 0, 0);
    assertThat(query.text()).hasSize(RemoteQuery.MAX_TEXT);
    List<RemoteQuery> most = Collections.nCopies(MessageForm.MAX_QUERIES, query);
    byte[] longest = MessageForm.toBytes(envelope(new QueriesTold(1, most)));
    assertThat(longest.length).isLessThan(MessageSeal.MAX_BYTES);
    assertThat(MessageForm.fromBytes(longest).message()).isEqualTo(new QueriesTold(1, most));
    assertTooMany(new QueriesTold(1, Collections.nCopies(MessageForm.MAX_QUERIES + 1, query)));
    BudgetUse use = new BudgetUse("a", 1, 1, 1);
    assertTooMany(new UsageReport(1, 1, 1, Collections.nCopies(MessageForm.MAX_BUDGETS + 1, use)));
    HeardPeer peer = new HeardPeer(1, 1);
    assertTooMany(
        new UsageGrants(1, Collections.nCopies(MessageForm.MAX_PEERS + 1, peer), List.of()));
    BudgetGrants grants = new BudgetGrants("a", List.of(1));
    assertTooMany(
        new UsageGrants(
            1, List.of(peer), Collections.nCopies(MessageForm.MAX_BUDGETS + 1, grants)));
    assertThatThrownBy(
            () ->
                MessageForm.fromBytes(
                    MessageForm.toBytes(envelope(new CancelAsked(1, 1, "x".repeat(301))))))
        .hasMessage("an asker has 301 characters; at most 300");
    assertThatThrownBy(
            () ->
                MessageForm.fromBytes(
                    MessageForm.toBytes(
                        envelope(
                            new UsageReport(
                                1, 1, 1, List.of(new BudgetUse("a", 1_000_001, 1, 1)))))))
        .hasMessageContaining("a demand")
        .hasMessageContaining("0 to 1000000");
  }

  private static void assertTooMany(BusMessage message) {
    assertThatThrownBy(() -> MessageForm.fromBytes(MessageForm.toBytes(envelope(message))))
        .isInstanceOf(WireException.class)
        .hasMessageContaining("at most");
  }
}
