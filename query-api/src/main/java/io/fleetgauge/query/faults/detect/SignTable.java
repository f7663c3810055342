package io.fleetgauge.query.faults.detect;

import static io.fleetgauge.query.faults.reading.Signal.BANKS_LOW;
import static io.fleetgauge.query.faults.reading.Signal.BANKS_NONE;
import static io.fleetgauge.query.faults.reading.Signal.MARGIN;
import static io.fleetgauge.query.faults.reading.Signal.POWER;
import static io.fleetgauge.query.faults.reading.Signal.POWER_LIMIT;
import static io.fleetgauge.query.faults.reading.Signal.RECOVERY_ACTION;
import static io.fleetgauge.query.faults.reading.Signal.TEMPERATURE;

import io.fleetgauge.query.faults.detect.SignRow.Shown;
import io.fleetgauge.query.faults.reading.Readings;
import io.fleetgauge.query.faults.reading.Signal;
import io.fleetgauge.sample.gpu.FaultKind;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * The table of faults that are one state, one rate or one counter: {@code fault-signs.tsv}, and the
 * rows whose sign or text needs more than that.
 *
 * <p>A sign is conditions such as {@code MEMORY_USED > mib and PROCESSES < 1}: a reading, the rate
 * of a counter, against a number, a threshold of its kind or another reading; {@code A > b - c} is
 * there until A is not above b - c. {@code A rises} is any increase of a counter.
 */
final class SignTable {
  private static final String FILE = "fault-signs.tsv";
  private static final List<String[]> LINES = lines();

  private final Thresholds thresholds;

  private SignTable(Thresholds thresholds) {
    this.thresholds = thresholds;
  }

  static List<SignRow> ofGpu(Thresholds thresholds) {
    SignTable table = new SignTable(thresholds);
    List<SignRow> rows = new ArrayList<>(table.rows("gpu"));
    rows.addAll(List.of(table.recovery(), table.spareRows(), table.hot(), table.powerRange()));
    return rows;
  }

  static List<SignRow> ofPort(Thresholds thresholds) {
    return new SignTable(thresholds).rows("port");
  }

  /**
   * The row of a GPU that is allocated and does nothing.
   *
   * @param after key of the time after which it is told
   */
  static SignRow idle(Thresholds thresholds, String after) {
    String[] cells =
        LINES.stream().filter(each -> each[1].equals("idle")).findFirst().orElseThrow();
    return new SignTable(thresholds)
        .row(cells, thresholds.of(FaultKind.IDLE_ALLOCATION).millis(after));
  }

  // --- the file ---

  private static List<String[]> lines() {
    try (InputStream in = SignTable.class.getResourceAsStream(FILE)) {
      String text = new String(in.readAllBytes(), StandardCharsets.UTF_8);
      return text.lines().skip(1).map(line -> line.split("\t")).toList();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private List<SignRow> rows(String of) {
    return LINES.stream().filter(cells -> cells[1].equals(of)).map(this::row).toList();
  }

  private SignRow row(String[] cells) {
    return row(cells, after(thresholds.of(FaultKind.find(cells[0]).orElseThrow())));
  }

  private SignRow row(String[] cells, long after) {
    FaultKind kind = FaultKind.find(cells[0]).orElseThrow();
    Thresholds.OfKind limits = thresholds.of(kind);
    boolean isCount = cells[2].endsWith(" rises");
    String text = cells[5].replace("{after}", Amount.time(after));
    return new SignRow(
        kind,
        after,
        isCount ? null : check(cells[2], limits),
        Arrays.stream(cells[4].split("; ")).map(SignTable::shown).toList(),
        readings -> cells[3],
        (readings, part) -> Amount.in(text, readings, part, isCount));
  }

  private static long after(Thresholds.OfKind limits) {
    return limits.has("after") ? limits.millis("after") : 0;
  }

  private static Shown shown(String text) {
    int end = text.indexOf('=');
    return new Shown(Signal.valueOf(text.substring(0, end)), text.substring(end + 1));
  }

  private static Sign.Check check(String text, Thresholds.OfKind limits) {
    return Arrays.stream(text.split(" and "))
        .map(each -> condition(each.split(" "), limits))
        .reduce((a, b) -> (readings, was) -> Sign.both(a.at(readings, was), b.at(readings, was)))
        .orElseThrow();
  }

  private static Sign.Check condition(String[] words, Thresholds.OfKind limits) {
    Signal signal = Signal.valueOf(words[0]);
    String than = words[2];
    if (Character.isUpperCase(than.charAt(0))) {
      Signal other = Signal.valueOf(than);
      return (readings, was) ->
          Sign.both(
              Sign.of(readings.get(signal), true),
              Sign.of(readings.get(other), readings.get(signal) < readings.get(other)));
    }
    double limit =
        Character.isDigit(than.charAt(0)) ? Double.parseDouble(than) : limits.number(than);
    double hysteresis = words.length > 3 ? limits.number(words[4]) : 0;
    return switch (words[1]) {
      case ">" -> (readings, was) -> above(readings.read(signal), limit, was ? hysteresis : 0);
      case ">=" -> (readings, was) -> Sign.of(readings.get(signal), readings.get(signal) >= limit);
      case "<" -> (readings, was) -> Sign.of(readings.get(signal), readings.get(signal) < limit);
      default -> throw new IllegalStateException(FILE + " has the sign " + String.join(" ", words));
    };
  }

  private static Sign above(double value, double limit, double hysteresis) {
    return Sign.of(value, value > limit - hysteresis);
  }

  // --- what is more than a line ---

  private SignRow recovery() {
    return new SignRow(
        FaultKind.RECOVERY_ACTION,
        after(thresholds.of(FaultKind.RECOVERY_ACTION)),
        (gpu, was) -> above(gpu.get(RECOVERY_ACTION), 0, 0),
        List.of(new Shown(RECOVERY_ACTION, "recovery action")),
        SignTable::recoveryWord,
        (gpu, part) -> "The driver asks for " + recoveryText(gpu) + ".");
  }

  private static String recoveryWord(Readings gpu) {
    return switch ((int) gpu.get(RECOVERY_ACTION)) {
      case 1 -> "reset";
      case 2 -> "reboot";
      case 3 -> "drain_p2p";
      case 4 -> "drain_and_reset";
      default -> "other";
    };
  }

  private static String recoveryText(Readings gpu) {
    return switch (recoveryWord(gpu)) {
      case "reset" -> "a reset of the GPU";
      case "reboot" -> "a reboot of the node";
      case "drain_p2p" -> "a drain of the GPU's peer-to-peer traffic";
      case "drain_and_reset" -> "a drain and a reset of the GPU";
      default -> "recovery " + Amount.of(gpu.get(RECOVERY_ACTION));
    };
  }

  private SignRow spareRows() {
    Thresholds.OfKind limits = thresholds.of(FaultKind.ROW_SPARE_LOW);
    double banks = limits.number("banks");
    return new SignRow(
        FaultKind.ROW_SPARE_LOW,
        after(limits),
        (gpu, was) -> Sign.of(fewRows(gpu), fewRows(gpu) >= banks),
        List.of(
            new Shown(BANKS_LOW, "banks with few spare rows"),
            new Shown(BANKS_NONE, "banks without spare rows")),
        gpu -> "",
        (gpu, part) ->
            Amount.of(fewRows(gpu), "bank") + " of the memory have few spare rows, or none.");
  }

  private static double fewRows(Readings gpu) {
    return gpu.get(BANKS_LOW) + gpu.get(BANKS_NONE, 0);
  }

  private SignRow hot() {
    Thresholds.OfKind limits = thresholds.of(FaultKind.HOT);
    double margin = limits.number("margin");
    double celsius = limits.number("celsius");
    double hysteresis = limits.number("hysteresis");
    return new SignRow(
        FaultKind.HOT,
        after(limits),
        // Boards before Hopper report a margin of 0 or less at any temperature. Others that have
        // none left are hotter than the fixed limit.
        (gpu, was) ->
            gpu.get(MARGIN) > 0
                ? Sign.of(gpu.get(MARGIN), gpu.get(MARGIN) < (was ? margin + hysteresis : margin))
                : above(gpu.get(TEMPERATURE), celsius, was ? hysteresis : 0),
        List.of(
            new Shown(TEMPERATURE, "temperature, celsius"), new Shown(MARGIN, "margin, celsius")),
        gpu -> "",
        (gpu, part) ->
            gpu.get(MARGIN) > 0
                ? "The GPU is "
                    + Amount.of(gpu.get(MARGIN), "degree")
                    + " below the temperature at which it slows down."
                : "The GPU is at " + Amount.of(gpu.get(TEMPERATURE)) + " degrees Celsius.");
  }

  private SignRow powerRange() {
    Thresholds.OfKind limits = thresholds.of(FaultKind.POWER_RANGE);
    double share = limits.number("ofLimit");
    double least = limits.number("watts");
    return new SignRow(
        FaultKind.POWER_RANGE,
        after(limits),
        (gpu, was) -> {
          double power = gpu.get(POWER);
          double limit = gpu.get(POWER_LIMIT);
          // A limit of 0 is none.
          return Sign.of(power, power < least || limit > 0 && power > share * limit);
        },
        List.of(new Shown(POWER, "power, watts"), new Shown(POWER_LIMIT, "power limit, watts")),
        gpu -> "",
        (gpu, part) ->
            Amount.in("The power is {POWER} W; the limit is {POWER_LIMIT} W.", gpu, part, false));
  }
}
