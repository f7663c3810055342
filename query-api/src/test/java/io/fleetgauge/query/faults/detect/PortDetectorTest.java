package io.fleetgauge.query.faults.detect;

import static org.assertj.core.api.Assertions.assertThat;

import io.fleetgauge.query.faults.reading.Signal;
import io.fleetgauge.query.faults.reading.Ticks;
import io.fleetgauge.sample.gpu.FaultKind;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class PortDetectorTest {
  private final Ticks ticks =
      Ticks.host("h1")
          .port("mlx5_1/1")
          .with(Signal.PORT_STATE, 4)
          .port("mlx5_0/1")
          .with(Signal.PORT_STATE, 4)
          .with(Signal.PORT_DOWNED, 0)
          .with(Signal.PORT_SYMBOL_ERRORS, 0)
          .with(Signal.PORT_RECOVERIES, 0)
          .with(Signal.PORT_SLOW_RESTARTS, 0);
  private final HostWatch watch = new HostWatch(ticks);

  @Test
  void aPortThatWasActiveAndFallsIsDown() {
    assertThat(watch.all(10)).isEmpty();
    ticks.with(Signal.PORT_STATE, 1).with(Signal.PORT_DOWNED, 1);
    Finding found = watch.next().getFirst();
    assertThat(found.kind()).isEqualTo(FaultKind.NIC_DOWN);
    assertThat(found.subject().part()).isEqualTo("mlx5_0/1");
    assertThat(found.since()).isEqualTo(watch.time());
    assertThat(found.cause()).isEqualTo("down");
    assertThat(found.count()).isEqualTo(1);
    ticks.with(Signal.PORT_DOWNED, 0);
    List<Finding> more = watch.all(10);
    assertThat(more).hasSize(10).allMatch(each -> each.count() == 0);
    assertThat(more).allMatch(each -> each.since() == found.since());
    ticks.with(Signal.PORT_STATE, 4);
    assertThat(watch.all(4)).isEmpty();
  }

  @Test
  void aPortThatNeverWasActiveIsNotUsed() {
    ticks.with(Signal.PORT_STATE, 1);
    assertThat(watch.all(10)).isEmpty();
  }

  @Test
  void aLinkThatFallsBetweenTwoTicksCounts() {
    assertThat(watch.all(2)).isEmpty();
    ticks.with(Signal.PORT_DOWNED, 2);
    Finding found = watch.next().getFirst();
    assertThat(found.cause()).isEqualTo("flapped");
    assertThat(found.count()).isEqualTo(2);
    ticks.with(Signal.PORT_DOWNED, 0);
    assertThat(watch.next()).isEmpty();
  }

  @Test
  void aPortThatIsNotReadWhileOthersAreIsGone() {
    assertThat(watch.all(2)).isEmpty();
    ticks.without(Signal.PORT_STATE);
    assertThat(watch.next().getFirst().cause()).isEqualTo("gone");
    ticks.port("mlx5_1/1").without(Signal.PORT_STATE);
    assertThat(new HostWatch(ticks).all(4)).as("no port is read").isEmpty();
  }

  @Test
  void symbolErrorsAboveTheHourlyLimitAreTold() {
    ticks.with(Signal.PORT_SYMBOL_ERRORS, 2);
    assertThat(watch.all(60)).as("120 in 15 min").isEmpty();
    Finding found = watch.next().getFirst();
    assertThat(found.kind()).isEqualTo(FaultKind.NIC_ERRORS);
    assertThat(found.cause()).isEqualTo("symbol");
    assertThat(found.since()).isLessThan(Ticks.STEP);
  }

  @Test
  void symbolErrorsBelowTheHourlyLimitAreHealthy() {
    for (int i = 0; i < 400; i++) {
      ticks.with(Signal.PORT_SYMBOL_ERRORS, i % 5 == 0 ? 2 : 0);
      assertThat(watch.next()).isEmpty();
    }
  }

  @Test
  void errorsThatHaveStoppedAreNoSignForAnHour() {
    ticks.with(Signal.PORT_SYMBOL_ERRORS, 30);
    assertThat(watch.ticks(20)).hasSize(1);
    long last = watch.time();
    ticks.with(Signal.PORT_SYMBOL_ERRORS, 0);
    assertThat(watch.all(80)).isEmpty();
    ticks.with(Signal.PORT_SYMBOL_ERRORS, 3);
    assertThat(watch.next().getFirst().since()).isGreaterThanOrEqualTo(last);
  }

  @Test
  void manySymbolErrorsASecondAreToldAtOnce() {
    assertThat(watch.all(2)).isEmpty();
    ticks.with(Signal.PORT_SYMBOL_ERRORS, 160);
    assertThat(HostWatch.kinds(watch.next())).containsExactly(FaultKind.NIC_ERRORS);
  }

  @Test
  void moreThanFiveRecoveriesAMinuteAreTold() {
    ticks.with(Signal.PORT_RECOVERIES, 1);
    assertThat(watch.all(20)).isEmpty();
    ticks.with(Signal.PORT_RECOVERIES, 2);
    assertThat(watch.ticks(4).getFirst().cause()).isEqualTo("recovery");
  }

  @ParameterizedTest
  @CsvSource({"PORT_OVERRUNS, overrun", "PORT_INTEGRITY, integrity", "PORT_RNR_RETRY, rnr_retry"})
  void anyOfTheFatalErrorsIsTold(Signal signal, String cause) {
    ticks.with(signal, 1);
    Finding found = watch.next().getFirst();
    assertThat(found.kind()).isEqualTo(FaultKind.NIC_ERRORS);
    assertThat(found.cause()).isEqualTo(cause);
    assertThat(found.count()).isEqualTo(1);
  }

  @Test
  void slowRestartsAreToldWhenTheyLast() {
    ticks.with(Signal.PORT_SLOW_RESTARTS, 140);
    assertThat(watch.all(10)).as("9.3 a second").isEmpty();
    ticks.with(Signal.PORT_SLOW_RESTARTS, 300);
    assertThat(watch.next()).isEmpty();
    Finding found = watch.next().getFirst();
    assertThat(found.kind()).isEqualTo(FaultKind.NIC_SLOW);
    assertThat(found.text()).contains("20 times a second");
  }
}
