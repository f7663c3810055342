package io.fleetgauge.load.chaos;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.PrintWriter;
import java.io.StringWriter;
import org.junit.jupiter.api.Test;
import picocli.CommandLine;

class ChaosTest {
  @Test
  void gatewaysDieFreezeJoinLeaveAndSplitAndNobodyNotices() {
    StringWriter printed = new StringWriter();
    int status =
        new CommandLine(new ChaosCommand())
            .setOut(new PrintWriter(printed))
            .execute("--short", "--seed", "7");
    System.out.println(
        printed.toString().substring(Math.max(0, printed.toString().indexOf("| ev"))));
    assertThat(status).as(printed.toString()).isZero();
  }
}
