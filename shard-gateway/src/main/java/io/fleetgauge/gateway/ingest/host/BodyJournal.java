package io.fleetgauge.gateway.ingest.host;

import io.fleetgauge.sample.frame.Frame;
import io.fleetgauge.sample.frame.RunDictionary;
import io.fleetgauge.sample.wire.WireWriter;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.Consumer;

/** The journal as one host writes to it. */
interface BodyJournal {
  /**
   * Appends what the session took; once more, if it has to be forced after all.
   *
   * @param forced whether it counts as kept only when it is on the disk
   * @param done is given, on any thread, whether it is kept
   */
  void write(HostSession.TakeResult taken, boolean forced, Consumer<Boolean> done);

  /**
   * Waits until all that was taken before is on the disk, so that another gateway may remove it.
   *
   * @param done is given, on any thread, whether it is
   */
  void barrier(Consumer<Boolean> done);

  /**
   * The runs of one body, with what its record in the journal needs of their dictionaries. It
   * belongs to the body: a body may be written later than the ones that came after it, or twice.
   */
  final class BodyRuns {
    /**
     * The part of a run's dictionary that is in the newest segment of the journal with a body of
     * it.
     */
    static final class InJournal {
      private final long run;
      private final RunDictionary dictionary;
      private long segment = -1;
      private int symbols;
      private int series;

      InJournal(long run, RunDictionary dictionary) {
        this.run = run;
        this.dictionary = dictionary;
      }
    }

    /**
     * The part of a run's dictionary that a body needs, and up to where the dictionary is known
     * with it.
     */
    private static final class Part {
      int neededSymbols;
      int neededSeries;
      int symbols;
      int series;

      void add(Frame.Additions more) {
        if (more.knownSymbols() > symbols || more.knownSeries() > series) {
          neededSymbols = Math.max(neededSymbols, more.knownSymbols());
          neededSeries = Math.max(neededSeries, more.knownSeries());
        }
        symbols = Math.max(symbols, more.knownSymbols() + more.symbols().size());
        series = Math.max(series, more.knownSeries() + more.series().size());
      }

      boolean isCovered(InJournal there, long segment) {
        return neededSymbols == 0 && neededSeries == 0
            || there.segment == segment
                && neededSymbols <= there.symbols
                && neededSeries <= there.series;
      }
    }

    private final String host;
    private final Map<InJournal, Part> parts = new LinkedHashMap<>();

    BodyRuns(String host) {
      this.host = host;
    }

    /** The body has a frame of this run, which understands it. */
    void add(InJournal run, Frame frame) {
      parts.computeIfAbsent(run, none -> new Part()).add(frame.additions());
    }

    /**
     * The body as a record for a segment of the journal. It begins with the dictionaries that the
     * body needs and the segment does not have.
     */
    byte[] record(byte[] body, long segment) {
      WireWriter record = null;
      for (var each : parts.entrySet()) {
        InJournal run = each.getKey();
        if (!each.getValue().isCovered(run, segment)) {
          record = record == null ? new WireWriter(2 * body.length) : record;
          byte[] dictionary = run.dictionary.encode(host, run.run);
          record.raw(dictionary, 0, dictionary.length);
        }
      }
      return record == null ? body : record.raw(body, 0, body.length).toBytes();
    }

    /** The record that was just made for this segment is in it. */
    void journaled(long segment) {
      parts.forEach(
          (run, part) -> {
            boolean hasAll = !part.isCovered(run, segment);
            boolean goesOn = run.segment == segment;
            int symbols = hasAll ? run.dictionary.symbolCount() : part.symbols;
            int series = hasAll ? run.dictionary.size() : part.series;
            run.symbols = goesOn ? Math.max(run.symbols, symbols) : symbols;
            run.series = goesOn ? Math.max(run.series, series) : series;
            run.segment = segment;
          });
    }
  }
}
