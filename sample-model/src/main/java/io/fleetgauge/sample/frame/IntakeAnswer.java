package io.fleetgauge.sample.frame;

import io.fleetgauge.sample.wire.WireException;
import java.net.URI;

/**
 * What a gateway answers to frames: one line of text, so that it can be read with curl.
 *
 * <pre>
 * 200  kept RUN SEQUENCE       every tick of the run up to the sequence is kept (or was refused
 *                              for good and counted)
 * 421  moved ADDRESS EPOCH     another gateway owns the host, says the table of that epoch
 * 429  slow-down MILLIS        try again later; nothing was taken
 * 409  dictionary RUN          send the run's dictionary first; what stood before it is kept
 * 400  refused REASON          these bytes will never be taken
 * </pre>
 */
public sealed interface IntakeAnswer {
  int httpStatus();

  record Kept(long run, long sequence) implements IntakeAnswer {
    @Override
    public int httpStatus() {
      return 200;
    }

    @Override
    public String toString() {
      return "kept " + Long.toHexString(run) + " " + sequence;
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
      return 429;
    }

    @Override
    public String toString() {
      return "slow-down " + millis;
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
        case "kept" -> new Kept(Long.parseUnsignedLong(words[1], 16), Long.parseLong(words[2]));
        case "moved" -> new Moved(URI.create(words[1]), Long.parseLong(words[2]));
        case "slow-down" -> new SlowDown(Long.parseLong(words[1]));
        case "dictionary" -> new NeedsDictionary(Long.parseUnsignedLong(words[1], 16));
        case "refused" -> new Refused(line.strip().substring("refused".length()).strip());
        default -> throw new WireException("not an answer of a gateway: " + shortened(line));
      };
    } catch (IllegalArgumentException | ArrayIndexOutOfBoundsException e) {
      throw new WireException("not an answer of a gateway: " + shortened(line));
    }
  }

  private static String shortened(String line) {
    return line.length() > 100 ? line.substring(0, 100) + "..." : line;
  }
}
