package io.fleetgauge.load.chaos;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.PrintWriter;
import java.io.StringWriter;
import org.junit.jupiter.api.Test;
import picocli.CommandLine;

/** A part of {@code ./fleetgauge chaos}, which does more and takes longer. */
class ChaosTest {
  private static final String EVENTS = "kill,all,split,rules";

  @Test
  void gatewaysDieFreezeJoinLeaveAndSplitAndNobodyNotices() {
    StringWriter printed = new StringWriter();
    ChaosCommand chaos = new ChaosCommand();
    new CommandLine(chaos)
        .setOut(new PrintWriter(printed))
        .execute("--short", "--only", EVENTS, "--seed", "7");
    System.out.println(
        printed.toString().substring(Math.max(0, printed.toString().indexOf("| ev"))));
    // Durations are printed only; a busy machine is no broken law.
    assertThat(chaos.lawsHold()).as(printed.toString()).isTrue();
  }
}
