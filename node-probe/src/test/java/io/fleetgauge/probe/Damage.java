package io.fleetgauge.probe;

import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.SplittableRandom;

/** What may happen to an entry of something that another program writes; an entry is some lines. */
public enum Damage {
  CHANGED,
  CUT,
  INSERTED,
  TWICE,
  CARRIAGE_RETURN,
  /** The digits of numbers are bytes that are not UTF-8; those of names stay. */
  GARBLED,
  /** A form of a version to come stands before it. */
  UNKNOWN;

  /** How often each input is damaged. */
  public static final int TIMES = Integer.getInteger("fleetgauge.parsers.damaged", 40);

  private static final long SEED = Long.getLong("fleetgauge.parsers.seed", 37);

  /**
   * @param input a name that keeps the damage to different inputs apart
   */
  public static SplittableRandom random(String input) {
    return new SplittableRandom(SEED + input.hashCode());
  }

  /** The damaged entry; its last line has an end, as that of each entry. */
  public byte[] to(byte[] entry, SplittableRandom random) {
    boolean hasEnd = entry.length > 0 && entry[entry.length - 1] == '\n';
    byte[] body = Arrays.copyOf(entry, hasEnd ? entry.length - 1 : entry.length);
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    int at = body.length == 0 ? 0 : random.nextInt(body.length);
    switch (this) {
      case CHANGED -> {
        for (int i = random.nextInt(4); i >= 0 && body.length > 0; i--) {
          byte other = (byte) random.nextInt(256);
          body[random.nextInt(body.length)] = other == '\n' ? (byte) 0xff : other;
        }
        out.writeBytes(body);
      }
      case CUT -> out.write(body, 0, at);
      case INSERTED -> {
        out.write(body, 0, at);
        out.writeBytes(new byte[] {(byte) 0xff, (byte) 0xc3, 0, (byte) 0x80});
        out.write(body, at, body.length - at);
      }
      case TWICE -> {
        out.writeBytes(body);
        out.write('\n');
        out.writeBytes(body);
      }
      case CARRIAGE_RETURN -> {
        out.writeBytes(body);
        out.write('\r');
      }
      case GARBLED -> {
        boolean inName = false;
        for (byte each : body) {
          boolean isDigit = each >= '0' && each <= '9';
          inName = Character.isLetter(each) || inName && isDigit;
          out.write(isDigit && !inName ? 0xff : each);
        }
      }
      case UNKNOWN -> {
        out.writeBytes("later: form\u00ff of 1 2 3\n".getBytes(StandardCharsets.ISO_8859_1));
        out.writeBytes(body);
      }
    }
    out.write('\n');
    return out.toByteArray();
  }
}
