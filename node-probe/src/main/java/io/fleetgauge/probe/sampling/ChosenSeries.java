package io.fleetgauge.probe.sampling;

import io.fleetgauge.sample.Labels;
import io.fleetgauge.sample.Tick;
import java.util.Set;
import java.util.function.Predicate;

/** A reader of which only some series are taken; a series that is not taken any more has ended. */
public final class ChosenSeries implements Reader {
  private final Reader reader;
  private final Predicate<Labels> chosen;

  public ChosenSeries(Reader reader, Predicate<Labels> chosen) {
    this.reader = reader;
    this.chosen = chosen;
  }

  @Override
  public String name() {
    return reader.name();
  }

  @Override
  public Set<TickClass> classes() {
    return reader.classes();
  }

  @Override
  public void begin(Set<TickClass> due, long time) {
    reader.begin(due, time);
  }

  @Override
  public void read(Set<TickClass> due, Readings out) throws Exception {
    Readings all = new Readings();
    reader.read(due, all);
    for (TickClass tickClass : due) {
      Tick read = all.at(tickClass, 0);
      Tick.Builder taken = out.of(tickClass);
      for (int i = 0; i < read.size(); i++) {
        if (!chosen.test(read.series().get(i))) {
          continue;
        }
        if (read.histograms() != null && read.histograms()[i] != null) {
          taken.add(read.series().get(i), read.histograms()[i]);
        } else {
          taken.add(read.series().get(i), read.values()[i]);
        }
      }
    }
  }
}
