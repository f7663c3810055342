package io.fleetgauge.promql.expr;

import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.nio.CharBuffer;
import java.nio.charset.CharsetDecoder;
import java.nio.charset.CoderResult;
import java.nio.charset.StandardCharsets;

/**
 * Texts that escapes like {@code \\xff} have put bytes into that are no UTF-8. Such a byte is kept
 * as the lone surrogate {@code U+DC00 + byte}, which no text of UTF-8 can contain.
 */
public final class InvalidUtf8 {
  private static final char BASE = 0xDC00;
  private static final char FIRST = 0xDC80;
  private static final char LAST = 0xDCFF;

  private InvalidUtf8() {}

  public static String decode(byte[] bytes) {
    CharsetDecoder decoder = StandardCharsets.UTF_8.newDecoder();
    ByteBuffer in = ByteBuffer.wrap(bytes);
    CharBuffer out = CharBuffer.allocate(bytes.length);
    while (true) {
      CoderResult result = decoder.decode(in, out, true);
      if (!result.isError()) {
        return out.flip().toString();
      }
      out.put((char) (BASE + (in.get() & 0xff)));
    }
  }

  /** Returns true if a text has bytes that are no UTF-8. */
  public static boolean in(String text) {
    for (int i = 0; i < text.length(); i++) {
      if (isStray(text, i)) {
        return true;
      }
    }
    return false;
  }

  private static boolean isStray(String text, int at) {
    char c = text.charAt(at);
    return c >= FIRST && c <= LAST && (at == 0 || !Character.isHighSurrogate(text.charAt(at - 1)));
  }

  /** The text with U+FFFD for each run of bytes that are no UTF-8. */
  public static String replaced(String text) {
    if (!in(text)) {
      return text;
    }
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    for (int i = 0; i < text.length(); i++) {
      if (isStray(text, i)) {
        bytes.write(text.charAt(i) - BASE);
      } else {
        int c = text.codePointAt(i);
        bytes.writeBytes(Character.toString(c).getBytes(StandardCharsets.UTF_8));
        i += Character.charCount(c) - 1;
      }
    }
    return bytes.toString(StandardCharsets.UTF_8);
  }

  /** In double quotes, with such a byte as an escape. */
  public static String quoted(String text) {
    StringBuilder quoted = new StringBuilder("\"");
    for (int i = 0; i < text.length(); i++) {
      char c = text.charAt(i);
      if (isStray(text, i)) {
        quoted.append(String.format("\\x%02x", c - BASE));
      } else {
        quoted.append(c == '"' || c == '\\' ? "\\" : "").append(c);
      }
    }
    return quoted.append('"').toString();
  }
}
