package io.fleetgauge.query.peers;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fleetgauge.sample.wire.WireException;
import java.util.Arrays;
import java.util.Collections;
import java.util.HexFormat;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

class RemoteQueryTest {
  private static final RemoteQuery QUERY = new RemoteQuery(300, "a", "up", "running", 1, 2, 3);

  @Test
  void queriesHaveTheBytesThatAreDrawnAndNothingMayFollow() throws WireException {
    byte[] bytes = RemoteQuery.toBytes(List.of(QUERY));
    assertThat(HexFormat.of().formatHex(bytes))
        .isEqualTo("01" + "ac02" + "0161" + "027570" + "0772756e6e696e67" + "010203");
    assertThat(RemoteQuery.fromBytes(bytes)).containsExactly(QUERY);
    byte[] longer = Arrays.copyOf(bytes, bytes.length + 1);
    assertThatThrownBy(() -> RemoteQuery.fromBytes(longer)).isInstanceOf(WireException.class);
  }

  @Test
  void longTextsAreCutAndTooManyQueriesLeftOut() throws WireException {
    RemoteQuery query = new RemoteQuery(1, "a", "x".repeat(5_000), "running", 0, 0, 0);
    assertThat(query.text()).hasSize(RemoteQuery.MAX_TEXT);
    List<RemoteQuery> many = Collections.nCopies(RemoteQuery.MAX_QUERIES + 1, query);
    assertThat(RemoteQuery.fromBytes(RemoteQuery.toBytes(many))).hasSize(RemoteQuery.MAX_QUERIES);
  }

  @Test
  void damagedBytesAreAnErrorOrQueriesAndNothingElse() {
    byte[] whole = RemoteQuery.toBytes(List.of(QUERY, QUERY));
    Random random = new Random(20_261_127);
    for (int i = 0; i < 5_000; i++) {
      byte[] bytes = Arrays.copyOf(whole, 1 + random.nextInt(whole.length));
      bytes[random.nextInt(bytes.length)] = (byte) random.nextInt(256);
      try {
        assertThat(RemoteQuery.fromBytes(bytes)).isNotNull();
      } catch (WireException e) {
        assertThat(e).hasMessageNotContaining("null");
      }
    }
  }
}
