package io.fleetgauge.runtime.discovery;

import java.util.Optional;
import java.util.random.RandomGenerator;

/**
 * Decides what a process that is registered elsewhere does next: one event in, one effect out. An
 * agent that was restarted forgets what is registered, so the registration is looked at in each
 * interval. Not for several threads.
 */
final class RegistrationMachine {
  static final long FIRST_BACK_OFF_MILLIS = 1_000;
  static final long LONGEST_BACK_OFF_MILLIS = 30_000;

  /** An event. */
  sealed interface Event {
    record Due() implements Event {}

    /** The last effect was carried out. */
    record Done() implements Event {}

    /** The agent does not know the registration. */
    record Unknown() implements Event {}

    record Failed(String reason) implements Event {}
  }

  /** An effect, to be carried out. */
  sealed interface Effect {
    record Register() implements Effect {}

    /** Tells the agent that the process is well. */
    record Pass() implements Effect {}

    /** Looks whether the agent knows the registration. */
    record Look() implements Effect {}

    record Wait(long millis) implements Effect {}
  }

  private final boolean tells;
  private final long intervalMillis;
  private final RandomGenerator random;
  private boolean isRegistered;
  private boolean isNew;
  private int failuresInARow;
  private Optional<String> trouble = Optional.empty();

  /**
   * @param tells whether the process tells the agent that it is well; if not, the agent asks
   */
  RegistrationMachine(boolean tells, long intervalMillis, RandomGenerator random) {
    this.tells = tells;
    this.intervalMillis = intervalMillis;
    this.random = random;
  }

  boolean isRegistered() {
    return isRegistered;
  }

  /** Why the process is not registered, or not known to be; empty when it is. */
  Optional<String> trouble() {
    return trouble;
  }

  Effect on(Event event) {
    return switch (event) {
      case Event.Due due -> {
        if (!isRegistered) {
          isNew = true;
          yield new Effect.Register();
        }
        yield tells ? new Effect.Pass() : new Effect.Look();
      }
      case Event.Done done -> {
        failuresInARow = 0;
        trouble = Optional.empty();
        isRegistered = true;
        boolean mustTell = tells && isNew;
        isNew = false;
        yield mustTell ? new Effect.Pass() : new Effect.Wait(intervalMillis);
      }
      case Event.Unknown unknown -> {
        boolean wasRegistered = isRegistered;
        isRegistered = false;
        yield wasRegistered && failuresInARow++ == 0
            ? new Effect.Wait(1)
            : failed("the agent does not know the service that was just registered");
      }
      case Event.Failed failed -> failed(failed.reason());
    };
  }

  private Effect failed(String reason) {
    failuresInARow++;
    isNew = false;
    trouble = Optional.of(reason);
    long longest =
        Math.min(
            LONGEST_BACK_OFF_MILLIS, FIRST_BACK_OFF_MILLIS << Math.min(10, failuresInARow - 1));
    return new Effect.Wait(longest - random.nextLong(longest / 10 + 1));
  }
}
