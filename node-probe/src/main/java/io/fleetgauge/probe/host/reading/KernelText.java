package io.fleetgauge.probe.host.reading;

import java.io.FileInputStream;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/**
 * Text of the kernel in a reused buffer: lines of words, separated by blanks. It is read forward,
 * and nothing is split. Not for several threads.
 */
public final class KernelText {
  /** Most bytes of a file; what is beyond them is not read, and counted. */
  static final int MAX_BYTES = 8 << 20;

  private static final int FIRST_BYTES = 1 << 10;
  private static final int MAX_DIGITS = 20;

  private final Names names;
  private final Faults faults;
  private byte[] bytes = new byte[FIRST_BYTES];
  private String file = "";
  private boolean isWhole;
  private int size;
  private int next;
  private int lineFrom;
  private int lineTo;
  private int at;
  private int wordFrom;
  private int wordTo;

  KernelText(Names names, Faults faults) {
    this.names = names;
    this.faults = faults;
  }

  /**
   * Replaces the text by that of a file.
   *
   * @throws MissingSource if it is not there, or may not be read
   */
  void load(String file) throws IOException {
    this.file = file;
    isWhole = false;
    size = 0;
    rewind();
    try (FileInputStream in = new FileInputStream(file)) {
      while (true) {
        if (size == bytes.length) {
          bytes = Arrays.copyOf(bytes, 2 * bytes.length);
        }
        int read = in.read(bytes, size, bytes.length - size);
        if (read <= 0) {
          isWhole = true;
          return;
        }
        size += read;
        if (size >= MAX_BYTES) {
          faults.add(file + " has more than " + MAX_BYTES + " bytes");
          return;
        }
      }
    } catch (FileNotFoundException e) {
      throw new MissingSource(file);
    }
  }

  /** Starts before the first line again. */
  public void rewind() {
    next = 0;
    lineFrom = 0;
    lineTo = 0;
    at = 0;
    wordFrom = 0;
    wordTo = 0;
  }

  /**
   * Goes to the next line. The kernel ends every line: what follows the last end is a piece of one,
   * which is counted and left out, because a piece of a number is another number.
   */
  public boolean nextLine() {
    if (nextEnded()) {
      return true;
    }
    if (next < size) {
      faults.add(file + " ends within a line");
      next = size;
    }
    return false;
  }

  /** As {@link #nextLine}, of a file whose last line may come without its end. */
  public boolean nextLineOrLast() {
    if (nextEnded()) {
      return true;
    }
    int from = next;
    next = size;
    if (from < size && isWhole) {
      toLine(from, size);
      return true;
    }
    return false;
  }

  private boolean nextEnded() {
    for (int i = next; i < size; i++) {
      if (bytes[i] == '\n') {
        toLine(next, i);
        next = i + 1;
        return true;
      }
    }
    return false;
  }

  /**
   * Passes over the names of the columns; a file without them is damaged.
   *
   * @param first the first word of the first line
   */
  public boolean skipHeader(String first, int lines) {
    for (int i = 0; i < lines; i++) {
      if (!nextLine() || i == 0 && !(nextWord() && wordIs(first))) {
        faults.add(file + " does not begin with \"" + first + "\"");
        return false;
      }
    }
    return true;
  }

  /** Goes to the whole of a file of one line, with or without its end. */
  boolean onlyLine() {
    int end = size;
    while (end > 0 && (bytes[end - 1] == '\n' || bytes[end - 1] == 0 || isBlank(bytes[end - 1]))) {
      end--;
    }
    toLine(0, end);
    next = size;
    return end > 0;
  }

  /** Goes back before the first word of the line. */
  public void toLineStart() {
    toLine(lineFrom, lineTo);
  }

  private void toLine(int from, int to) {
    lineFrom = from;
    lineTo = to;
    at = from;
    wordFrom = from;
    wordTo = from;
  }

  private static boolean isBlank(byte each) {
    return each == ' ' || each == '\t' || each == '\r';
  }

  /** Goes to the next word of the line. */
  public boolean nextWord() {
    return nextWord(' ');
  }

  /** Goes to the next word of the line, which ends at a blank or behind {@code last}. */
  public boolean nextWord(char last) {
    int i = at;
    while (i < lineTo && isBlank(bytes[i])) {
      i++;
    }
    if (i == lineTo) {
      at = i;
      return false;
    }
    wordFrom = i;
    while (i < lineTo && !isBlank(bytes[i])) {
      i++;
      if (bytes[i - 1] == last) {
        break;
      }
    }
    wordTo = i;
    at = i;
    return true;
  }

  /** Passes over some words; false if there are fewer. */
  public boolean skip(int count) {
    for (int i = 0; i < count; i++) {
      if (!nextWord()) {
        return false;
      }
    }
    return true;
  }

  /** Passes over everything up to the last such character of the line; false if it has none. */
  public boolean skipBehindLast(char last) {
    for (int i = lineTo - 1; i >= at; i--) {
      if (bytes[i] == last) {
        at = i + 1;
        return true;
      }
    }
    return false;
  }

  /** The number of words in the rest of the line; stays where it is. */
  public int wordsLeft() {
    int words = 0;
    boolean inWord = false;
    for (int i = at; i < lineTo; i++) {
      boolean blank = isBlank(bytes[i]);
      words += !blank && !inWord ? 1 : 0;
      inWord = !blank;
    }
    return words;
  }

  public boolean wordIs(String text) {
    return Names.isEqual(text, bytes, wordFrom, wordTo);
  }

  public boolean wordStartsWith(String text) {
    return wordTo - wordFrom >= text.length()
        && Names.isEqual(text, bytes, wordFrom, wordFrom + text.length());
  }

  public boolean lineStartsWith(String text) {
    return lineTo - lineFrom >= text.length()
        && Names.isEqual(text, bytes, lineFrom, lineFrom + text.length());
  }

  /** The word. */
  public String word() {
    return names.of(bytes, wordFrom, wordTo);
  }

  /** The word without its first and its last characters. */
  public String word(int without, int withoutLast) {
    return names.of(
        bytes, Math.min(wordTo, wordFrom + without), Math.max(wordFrom, wordTo - withoutLast));
  }

  /** The last character of the word. */
  public char wordEnd() {
    return wordTo > wordFrom ? (char) bytes[wordTo - 1] : ' ';
  }

  /** The rest of the line, without blanks around it. */
  public String rest() {
    int from = at;
    int to = lineTo;
    while (from < to && isBlank(bytes[from])) {
      from++;
    }
    while (to > from && isBlank(bytes[to - 1])) {
      to--;
    }
    return names.of(bytes, from, to);
  }

  /** The line as it is. */
  public String line() {
    return new String(bytes, lineFrom, lineTo - lineFrom, StandardCharsets.UTF_8);
  }

  /** The next word of the line as a number; NaN if there is none, or it is no number. */
  public double nextNumber() {
    return nextWord() ? number() : Double.NaN;
  }

  /** As {@link #nextNumber}, in hexadecimal digits. */
  public double nextHex() {
    return nextWord() ? hex() : Double.NaN;
  }

  /** The word as a hexadecimal number, with or without 0x before it; as {@link #number()}. */
  public double hex() {
    return hexadecimal(wordFrom, wordTo);
  }

  /** As {@link #hex()}, of the word without its first and its last characters. */
  public double hex(int without, int withoutLast) {
    return hexadecimal(wordFrom + without, wordTo - withoutLast);
  }

  /** The word as a number; NaN, and counted, if it is none. */
  public double number() {
    return decimal(wordFrom, wordTo);
  }

  /** As {@link #number()}, of the word without its first and its last characters. */
  public double number(int without, int withoutLast) {
    return decimal(wordFrom + without, wordTo - withoutLast);
  }

  private double decimal(int from, int to) {
    int i = from;
    boolean isNegative = i < to && bytes[i] == '-';
    if (isNegative) {
      i++;
    }
    int digits = 0;
    int decimals = -1;
    long whole = 0;
    for (; i < to; i++) {
      if (bytes[i] == '.' && decimals < 0 && digits > 0) {
        decimals = 0;
      } else if (bytes[i] >= '0' && bytes[i] <= '9') {
        whole = 10 * whole + bytes[i] - '0';
        digits++;
        decimals += decimals < 0 ? 0 : 1;
      } else {
        return notANumber();
      }
    }
    if (digits == 0 || digits > MAX_DIGITS || decimals == 0) {
      return notANumber();
    }
    // Eighteen digits fit into a long; a double divided by an exact power of ten is rounded once.
    if (digits <= 18 && decimals <= 15 && (decimals <= 0 || whole <= 1L << 53)) {
      double value = decimals <= 0 ? whole : whole / POWERS[decimals];
      return isNegative ? -value : value;
    }
    return Double.parseDouble(new String(bytes, from, to - from, StandardCharsets.ISO_8859_1));
  }

  private static final double[] POWERS = {
    1, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15
  };

  private double hexadecimal(int from, int to) {
    int i = to - from > 2 && bytes[from] == '0' && bytes[from + 1] == 'x' ? from + 2 : from;
    if (to - i > 16 || i >= to) {
      return notANumber();
    }
    long value = 0;
    for (; i < to; i++) {
      int digit = Character.digit(bytes[i], 16);
      if (digit < 0) {
        return notANumber();
      }
      value = value << 4 | digit;
    }
    return value >= 0 ? value : value + 0x1p64;
  }

  private double notANumber() {
    faults.add("no number where one belongs in " + file + ", line \"" + line() + "\"");
    return Double.NaN;
  }

  /** Counts the line as damaged. */
  public void damaged() {
    damaged(line());
  }

  /** Counts a line that was read before as damaged. */
  public void damaged(String line) {
    faults.add("cannot read " + file + ", line \"" + line + "\"");
  }
}
