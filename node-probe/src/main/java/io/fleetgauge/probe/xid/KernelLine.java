package io.fleetgauge.probe.xid;

import java.util.List;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A record of /dev/kmsg, and what it says about GPUs and adapters: {@code
 * priority,sequence,microseconds,flags;text}.
 *
 * @param address of the GPU, switch or adapter, as NVML writes it: 00000000:3B:00.0
 * @param code the XID; that of a GPU that fell off the bus where the line has none
 * @param bootMicros when it was written, since the node was started
 */
record KernelLine(Kind kind, String address, int code, long bootMicros) {
  /** The subject of a record. */
  enum Kind {
    XID,
    /** An error of an NVSwitch. */
    SXID,
    /** A network adapter's firmware or hardware failed. */
    MLX5,
    /** A thread of the driver, CUDA or NCCL has not left the kernel for minutes. */
    HUNG_TASK,
    /** A CPU has polled a network adapter for many seconds. */
    SOFT_LOCKUP,
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
  private static final String ADAPTER = "mlx5_core ";
  private static final List<String> ADAPTER_FAULTS =
      List.of("health compromised", "unrecoverable hardware error", "leak of a command resource");

  /** The kernel's khungtaskd: {@code INFO: task NAME:PID blocked for more than 122 seconds.} */
  private static final Pattern HUNG_TASK =
      Pattern.compile("INFO: task (\\S.*):\\d+ blocked for more than \\d+ seconds.*");

  /** Names of the driver's threads, of CUDA's and of NCCL's watchdogs. */
  private static final Pattern GPU_TASK =
      Pattern.compile("nvidia.*|nv_.*|irq/\\d+-nvidia.*|cuda.*|.*nccl.*");

  private static final Pattern SOFT_LOCKUP =
      Pattern.compile(".*BUG: soft lockup - CPU#\\d+ stuck for .*\\[.*napi.*\\].*");

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
    if (text == 0) {
      return OTHER;
    }
    if (!line.startsWith(DRIVER, text) && !line.startsWith(MODULES, text)) {
      return beside(line, text);
    }
    int xid = line.indexOf(XID_MARK, text);
    int sxid = line.startsWith(SWITCH, text) ? line.indexOf(SXID_MARK, text) : -1;
    boolean isXid = xid >= 0;
    boolean isFallen = line.startsWith(DRIVER, text) && line.contains(FALLEN);
    if (!isXid && sxid < 0 && !isFallen) {
      return OTHER;
    }
    long micros = micros(line, text);
    if (micros < 0) {
      return UNREADABLE;
    }
    if (isXid || sxid >= 0) {
      int open = line.indexOf('(', isXid ? xid : sxid) + 1;
      return error(isXid ? Kind.XID : Kind.SXID, line, open, micros);
    }
    String address = firstAddress(line.substring(text).replace(LINE_END, " "));
    return address.isEmpty() ? UNREADABLE : new KernelLine(Kind.XID, address, OFF_THE_BUS, micros);
  }

  /** Reads a record that is not of a driver of GPUs. */
  private static KernelLine beside(String line, int text) {
    Kind kind = kindBeside(line.substring(text));
    long micros = kind == Kind.OTHER ? -1 : micros(line, text);
    if (micros < 0) {
      return OTHER;
    }
    String address = kind == Kind.MLX5 ? firstAddress(line.substring(text)) : "";
    return new KernelLine(kind, address, 0, micros);
  }

  private static Kind kindBeside(String words) {
    if (words.startsWith(ADAPTER)) {
      return ADAPTER_FAULTS.stream().anyMatch(words::contains) ? Kind.MLX5 : Kind.OTHER;
    }
    if (words.startsWith("INFO: task ")) {
      Matcher hung = HUNG_TASK.matcher(words);
      boolean isOfGpus =
          hung.matches() && GPU_TASK.matcher(hung.group(1).toLowerCase(Locale.ROOT)).matches();
      return isOfGpus ? Kind.HUNG_TASK : Kind.OTHER;
    }
    boolean isLockup = words.contains("soft lockup") && SOFT_LOCKUP.matcher(words).matches();
    return isLockup ? Kind.SOFT_LOCKUP : Kind.OTHER;
  }

  /**
   * When a record was written, since the node was started; -1 for one that is not the kernel's own.
   * A program can write to the log, too: only facility 0 is believed.
   */
  private static long micros(String line, int text) {
    long priority = number(line, 0, ',');
    int sequence = line.indexOf(',') + 1;
    int time = line.indexOf(',', sequence) + 1;
    boolean isKernel = priority >= 0 && priority <= 7 && time > 0 && time < text;
    return isKernel ? number(line, time, ',') : -1;
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
