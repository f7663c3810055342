package io.fleetgauge.runtime.trust;

import java.util.Base64;
import java.util.HexFormat;
import java.util.Optional;

/** The value of the header that proves a request, as the package draws it. */
record RequestSignature(
    String receiver, long time, long sender, long number, byte[] body, byte[] signature) {
  private static final String VERSION = "1";
  private static final int WORDS = 7;
  private static final int MAX_LENGTH = 512;
  private static final int DIGEST_BYTES = 32;
  private static final HexFormat HEX = HexFormat.of();
  private static final Base64.Encoder ENCODER = Base64.getUrlEncoder().withoutPadding();
  private static final Base64.Decoder DECODER = Base64.getUrlDecoder();

  /** The words that are signed. */
  static String words(String receiver, long time, long sender, long number, byte[] body) {
    return String.join(
        " ",
        VERSION,
        receiver,
        Long.toString(time),
        HEX.toHexDigits(sender),
        Long.toString(number),
        ENCODER.encodeToString(body));
  }

  String words() {
    return words(receiver, time, sender, number, body);
  }

  static String text(String words, byte[] signature) {
    return words + " " + ENCODER.encodeToString(signature);
  }

  /** Empty when the text has not this form, in which each value is written in one way only. */
  static Optional<RequestSignature> parse(String text) {
    String[] words = text.length() > MAX_LENGTH ? new String[0] : text.split(" ", -1);
    if (words.length != WORDS || !words[0].equals(VERSION) || words[3].length() != 16) {
      return Optional.empty();
    }
    try {
      RequestSignature read =
          new RequestSignature(
              words[1],
              Long.parseLong(words[2]),
              HexFormat.fromHexDigitsToLong(words[3]),
              Long.parseLong(words[4]),
              DECODER.decode(words[5]),
              DECODER.decode(words[6]));
      boolean isOfThisForm =
          read.number >= 0
              && read.body.length == DIGEST_BYTES
              && read.signature.length == ClusterKey.SIGNATURE_BYTES
              && text(read.words(), read.signature).equals(text);
      return isOfThisForm ? Optional.of(read) : Optional.empty();
    } catch (IllegalArgumentException e) {
      return Optional.empty();
    }
  }
}
