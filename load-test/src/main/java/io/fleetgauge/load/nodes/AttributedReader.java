package io.fleetgauge.load.nodes;

import io.fleetgauge.probe.sampling.Reader;
import io.fleetgauge.probe.sampling.Readings;
import io.fleetgauge.probe.sampling.TickClass;
import io.fleetgauge.sample.Labels;
import io.fleetgauge.sample.Tick;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.function.Predicate;
import java.util.function.UnaryOperator;

/**
 * A reader of GPUs whose series get the labels of the job or pod that has the GPU, as attribution
 * adds them; series that are not selected are left out.
 */
final class AttributedReader implements Reader {
  private final Reader reader;
  private final TickClass constant;
  private final UnaryOperator<Labels> owner;
  private final Predicate<Labels> kept;
  private final Map<Labels, Labels> owned = new HashMap<>();

  /**
   * @param constant class of series that keep no owner: they are read too seldom
   * @param owner labels of who has the GPU or instance that a series is of
   * @param kept which series are kept
   */
  AttributedReader(
      Reader reader, TickClass constant, UnaryOperator<Labels> owner, Predicate<Labels> kept) {
    this.reader = reader;
    this.constant = constant;
    this.owner = owner;
    this.kept = kept;
  }

  /** Owners have changed. */
  void forgetOwners() {
    owned.clear();
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
  public void read(Set<TickClass> due, Readings out) throws Exception {
    Readings plain = new Readings();
    reader.read(due, plain);
    for (TickClass of : due) {
      Tick samples = plain.of(of).at(0);
      for (int i = 0; i < samples.size(); i++) {
        Labels series = owned.computeIfAbsent(samples.series().get(i), each -> labelled(each, of));
        if (!series.isEmpty()) {
          out.add(of, series, samples.values()[i]);
        }
      }
    }
  }

  private Labels labelled(Labels series, TickClass of) {
    if (!kept.test(series)) {
      return Labels.EMPTY;
    }
    boolean isOfGpu = !series.value("UUID").isEmpty() && !of.equals(constant);
    return isOfGpu ? series.with(owner.apply(series)) : series;
  }
}
