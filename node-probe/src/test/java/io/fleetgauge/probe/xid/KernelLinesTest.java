package io.fleetgauge.probe.xid;

import static org.assertj.core.api.Assertions.assertThat;

import io.fleetgauge.probe.xid.KernelLines.Kind;
import java.util.List;
import org.junit.jupiter.api.Test;

class KernelLinesTest {
  private static final String GPU = "00000000:3B:00.0";

  private final KernelLines lines = new KernelLines();
  private long now = 1_700_000_000_000L;

  private void see(int code, String text) {
    lines.see(Kind.XID, GPU, code, text, now, now);
  }

  private List<String> seen() {
    return lines.all(now).stream().map(each -> each.line().text() + " " + each.count()).toList();
  }

  @Test
  void aLineIsCountedAndKeptForAnHourAfterItWasSeenLast() {
    see(79, "a");
    now += KernelLines.KEPT_MILLIS;
    see(79, "a");
    now += KernelLines.KEPT_MILLIS;
    assertThat(seen()).containsExactly("a 2");
    now++;
    assertThat(seen()).isEmpty();
    lines.see(Kind.XID, GPU, 79, "too old", now - KernelLines.KEPT_MILLIS - 1, now);
    assertThat(seen()).isEmpty();
    assertThat(lines.leftOut()).isZero();
  }

  @Test
  void anErrorInEverOtherWordsKeepsAFewOfThemAndCountsAll() {
    for (int i = 0; i < 1_000; i++) {
      see(95, "address " + i);
    }
    see(94, "another code");
    assertThat(seen())
        .containsExactly(
            "address 0 1", "address 1 1", "address 2 1", "address 3 997", "another code 1");
    assertThat(lines.leftOut()).isZero();
  }

  @Test
  void theLineThatWasSeenLongestAgoGoesWhenThereAreTooMany() {
    for (int code = 1; code <= KernelLines.MOST_LINES; code++) {
      see(code, "code " + code);
      now++;
    }
    see(1, "code 1");
    now++;
    see(100, "code 100");
    assertThat(seen())
        .hasSize(KernelLines.MOST_LINES)
        .contains("code 1 2", "code 100 1")
        .doesNotContain("code 2 1");
    assertThat(lines.leftOut()).isEqualTo(1);
  }

  @Test
  void anHourBringsABoundedNumberOfNewLines() {
    for (int code = 1; code <= 999; code++) {
      see(code, "code " + code);
    }
    int most = KernelLines.MOST_NEW_AN_HOUR;
    assertThat(seen()).hasSize(KernelLines.MOST_LINES).contains("code " + most + " 1");
    assertThat(lines.leftOut()).isEqualTo(999 - KernelLines.MOST_LINES);
    now += KernelLines.KEPT_MILLIS;
    see(999, "code 999");
    assertThat(seen()).contains("code 999 1");
  }

  @Test
  void aLineIsShortPrintableAndDoesNotNameTheProcess() {
    see(31, "NVRM: Xid (PCI:0000:3b:00): 31, pid=4711, name=python3, Ch 00000008, \u0007 MMU");
    see(43, "NVRM: Xid (PCI:0000:3b:00): 43, pid='<unknown>', name=<unknown>");
    see(13, "x".repeat(KernelLines.LONGEST + 1));
    assertThat(seen())
        .containsExactly(
            "NVRM: Xid (PCI:0000:3b:00): 31, Ch 00000008, ? MMU 1",
            "NVRM: Xid (PCI:0000:3b:00): 43, 1",
            "x".repeat(KernelLines.LONGEST) + " 1");
  }
}
