package io.fleetgauge.runtime.discovery;

import static org.assertj.core.api.Assertions.assertThat;

import io.fleetgauge.runtime.discovery.RegistrationMachine.Effect;
import io.fleetgauge.runtime.discovery.RegistrationMachine.Event;
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
    long longest = 1_000;
    for (int i = 0; i < 20; i++) {
      machine.on(new Event.Due());
      long most = longest;
      assertThat(machine.on(new Event.Failed("away")))
          .isInstanceOfSatisfying(
              Effect.Wait.class,
              pause -> assertThat(pause.millis()).isBetween(most * 9 / 10, most));
      assertThat(machine.trouble()).contains("away");
      longest = Math.min(30_000, 2 * longest);
    }
    machine.on(new Event.Due());
    machine.on(new Event.Done());
    assertThat(machine.trouble()).isEmpty();
    assertThat(pause(machine.on(new Event.Failed("away")))).isBetween(900L, 1_000L);
  }

  private static long pause(Effect effect) {
    return effect instanceof Effect.Wait pause ? pause.millis() : -1;
  }

  /** An agent that says it takes a registration and never has it is not asked all the time. */
  @Test
  void anAgentThatForgetsAtOnceIsToldAgainWithPauses() {
    RegistrationMachine machine = machine(false);
    assertThat(machine.on(new Event.Due())).isEqualTo(new Effect.Register());
    Effect effect = machine.on(new Event.Unknown());
    assertThat(pause(effect)).as("it was not registered before").isBetween(900L, 1_000L);
    assertThat(machine.trouble())
        .contains("the agent does not know the service that was just registered");
    assertThat(pause(machine.on(new Event.Unknown()))).isBetween(1_800L, 2_000L);
  }

  @Test
  void aProbeThatFailedAfterItRegisteredTellsAgainOnlyWithTheNextInterval() {
    RegistrationMachine machine = machine(true);
    machine.on(new Event.Due());
    assertThat(machine.on(new Event.Done())).isEqualTo(new Effect.Pass());
    machine.on(new Event.Failed("away"));
    assertThat(machine.isRegistered()).isTrue();
    assertThat(machine.on(new Event.Due())).isEqualTo(new Effect.Pass());
    assertThat(machine.on(new Event.Done())).isEqualTo(new Effect.Wait(10_000));
  }
}
