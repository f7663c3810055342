package io.fleetgauge.promql.fragment;

import io.fleetgauge.promql.lookup.TooManySamples;
import io.fleetgauge.promql.query.QueryFailure;
import io.fleetgauge.promql.usage.UsageExtent;
import io.fleetgauge.sample.wire.WireException;
import io.fleetgauge.sample.wire.WireReader;
import io.fleetgauge.sample.wire.WireWriter;
import java.util.List;

/** Requests the amount that a question of usage would read. */
public record UsageExtentQuestion(UsageQuestion usage)
    implements Question<UsageExtentQuestion.Answer> {
  /** The amount at one gateway. */
  public record Answer(UsageExtent extent) implements Result {
    @Override
    public void write(WireWriter out, WireWriter body) {
      out.uvar(extent.series()).uvar(extent.samples()).uvar(extent.bytes());
    }
  }

  static UsageExtentQuestion read(WireReader in) throws WireException {
    return new UsageExtentQuestion(UsageQuestion.read(in));
  }

  @Override
  public void write(WireWriter out) {
    usage.write(out);
  }

  @Override
  public Answer answer(WireReader in, byte[] bytes) throws WireException {
    return new Answer(new UsageExtent(in.uvar("series"), in.uvar("samples"), in.uvar("bytes")));
  }

  @Override
  public Answer answer(Holdings holdings) throws TooManySamples, QueryFailure {
    return new Answer(usage.extent(holdings));
  }

  @Override
  public boolean isWork() {
    return false;
  }

  /** The sum of all gateways. */
  public UsageExtent merged(List<Answer> answers) {
    return answers.stream().map(Answer::extent).reduce(UsageExtent.NONE, UsageExtent::plus);
  }
}
