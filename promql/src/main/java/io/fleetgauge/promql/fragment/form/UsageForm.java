package io.fleetgauge.promql.fragment.form;

import io.fleetgauge.promql.lookup.Integral;
import io.fleetgauge.promql.usage.Amount;
import io.fleetgauge.promql.usage.UsageCell;
import io.fleetgauge.promql.usage.UsageCells;
import io.fleetgauge.promql.usage.UsagePlaces;
import io.fleetgauge.promql.usage.UsageRow;
import io.fleetgauge.promql.usage.UsageSums;
import io.fleetgauge.sample.Labels;
import io.fleetgauge.sample.wire.WireException;
import io.fleetgauge.sample.wire.WireReader;
import io.fleetgauge.sample.wire.WireWriter;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.ToLongFunction;

/**
 * Rows of usage, column by column, with each label and each label set written once.
 *
 * <p>They are read into sums, without an object for a row: a label set costs a look at its labels,
 * a row an addition for each of its amounts. Labels that nothing is summed up by are not decoded.
 */
public final class UsageForm {
  private static final int AMOUNTS = Amount.values().length;

  /** More are none of one answer or file. */
  public static final int MAX_ROWS = 1_000_000;

  /** A column of numbers of 128 bits. */
  private static final int WIDE = 16;

  /** From here on, a column is the same as one before it. */
  private static final int SAME = 32;

  private UsageForm() {}

  // --- writing ---

  public static void write(WireWriter out, List<UsageRow> rows) {
    new Writing(rows).write(out);
  }

  private static final class Writing {
    private final List<UsageRow> rows;
    private final Map<String, Integer> strings = new HashMap<>();
    private final Map<List<Integer>, Integer> pairs = new HashMap<>();
    private final Map<Labels, Integer> sets = new HashMap<>();
    private final List<long[]> columns = new ArrayList<>();

    Writing(List<UsageRow> rows) {
      this.rows = rows;
    }

    void write(WireWriter out) {
      WireWriter body = new WireWriter(4096);
      column(body, row -> set(row.device()));
      column(body, row -> set(row.owner()));
      column(body, UsageRow::interval);
      for (int i = 0; i < AMOUNTS; i++) {
        int amount = i;
        column(body, row -> row.amounts().get(amount).low(), row -> amounts(row, amount).high());
      }
      column(body, UsageRow::counted);
      column(body, row -> row.memoryPeak() + 1);
      column(body, row -> row.memoryAtEnd() + 1);
      column(body, row -> row.hostMemoryPeak() + 1);
      WireWriter labels = new WireWriter(1024);
      labels.list(
          inOrder(sets),
          set -> {
            labels.uvar(set.size());
            for (int i = 0; i < set.size(); i++) {
              labels.uvar(id(pairs, List.of(string(set.name(i)), string(set.value(i)))));
            }
          });
      WireWriter named = new WireWriter(1024);
      named.list(inOrder(pairs), pair -> pair.forEach(named::uvar));
      ListForm.strings(out, inOrder(strings));
      out.raw(named.array(), 0, named.size()).raw(labels.array(), 0, labels.size());
      out.uvar(rows.size()).raw(body.array(), 0, body.size());
    }

    private static Integral amounts(UsageRow row, int amount) {
      return row.amounts().get(amount);
    }

    private int set(Labels labels) {
      return id(sets, labels);
    }

    private int string(String string) {
      return id(strings, string);
    }

    private static <T> int id(Map<T, Integer> ids, T what) {
      Integer known = ids.putIfAbsent(what, ids.size());
      return known == null ? ids.size() - 1 : known;
    }

    private static <T> List<T> inOrder(Map<T, Integer> ids) {
      List<T> all = new ArrayList<>(Collections.nCopies(ids.size(), null));
      ids.forEach((what, id) -> all.set(id, what));
      return all;
    }

    private void column(WireWriter out, ToLongFunction<UsageRow> numbers) {
      column(out, numbers, none -> 0);
    }

    private void column(
        WireWriter out, ToLongFunction<UsageRow> lower, ToLongFunction<UsageRow> upper) {
      int count = rows.size();
      long[] numbers = new long[2 * count];
      long used = 0;
      boolean isWide = false;
      for (int i = 0; i < count; i++) {
        numbers[i] = lower.applyAsLong(rows.get(i));
        numbers[count + i] = upper.applyAsLong(rows.get(i));
        used |= numbers[i];
        isWide |= numbers[count + i] != 0;
      }
      int width = isWide ? WIDE : (Long.SIZE - Long.numberOfLeadingZeros(used) + 7) / Byte.SIZE;
      for (int i = 0; i < columns.size() && width > 0 && width < SAME; i++) {
        width = Arrays.equals(columns.get(i), numbers) ? SAME + i : width;
      }
      columns.add(numbers);
      out.u8(width);
      if (width == 0 || width >= SAME) {
        return;
      }
      for (int from = 0; from < count; from += Byte.SIZE) {
        int present = 0;
        for (int i = from; i < Math.min(count, from + Byte.SIZE); i++) {
          present |= (numbers[i] | numbers[count + i]) == 0 ? 0 : 1 << i - from;
        }
        out.u8(present);
      }
      for (int i = 0; i < count; i++) {
        if ((numbers[i] | numbers[count + i]) == 0) {
          continue;
        }
        if (isWide) {
          out.u64(numbers[i]).u64(numbers[count + i]);
        } else {
          for (int at = 0; at < width; at++) {
            out.u8((int) (numbers[i] >>> Byte.SIZE * at));
          }
        }
      }
    }
  }

  // --- reading ---

  /** Adds rows to sums. */
  public static void read(WireReader in, UsageSums sums, UsagePlaces places) throws WireException {
    new Reading(in, sums, places).read();
  }

  private static final class Reading {
    private final WireReader in;
    private final UsageSums sums;
    private final UsagePlaces places;

    // Of strings: where they begin.
    private int[] strings;

    // Of pairs: their name and value; the name is negative if the label is not meant.
    private int[] names;
    private int[] values;

    /** Of label sets: which one they are without the labels that are not meant. */
    private int[] reduced;

    // Of reduced sets, of which the first is empty: the set without the last pair, and that pair.
    private int[] shorter;
    private int[] lastPair;
    private int reducedCount = 1;

    private int rows;
    private long[] low;
    private long[] high;

    /** Whether {@code high} may have other numbers than 0. */
    private boolean isWide;

    private final List<Integer> columns = new ArrayList<>();

    Reading(WireReader in, UsageSums sums, UsagePlaces places) {
      this.in = in;
      this.sums = sums;
      this.places = places;
    }

    void read() throws WireException {
      strings();
      pairs();
      sets();
      rows = in.uint((int) Math.min(MAX_ROWS, 8L * in.left()), "the number of rows");
      low = new long[rows];
      high = new long[rows];
      UsageCell[] cells = new UsageCell[rows];
      int[] intervals = new int[rows];
      boolean isAnyMeant = cells(cells, intervals);
      for (int i = 0; i < AMOUNTS; i++) {
        if (column("an amount") && isAnyMeant) {
          for (int row = 0; row < rows; row++) {
            if (cells[row] != null) {
              cells[row].add(i, high[row], low[row]);
            }
          }
        }
      }
      if (column("the counted")) {
        for (int row = 0; row < rows; row++) {
          if (cells[row] != null) {
            cells[row].count((int) low[row]);
          }
        }
      }
      column("the peak");
      long[] peaks = low.clone();
      column("memory at the end");
      for (int row = 0; row < rows; row++) {
        if (cells[row] != null) {
          cells[row].addMemory(peaks[row] - 1, places.atEnd(intervals[row], low[row] - 1));
        }
      }
      if (column("the peak of the host")) {
        for (int row = 0; row < rows; row++) {
          if (cells[row] != null) {
            cells[row].seeOfHost(low[row] - 1);
          }
        }
      }
    }

    private void strings() throws WireException {
      strings = new int[in.count(1, "strings")];
      for (int i = 0; i < strings.length; i++) {
        strings[i] = in.position();
        in.skip(in.uint(in.left(), "the length of a string"), "a string");
      }
    }

    private String string(int id) throws WireException {
      int back = in.position();
      in.moveTo(strings[id]);
      String string = in.string("a string");
      in.moveTo(back);
      return string;
    }

    private void pairs() throws WireException {
      int count = in.count(2, "labels");
      names = new int[count];
      values = new int[count];
      Map<Integer, Boolean> isMeant = new HashMap<>();
      for (int i = 0; i < count; i++) {
        int name = in.uint(strings.length - 1, "a label's name");
        values[i] = in.uint(strings.length - 1, "a label's value");
        Boolean known = isMeant.get(name);
        if (known == null) {
          known = sums.isUsed(string(name));
          isMeant.put(name, known);
        }
        names[i] = known ? name : -1;
      }
    }

    private void sets() throws WireException {
      reduced = new int[in.count(1, "label sets")];
      shorter = new int[16];
      lastPair = new int[16];
      Map<Long, Integer> known = new HashMap<>();
      int[] alone = new int[names.length]; // most sets have one label that is meant
      for (int i = 0; i < reduced.length; i++) {
        int size = in.count(1, "labels of a set");
        int set = 0;
        for (int j = 0; j < size; j++) {
          int pair = in.uint(names.length - 1, "a label");
          if (names[pair] >= 0 && set == 0) {
            alone[pair] = alone[pair] == 0 ? reduced(0, pair) : alone[pair];
            set = alone[pair];
          } else if (names[pair] >= 0) {
            long longer = (long) set << Integer.SIZE | pair;
            Integer found = known.get(longer);
            if (found == null) {
              found = reduced(set, pair);
              known.put(longer, found);
            }
            set = found;
          }
        }
        reduced[i] = set;
      }
    }

    private int reduced(int set, int pair) {
      if (reducedCount == shorter.length) {
        shorter = Arrays.copyOf(shorter, 2 * reducedCount);
        lastPair = Arrays.copyOf(lastPair, 2 * reducedCount);
      }
      shorter[reducedCount] = set;
      lastPair[reducedCount] = pair;
      return reducedCount++;
    }

    private Labels labels(int set) throws WireException {
      List<String> flat = new ArrayList<>();
      for (int at = set; at > 0; at = shorter[at]) {
        flat.add(string(names[lastPair[at]]));
        flat.add(string(values[lastPair[at]]));
      }
      try {
        return flat.isEmpty() ? Labels.EMPTY : Labels.of(flat.toArray(String[]::new));
      } catch (IllegalArgumentException e) {
        throw new WireException("a label set is invalid: " + e.getMessage());
      }
    }

    /** Finds the cells that rows are added to; null for those that are not meant. */
    private boolean cells(UsageCell[] cells, int[] intervals) throws WireException {
      column("a device");
      long[] devices = low.clone();
      column("an owner");
      long[] owners = low.clone();
      column("an interval");
      Labels[] known = new Labels[reducedCount];
      // By owner, of the device that most have: the only one without labels that are meant.
      List<Optional<UsageCells>> ofNone = new ArrayList<>(Collections.nCopies(reducedCount, null));
      Map<Long, Optional<UsageCells>> ofOthers = new HashMap<>();
      boolean isAnyMeant = false;
      for (int row = 0; row < rows; row++) {
        int device = set(devices[row], "a device");
        int owner = set(owners[row], "an owner");
        long key = (long) device << Integer.SIZE | owner;
        Optional<UsageCells> sum = device == 0 ? ofNone.get(owner) : ofOthers.get(key);
        if (sum == null) {
          known[device] = known[device] == null ? labels(device) : known[device];
          known[owner] = known[owner] == null ? labels(owner) : known[owner];
          sum = sums.cells(known[device], known[owner]);
          if (device == 0) {
            ofNone.set(owner, sum);
          } else {
            ofOthers.put(key, sum);
          }
        }
        UsageCells here = sum.orElse(null);
        if (low[row] < 0 || low[row] >= places.count() || high[row] != 0) {
          throw new WireException("there is no interval " + low[row]);
        }
        intervals[row] = (int) low[row];
        int place = places.of(intervals[row]);
        if (here != null && place >= 0) {
          cells[row] = here.cell(place);
          isAnyMeant = true;
        }
      }
      return isAnyMeant;
    }

    private int set(long id, String what) throws WireException {
      if (id < 0 || id >= reduced.length) {
        throw new WireException(what + " has label set " + id + " of " + reduced.length);
      }
      return reduced[(int) id];
    }

    /**
     * Reads the next column.
     *
     * @return whether anything in it is other than zero
     */
    private boolean column(String what) throws WireException {
      columns.add(in.position());
      int width = in.u8(what);
      if (width < SAME) {
        return numbers(width, what);
      }
      if (width - SAME >= columns.size() - 1) {
        throw new WireException(what + " is the same as column " + (width - SAME));
      }
      int back = in.position();
      in.moveTo(columns.get(width - SAME));
      int sameWidth = in.u8(what);
      if (sameWidth >= SAME) {
        throw new WireException(what + " is the same as one that is the same as another");
      }
      boolean isAny = numbers(sameWidth, what);
      in.moveTo(back);
      return isAny;
    }

    private boolean numbers(int width, String what) throws WireException {
      if (isWide) {
        Arrays.fill(high, 0);
      }
      isWide = width == WIDE;
      if (width == 0) {
        Arrays.fill(low, 0);
        return false;
      }
      if (width > Long.BYTES && width != WIDE) {
        throw new WireException(what + " has " + width + " bytes");
      }
      int present = in.position();
      in.skip((rows + 7) / Byte.SIZE, what);
      for (int row = 0; row < rows; row++) {
        if ((in.at(present + row / Byte.SIZE) >> row % Byte.SIZE & 1) == 0) {
          low[row] = 0;
        } else if (isWide) {
          low[row] = in.u64(what);
          high[row] = in.u64(what);
        } else {
          low[row] = in.number(width, what);
        }
      }
      return true;
    }
  }
}
