package io.fleetgauge.query.faults.tell;

import io.fleetgauge.query.faults.episode.Episode;
import io.fleetgauge.sample.Labels;
import java.util.List;

/**
 * An episode as it is now.
 *
 * @param lines of the kernel that belong to it, oldest first
 * @param json the episode as {@code /api/v1/faults} has it
 */
public record Told(Episode episode, List<String> lines, byte[] json) {
  /** The state of an episode that is told. */
  public enum State {
    OPEN("open"),
    OVER("over");

    private final String text;

    State(String text) {
      this.text = text;
    }

    public String text() {
      return text;
    }
  }

  public Told {
    lines = List.copyOf(lines);
  }

  State state() {
    return episode.isOpen() ? State.OPEN : State.OVER;
  }

  /** The time that the state is of, ms since the epoch. */
  long time() {
    return episode.over().orElse(episode.since());
  }

  /** A label of what it is of; empty for none. */
  String label(String name) {
    return episode.subject().labels().value(name);
  }

  String host() {
    return episode.subject().host();
  }

  String job() {
    String job = episode.subject().job();
    return job.isEmpty() ? label("job") : job;
  }

  /** Tells it from all other episodes. */
  Labels key() {
    return Labels.of("episode", episode.id());
  }
}
