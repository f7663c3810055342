package io.fleetgauge.probe.xid;

import java.util.Locale;

/**
 * A record of /dev/kmsg, and what it says about GPUs: {@code
 * priority,sequence,microseconds,flags;text}.
 *
 * @param address of the GPU or switch, as NVML writes it: 00000000:3B:00.0
 * @param code the XID; that of a GPU that fell off the bus where the line has none
 * @param bootMicros when it was written, since the node was started
 */
record KernelLine(Kind kind, String address, int code, long bootMicros) {
  /** The subject of a record. */
  enum Kind {
    XID,
    /** An error of an NVSwitch. */
    SXID,
    /** Nothing about an error. */
    OTHER,
    /** It looks like an error and cannot be read. */
    UNREADABLE
  }

  static final int OFF_THE_BUS = 79;

  private static final KernelLine OTHER = new KernelLine(Kind.OTHER, "", 0, 0);
  private static final KernelLine UNREADABLE = new KernelLine(Kind.UNREADABLE, "", 0, 0);

  private static final String XID_MARK = "NVRM: Xid (";
  private static final String SXID_MARK = "SXid (";
  private static final String DRIVER = "NVRM:";
  private static final String MODULES = "nvidia";
  private static final String SWITCH = "nvidia-nvswitch";
  private static final String FALLEN = "fallen off the bus";

  /** The end of a line within a record, as the kernel writes it. */
  private static final String LINE_END = "\\x0a";

  private static final int MOST_XID = 999;
  private static final int MOST_SXID = 99_999;

  /**
   * Reads a record. The driver asks the kernel to join what it prints to a line that has no end, so
   * that its error may follow other words of it. Behind the address it may say which instances the
   * error is of: {@code (PCI:0000:3b:00 GPU-I:05 GPU-CI:00)}.
   */
  static KernelLine read(String line) {
    int text = line.indexOf(';') + 1;
    if (text == 0 || !line.startsWith(DRIVER, text) && !line.startsWith(MODULES, text)) {
      return OTHER;
    }
    int xid = line.indexOf(XID_MARK, text);
    int sxid = line.startsWith(SWITCH, text) ? line.indexOf(SXID_MARK, text) : -1;
    boolean isXid = xid >= 0;
    boolean isFallen = line.startsWith(DRIVER, text) && line.contains(FALLEN);
    if (!isXid && sxid < 0 && !isFallen) {
      return OTHER;
    }
    // A program can write to the log, too: only the kernel's own facility, 0, is believed.
    long priority = number(line, 0, ',');
    int sequence = line.indexOf(',') + 1;
    int time = line.indexOf(',', sequence) + 1;
    long micros = time > 0 && time < text ? number(line, time, ',') : -1;
    if (priority < 0 || priority > 7 || micros < 0) {
      return UNREADABLE;
    }
    if (isXid || sxid >= 0) {
      int open = line.indexOf('(', isXid ? xid : sxid) + 1;
      return error(isXid ? Kind.XID : Kind.SXID, line, open, micros);
    }
    String address = firstAddress(line.substring(text).replace(LINE_END, " "));
    return address.isEmpty() ? UNREADABLE : new KernelLine(Kind.XID, address, OFF_THE_BUS, micros);
  }

  /** Reads {@code ADDRESS): CODE} with an optional PCI: before it and more words behind it. */
  private static KernelLine error(Kind kind, String line, int open, long micros) {
    int close = line.indexOf("): ", open);
    if (close < 0) {
      return UNREADABLE;
    }
    String device = line.substring(open, close);
    int blank = device.indexOf(' ');
    String address = address(withoutBus(blank < 0 ? device : device.substring(0, blank)));
    long code = Math.max(number(line, close + 3, ','), number(line, close + 3, ' '));
    return address.isEmpty() || code < 1 || code > (kind == Kind.XID ? MOST_XID : MOST_SXID)
        ? UNREADABLE
        : new KernelLine(kind, address, (int) code, micros);
  }

  /** The number of a record, which the kernel counts from its start; -1 if it has none. */
  static long sequence(String line) {
    int from = line.indexOf(',') + 1;
    return from == 0 ? -1 : number(line, from, ',');
  }

  /** The whole number at {@code from}, which {@code end} or the end of the line ends; else -1. */
  private static long number(String line, int from, char end) {
    long number = 0;
    int at = from;
    while (at < line.length()
        && line.charAt(at) >= '0'
        && line.charAt(at) <= '9'
        && at - from < 18) {
      number = 10 * number + line.charAt(at++) - '0';
    }
    boolean ends = at == line.length() || line.charAt(at) == end || line.charAt(at) == ';';
    return at == from || !ends ? -1 : number;
  }

  private static String firstAddress(String text) {
    for (String word : text.split("[ ,()]")) {
      String found = address(withoutBus(word));
      if (!found.isEmpty()) {
        return found;
      }
    }
    return "";
  }

  private static String withoutBus(String word) {
    return word.startsWith("PCI:") ? word.substring(4) : word;
  }

  /**
   * 0000:3b:00, 0000:3b:00.0 or 00000000:3B:00.0 as NVML writes it, with a domain of 4 to 8 digits;
   * empty for anything else.
   */
  static String address(String text) {
    String[] parts = text.split(":", -1);
    if (parts.length == 4 && parts[3].isEmpty()) {
      parts = new String[] {parts[0], parts[1], parts[2]};
    }
    if (parts.length != 3) {
      return "";
    }
    String domain = parts[0];
    String slot = parts[2];
    char function = '0';
    if (slot.length() == 4 && slot.charAt(2) == '.') {
      function = slot.charAt(3);
      slot = slot.substring(0, 2);
    }
    boolean fits =
        domain.length() >= 4
            && domain.length() <= 8
            && parts[1].length() == 2
            && slot.length() == 2
            && function >= '0'
            && function <= '7';
    if (!fits || !isHex(domain) || !isHex(parts[1]) || !isHex(slot)) {
      return "";
    }
    String whole = "0".repeat(8 - domain.length()) + domain + ":" + parts[1] + ":" + slot;
    return whole.toUpperCase(Locale.ROOT) + "." + function;
  }

  private static boolean isHex(String text) {
    for (int i = 0; i < text.length(); i++) {
      char c = text.charAt(i);
      boolean hex = c >= '0' && c <= '9' || c >= 'a' && c <= 'f' || c >= 'A' && c <= 'F';
      if (!hex) {
        return false;
      }
    }
    return true;
  }
}
