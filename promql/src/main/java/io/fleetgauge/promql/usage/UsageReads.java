package io.fleetgauge.promql.usage;

import io.fleetgauge.promql.expr.Matcher;
import io.fleetgauge.promql.lookup.Extent;
import io.fleetgauge.promql.lookup.TooManySamples;
import io.fleetgauge.promql.query.QueryFailure;
import io.fleetgauge.promql.query.Selection;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** Finds how much the usage of one host would be read of: goes the same way and reads nothing. */
public final class UsageReads {
  private final UsageTerms terms;
  private final UsageSamples samples;
  private final List<Matcher> matchers;
  private long series;
  private long sampleCount;
  private long bytes;

  /**
   * @param matchers that series have to match as well, so that those of others are not counted
   */
  public UsageReads(UsageTerms terms, UsageSamples samples, List<Matcher> matchers) {
    this.terms = terms;
    this.samples = samples;
    this.matchers = matchers;
  }

  /**
   * @param period and the rest as in {@link UsageHistory}
   */
  public UsageExtent of(
      UsagePeriod period, boolean hasMoreLabels, UsageSums sums, List<KeptMonth> months)
      throws TooManySamples, QueryFailure {
    List<KeptMonth> counted = new ArrayList<>();
    months.forEach(month -> counted.add(new Month(month)));
    new UsageHistory(period, terms, hasMoreLabels, this::sampled, sums).read(counted);
    return new UsageExtent(series, sampleCount, bytes);
  }

  private List<UsageRow> sampled(UsagePeriod part) {
    long found = 0;
    for (Selection selection :
        SampledUsage.selections(
            matchers, HostUsage.after(part, terms), HostUsage.to(part, terms))) {
      Extent extent = samples.extent(selection);
      found += extent.series();
      sampleCount += extent.samples();
    }
    series = Math.max(series, found);
    return List.of();
  }

  /** Counts bytes in place of their rows, which are kept by the terms of all that is. */
  private Optional<KeptRows> rows(long size) {
    return size == 0
        ? Optional.empty()
        : Optional.of(
            new KeptRows() {
              @Override
              public UsageTerms terms() {
                return UsageTerms.DEFAULT;
              }

              @Override
              public boolean isOfExporter() {
                return false;
              }

              @Override
              public void addTo(UsageSums sums, UsagePlaces places) {
                bytes += size;
              }
            });
  }

  private final class Month implements KeptMonth {
    private final KeptMonth month;

    Month(KeptMonth month) {
      this.month = month;
    }

    @Override
    public long from() {
      return month.from();
    }

    @Override
    public long to() {
      return month.to();
    }

    @Override
    public boolean hasSamples() {
      return month.hasSamples();
    }

    @Override
    public long bytes() {
      return month.bytes();
    }

    @Override
    public Optional<KeptRows> whole() {
      return rows(month.bytes());
    }

    @Override
    public List<KeptDay> days() {
      List<KeptDay> days = new ArrayList<>();
      month.days().forEach(day -> days.add(new Day(day)));
      return days;
    }
  }

  private final class Day implements KeptDay {
    private final KeptDay day;

    Day(KeptDay day) {
      this.day = day;
    }

    @Override
    public long from() {
      return day.from();
    }

    @Override
    public boolean hasSamples() {
      return day.hasSamples();
    }

    @Override
    public long bytes() {
      return day.bytes();
    }

    @Override
    public Optional<KeptRows> whole() {
      return rows(day.bytes());
    }

    @Override
    public Optional<KeptRows> hours() {
      return rows(day.bytes());
    }
  }
}
