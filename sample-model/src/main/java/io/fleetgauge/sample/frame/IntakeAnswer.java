package io.fleetgauge.sample.frame;

import io.fleetgauge.sample.wire.WireException;
import java.net.URI;
import java.util.Arrays;

/**
 * The answers of a gateway to frames: one line of text, so that it can be read with curl.
 *
 * <pre>
 * 200  kept RUN SEQUENCE       every tick of the run up to the sequence is kept
 * 200  kept RUN SEQUENCE but SAMPLES NEW REASON
 *                              the same, but for so many samples that are refused for good; NEW of
 *                              them only because a limit leaves no place for a new series
 * 421  moved ADDRESS EPOCH     another gateway owns the host, says the table of that epoch
 * 503  slow-down MILLIS        try again later; nothing was taken
 * 409  dictionary RUN          send the run's dictionary first, then all of it again
 * 400  refused REASON          these bytes will never be taken
 * 429  over-limit MILLIS REASON    the host is not taken, because a limit of the tenant leaves no
 *                              place for it: try again later; 0 when only a change of the limit, or
 *                              of what is sent, helps
 * </pre>
 */
public sealed interface IntakeAnswer {
  int httpStatus();

  /**
   * @param refused samples that are not kept and never will be
   * @param newSeries how many of these are so because they would need a new series
   * @param reason why the first of them is refused; empty when none is
   */
  record Kept(long run, long sequence, long refused, long newSeries, String reason)
      implements IntakeAnswer {
    public Kept(long run, long sequence) {
      this(run, sequence, 0, 0, "");
    }

    @Override
    public int httpStatus() {
      return 200;
    }

    @Override
    public String toString() {
      String kept = "kept " + Long.toHexString(run) + " " + sequence;
      return refused == 0
          ? kept
          : kept + " but " + refused + " " + newSeries + " " + reason.replace('\n', ' ');
    }
  }

  record Moved(URI address, long epoch) implements IntakeAnswer {
    @Override
    public int httpStatus() {
      return 421;
    }

    @Override
    public String toString() {
      return "moved " + address + " " + epoch;
    }
  }

  record SlowDown(long millis) implements IntakeAnswer {
    @Override
    public int httpStatus() {
      return 503;
    }

    @Override
    public String toString() {
      return "slow-down " + millis;
    }
  }

  /**
   * @param millis after which there may be a place; 0 when waiting does not help
   */
  record OverLimit(long millis, String reason) implements IntakeAnswer {
    @Override
    public int httpStatus() {
      return 429;
    }

    @Override
    public String toString() {
      return "over-limit " + millis + " " + reason.replace('\n', ' ');
    }
  }

  record NeedsDictionary(long run) implements IntakeAnswer {
    @Override
    public int httpStatus() {
      return 409;
    }

    @Override
    public String toString() {
      return "dictionary " + Long.toHexString(run);
    }
  }

  record Refused(String reason) implements IntakeAnswer {
    @Override
    public int httpStatus() {
      return 400;
    }

    @Override
    public String toString() {
      return "refused " + reason.replace('\n', ' ');
    }
  }

  /**
   * @throws WireException if the line is none of these
   */
  static IntakeAnswer parse(String line) throws WireException {
    String[] words = line.strip().split(" ");
    try {
      return switch (words[0]) {
        case "kept" -> kept(words);
        case "moved" -> new Moved(URI.create(words[1]), Long.parseLong(words[2]));
        case "slow-down" -> new SlowDown(Long.parseLong(words[1]));
        case "over-limit" ->
            new OverLimit(
                Long.parseLong(words[1]),
                String.join(" ", Arrays.copyOfRange(words, 2, words.length)));
        case "dictionary" -> new NeedsDictionary(Long.parseUnsignedLong(words[1], 16));
        case "refused" -> new Refused(line.strip().substring("refused".length()).strip());
        default -> throw new WireException("not a response of a gateway: " + shortened(line));
      };
    } catch (IllegalArgumentException | ArrayIndexOutOfBoundsException e) {
      throw new WireException("not a response of a gateway: " + shortened(line));
    }
  }

  private static Kept kept(String[] words) {
    long run = Long.parseUnsignedLong(words[1], 16);
    long sequence = Long.parseLong(words[2]);
    if (words.length == 3) {
      return new Kept(run, sequence);
    }
    String reason = String.join(" ", Arrays.copyOfRange(words, 6, words.length));
    return new Kept(run, sequence, Long.parseLong(words[4]), Long.parseLong(words[5]), reason);
  }

  private static String shortened(String line) {
    return line.length() > 100 ? line.substring(0, 100) + "..." : line;
  }
}
