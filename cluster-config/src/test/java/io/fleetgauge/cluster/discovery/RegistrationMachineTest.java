package io.fleetgauge.cluster.discovery;

import static org.assertj.core.api.Assertions.assertThat;

import io.fleetgauge.cluster.discovery.RegistrationMachine.Effect;
import io.fleetgauge.cluster.discovery.RegistrationMachine.Event;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

class RegistrationMachineTest {
  private static RegistrationMachine machine(boolean tells) {
    return new RegistrationMachine(tells, 10_000, new SplittableRandom(1));
  }

  @Test
  void aProbeThatIsAskedLooksWhetherItIsStillKnown() {
    RegistrationMachine machine = machine(false);
    assertThat(machine.on(new Event.Due())).isEqualTo(new Effect.Register());
    assertThat(machine.isRegistered()).isFalse();
    assertThat(machine.on(new Event.Done())).isEqualTo(new Effect.Wait(10_000));
    assertThat(machine.isRegistered()).isTrue();
    assertThat(machine.on(new Event.Due())).isEqualTo(new Effect.Look());
    assertThat(machine.on(new Event.Done())).isEqualTo(new Effect.Wait(10_000));
  }

  @Test
  void aProbeThatTellsDoesSoAtOnceAndInEachInterval() {
    RegistrationMachine machine = machine(true);
    assertThat(machine.on(new Event.Due())).isEqualTo(new Effect.Register());
    assertThat(machine.on(new Event.Done())).isEqualTo(new Effect.Pass());
    assertThat(machine.on(new Event.Done())).isEqualTo(new Effect.Wait(10_000));
    assertThat(machine.on(new Event.Due())).isEqualTo(new Effect.Pass());
    assertThat(machine.on(new Event.Done())).isEqualTo(new Effect.Wait(10_000));
  }

  @Test
  void anAgentThatForgotIsToldAgain() {
    RegistrationMachine machine = machine(false);
    machine.on(new Event.Due());
    machine.on(new Event.Done());
    machine.on(new Event.Due());
    assertThat(machine.on(new Event.Unknown())).isEqualTo(new Effect.Wait(1));
    assertThat(machine.isRegistered()).isFalse();
    assertThat(machine.on(new Event.Due())).isEqualTo(new Effect.Register());
    assertThat(machine.on(new Event.Done())).isEqualTo(new Effect.Wait(10_000));
    assertThat(machine.trouble()).isEmpty();
  }

  @Test
  void failuresAreFollowedByLongerPauses() {
    RegistrationMachine machine = machine(true);
    for (int i = 0; i < 20; i++) {
      machine.on(new Event.Due());
      assertThat(machine.on(new Event.Failed("away")))
          .isInstanceOfSatisfying(
              Effect.Wait.class, pause -> assertThat(pause.millis()).isBetween(900L, 30_000L));
      assertThat(machine.trouble()).contains("away");
    }
    machine.on(new Event.Due());
    machine.on(new Event.Done());
    assertThat(machine.trouble()).isEmpty();
  }
}
