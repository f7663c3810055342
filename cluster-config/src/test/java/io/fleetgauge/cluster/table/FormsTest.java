package io.fleetgauge.cluster.table;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fleetgauge.cluster.table.Holders.Admission;
import io.fleetgauge.cluster.table.Holders.Stay;
import io.fleetgauge.cluster.table.Membership.Standing;
import io.fleetgauge.cluster.table.Membership.Start;
import io.fleetgauge.cluster.table.Membership.Stated;
import io.fleetgauge.cluster.table.Situation.Registered;
import io.fleetgauge.cluster.table.Situation.Report;
import io.fleetgauge.cluster.table.TableForm.Shared;
import io.fleetgauge.sample.wire.WireException;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

/** What members share and keep: golden bytes, and any other bytes. */
class FormsTest {
  private static final OwnershipTable TABLE = table();
  private static final Report REPORT = new Report("g1", 300, Set.of("g3"), Set.of("g2@7"), true);

  private static final String TABLE_BYTES =
      "01" // version
          + "0807060504030201" // generation
          + "ac02" // epoch 300
          + "02"
          + "026731"
          + "0000000000000000" // member g1, of which no start is known
          + "026732"
          + "0500000000000000" // member g2, start 5
          + "01"
          + "0161" // one host, a
          + "026731"
          + "07" // owner g1 since 7
          + "01"
          + "026733" // behind g3
          + "026732" // next g2
          + "01"
          + "026732"
          + "09"
          + "01" // a copy on g2 since 9, synced
          + "01" // expiring
          + "0172"
          + "ac02" // admitted by tenant r at 300
          + "01"
          + "0162"
          + "ac02"; // b was removed at 300

  private static final String REPORT_BYTES =
      "01" // version
          + "026731"
          + "ac02" // owner g1 since 300
          + "01"
          + "026733" // behind g3
          + "01"
          + "0467324037" // synced g2@7
          + "01"; // idle

  private static final Registered HOST = new Registered(new Admission("r", 300), true);

  private static final String HOST_BYTES =
      "01" // version
          + "0172"
          + "ac02" // admitted by tenant r at 300
          + "01"; // removed

  /** Where the table says whether the copy is synced. */
  private static final int SYNCED_AT = TABLE_BYTES.length() / 2 - 11;

  private static OwnershipTable table() {
    TreeMap<String, Holders> holders = new TreeMap<>();
    holders.put(
        "a",
        new Holders(
            "g1",
            7,
            Set.of("g3"),
            List.of(new Holders.Copy("g2", 9, true)),
            Optional.of("g2"),
            Stay.EXPIRING,
            new Admission("r", 300)));
    return new OwnershipTable(
        0x0102030405060708L,
        300,
        List.of("g1", "g2"),
        new TreeMap<>(Map.of("g2", 5L)),
        holders,
        new TreeMap<>(Map.of("b", 300L)));
  }

  @Test
  void aTableHasTheBytesThatAreDrawn() throws WireException {
    assertThat(HexFormat.of().formatHex(TableForm.toBytes(TABLE))).isEqualTo(TABLE_BYTES);
    assertThat(TableForm.fromBytes(HexFormat.of().parseHex(TABLE_BYTES))).isEqualTo(TABLE);
  }

  @Test
  void aReportHasTheBytesThatAreDrawn() throws WireException {
    assertThat(HexFormat.of().formatHex(ReportForm.toBytes(REPORT))).isEqualTo(REPORT_BYTES);
    assertThat(ReportForm.fromBytes(HexFormat.of().parseHex(REPORT_BYTES))).isEqualTo(REPORT);
  }

  @Test
  void aHostHasTheBytesThatAreDrawn() throws WireException {
    assertThat(HexFormat.of().formatHex(HostForm.toBytes(HOST))).isEqualTo(HOST_BYTES);
    assertThat(HostForm.fromBytes(HexFormat.of().parseHex(HOST_BYTES))).isEqualTo(HOST);
    for (String wrong : List.of("", "02000000", "01000002", "01000000" + "00", "0100")) {
      assertThatThrownBy(() -> HostForm.fromBytes(HexFormat.of().parseHex(wrong)))
          .isInstanceOf(WireException.class);
    }
  }

  @Test
  void aStatusHasTheBytesThatAreDrawn() throws WireException {
    Stated stated = new Stated(Standing.ACTIVE, 0x0102030405060708L, new Start(3, 4, 300));
    String bytes =
        "01" + "01" + "0807060504030201" + "0300000000000000" + "0400000000000000" + "ac02";
    assertThat(HexFormat.of().formatHex(StatusForm.toBytes(stated))).isEqualTo(bytes);
    assertThat(StatusForm.fromBytes(HexFormat.of().parseHex(bytes))).isEqualTo(stated);
    for (String wrong :
        List.of(
            "",
            bytes.replaceFirst("01", "02"),
            "0103" + bytes.substring(4),
            bytes + "00",
            "0101")) {
      assertThatThrownBy(() -> StatusForm.fromBytes(HexFormat.of().parseHex(wrong)))
          .isInstanceOf(WireException.class);
    }
  }

  @Test
  void aNewerVersionIsNamed() {
    byte[] table = TableForm.toBytes(TABLE);
    table[0] = 7;
    assertThat(TableForm.shared(table)).isEqualTo(new Shared.Newer(7));
    byte[] report = ReportForm.toBytes(REPORT);
    report[0] = 3;
    assertThatThrownBy(() -> ReportForm.fromBytes(report))
        .isInstanceOf(WireException.class)
        .hasMessage("a report of format version 3, this program reads 1");
  }

  @Test
  void anOlderVersionIsDamageThatSaysSo() {
    byte[] table = TableForm.toBytes(TABLE);
    table[0] = 0;
    assertThat(TableForm.shared(table))
        .isEqualTo(new Shared.Damaged("a table of format version 0, this program reads 1"));
  }

  @Test
  void whatTheRegistryHoldsIsNothingATableOrDamaged() {
    assertThat(TableForm.shared(null)).isEqualTo(new Shared.Nothing());
    assertThat(TableForm.shared(TableForm.toBytes(TABLE))).isEqualTo(new Shared.Table(TABLE));
    assertThat(TableForm.shared(new byte[0])).isInstanceOf(Shared.Damaged.class);
    byte[] flag = TableForm.toBytes(TABLE);
    flag[SYNCED_AT] = 2;
    assertThat(TableForm.shared(flag)).isInstanceOf(Shared.Damaged.class);
    byte[] stay = TableForm.toBytes(TABLE);
    stay[SYNCED_AT + 1] = 3;
    assertThat(TableForm.shared(stay)).isInstanceOf(Shared.Damaged.class);
  }

  @Test
  void bytesBehindATableOrAReportAreDamage() {
    byte[] table = HexFormat.of().parseHex(TABLE_BYTES + "00");
    assertThat(TableForm.shared(table)).isInstanceOf(Shared.Damaged.class);
    byte[] report = HexFormat.of().parseHex(REPORT_BYTES + "00");
    assertThatThrownBy(() -> ReportForm.fromBytes(report)).isInstanceOf(WireException.class);
    byte[] idle = ReportForm.toBytes(REPORT);
    idle[idle.length - 1] = 2;
    assertThatThrownBy(() -> ReportForm.fromBytes(idle)).isInstanceOf(WireException.class);
  }

  @Test
  void aCopyThatIsNotSyncedIsReadAsOneThatIsNot() throws WireException {
    byte[] bytes = HexFormat.of().parseHex(TABLE_BYTES);
    bytes[SYNCED_AT] = 0;
    Holders holders = TableForm.fromBytes(bytes).holders("a").orElseThrow();
    assertThat(holders.copies()).containsExactly(new Holders.Copy("g2", 9, false));
  }

  @Test
  void noBytesMakeAFormThrowAnythingElse() {
    SplittableRandom random = new SplittableRandom(7);
    for (int round = 0; round < 20_000; round++) {
      byte[] table = TableForm.toBytes(TABLE);
      byte[] report = ReportForm.toBytes(REPORT);
      table[random.nextInt(table.length)] = (byte) random.nextInt();
      report[random.nextInt(report.length)] = (byte) random.nextInt();
      assertThat(TableForm.shared(table)).isNotNull();
      try {
        ReportForm.fromBytes(report);
      } catch (WireException e) {
        assertThat(e.getMessage()).isNotBlank();
      }
    }
  }
}
