package io.fleetgauge.promql.fragment;

import io.fleetgauge.promql.query.PartResult;
import io.fleetgauge.sample.Labels;
import io.fleetgauge.sample.Series;
import io.fleetgauge.sample.gzip.GzipPiece;
import io.fleetgauge.sample.prometheus.MetricMetadata;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** The answer of a gateway to a {@link Fragment}. */
public sealed interface FragmentAnswer {
  /** The epoch of the gateway's table. */
  long epoch();

  /** The hosts that this answer is complete for; hosts asked for but not listed are not. */
  List<String> covered();

  /** The hosts that the answer has data of; they are not asked again. */
  default List<String> read() {
    return covered();
  }

  /**
   * @param series one list for each selection that was asked for, in the same order
   */
  record Samples(long epoch, List<String> covered, List<List<Series>> series)
      implements FragmentAnswer {}

  /** Names or values of labels, sorted, each once. */
  record Strings(long epoch, List<String> covered, List<String> strings)
      implements FragmentAnswer {}

  record LabelSets(long epoch, List<String> covered, List<Labels> labelSets)
      implements FragmentAnswer {}

  /**
   * Who owned series.
   *
   * @param omitted how many more series match than the limit allowed
   * @param series those that have an owner at any time asked for
   */
  record Owners(long epoch, List<String> covered, long omitted, List<OwnedSeries> series)
      implements FragmentAnswer {}

  /**
   * The owners of one series.
   *
   * @param identity its labels without the dimensions, which are the owner's
   * @param intervals ascending, not overlapping, within the time asked for
   */
  record OwnedSeries(Labels identity, List<OwnerInterval> intervals) {}

  /**
   * An owner for some time.
   *
   * @param owner the dimensions, such as job, tenant and pod; empty while nobody owned the series
   * @param from first time, ms since the epoch
   * @param to last time, included, ms since the epoch
   */
  record OwnerInterval(Labels owner, long from, long to) {}

  /**
   * Parts of a query.
   *
   * @param read the hosts with data in it; some may be incomplete and so not covered
   * @param parts one for each that was asked for, in the same order
   * @param notes how each part was evaluated, for explain; empty when there is nothing to note
   * @param rollupCells how many rollup cells were used
   * @param hostLabels the labels from which this gateway derives the host of a series, in order
   * @param changes what had changed before anything was read for this, if that was asked for
   */
  record Parts(
      long epoch,
      List<String> covered,
      List<String> read,
      List<PartResult> parts,
      List<String> notes,
      long rollupCells,
      List<String> hostLabels,
      Optional<Changes> changes)
      implements FragmentAnswer {
    /** Parts of a query, without what had changed. */
    public Parts(
        long epoch,
        List<String> covered,
        List<String> read,
        List<PartResult> parts,
        List<String> notes,
        long rollupCells,
        List<String> hostLabels) {
      this(epoch, covered, read, parts, notes, rollupCells, hostLabels, Optional.empty());
    }

    /** The same, with what had changed before anything was read for it. */
    public Parts after(Optional<Changes> before) {
      return new Parts(epoch, covered, read, parts, notes, rollupCells, hostLabels, before);
    }

    /**
     * Whether gateways derive hosts from the same labels. If not, one series may belong to
     * different hosts for them, and their results together are not the result over all series.
     */
    public static boolean haveSameHostLabels(List<FragmentAnswer> answers) {
      return answers.stream()
              .filter(Parts.class::isInstance)
              .map(answer -> ((Parts) answer).hostLabels())
              .distinct()
              .count()
          <= 1;
    }
  }

  /** The gateway cannot guarantee exact partial results; the samples have to be fetched instead. */
  record Unfit(long epoch, List<String> covered, String reason) implements FragmentAnswer {}

  /**
   * @param covered the hosts that are here; each answer has its own
   * @param answers one for each fragment, in the same order
   */
  record Several(long epoch, List<String> covered, List<FragmentAnswer> answers)
      implements FragmentAnswer {}

  /** One of {@link Several} reads more samples than it may; every gateway would refuse it alike. */
  record Refused(long epoch, List<String> covered, String reason) implements FragmentAnswer {}

  /**
   * How much there is to be read.
   *
   * @param series how many series match, by selection
   * @param samples about how many samples of them are in its time, by selection
   */
  record Extent(long epoch, List<String> covered, List<Long> series, List<Long> samples)
      implements FragmentAnswer {}

  /**
   * @param metrics what each metric is said to be, by name
   */
  record Metadata(long epoch, List<String> covered, Map<String, MetricMetadata> metrics)
      implements FragmentAnswer {}

  /**
   * @param gzip whether the lines are packed
   */
  record Newest(long epoch, List<String> covered, boolean gzip, List<Family> families)
      implements FragmentAnswer {}

  /**
   * Lines of one metric; they are many, so they stay in the array that they came in.
   *
   * @param series how many lines
   * @param lines where they are; if they are not packed, its lengths are equal and it has no CRC
   */
  record Family(String name, int series, GzipPiece lines) {}

  record Reduced(long epoch, List<String> covered, List<Reductions> reductions)
      implements FragmentAnswer {}

  /** Metrics with the same grouping labels, which share their groups. */
  record Reductions(List<String> by, List<Labels> groups, List<Reduction> metrics) {}

  /**
   * One metric; a place in each array for a group. Where the count is 0 the metric has none of it.
   *
   * @param carries what the sums have lost to rounding
   * @param newest time of the newest sample, ms
   */
  record Reduction(
      String metric,
      long[] counts,
      double[] sums,
      double[] carries,
      double[] mins,
      double[] maxs,
      long[] newest) {

    /** A metric that none of so many groups has yet. */
    public static Reduction empty(String metric, int groups) {
      return new Reduction(
          metric,
          new long[groups],
          new double[groups],
          new double[groups],
          new double[groups],
          new double[groups],
          new long[groups]);
    }
  }

  record Hosts(long epoch, List<String> covered, List<Host> hosts) implements FragmentAnswer {}

  /**
   * A host with stored samples.
   *
   * @param newest time of its newest sample, ms
   * @param tickMillis how often it sends, ms
   * @param series how many it has
   */
  record Host(String name, long newest, long tickMillis, long series) {}

  /**
   * What has changed.
   *
   * @param incarnation another one than the asker's says that everything may have changed
   * @param cursor to ask with the next time
   * @param watermark the time up to which all hosts that send ticks have sent them, ms
   */
  record Changes(
      long epoch,
      List<String> covered,
      long incarnation,
      long cursor,
      long watermark,
      List<Changed> hosts)
      implements FragmentAnswer {}

  /** How long a bucket of time is, ms: bucket n is (5 s n, 5 s (n + 1)], open as windows are. */
  long BUCKET_MILLIS = 5_000;

  /** The bucket that a sample's time is in. */
  static long bucket(long time) {
    return Math.floorDiv(time - 1, BUCKET_MILLIS);
  }

  /**
   * What has changed of a host.
   *
   * @param all whether everything may have
   * @param buckets which, when not all
   */
  record Changed(String host, boolean all, List<Long> buckets) {}
}
