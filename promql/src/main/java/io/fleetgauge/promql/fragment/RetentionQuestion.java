package io.fleetgauge.promql.fragment;

import io.fleetgauge.promql.lookup.HostRetention;
import io.fleetgauge.sample.wire.WireException;
import io.fleetgauge.sample.wire.WireReader;
import io.fleetgauge.sample.wire.WireWriter;
import java.util.List;

/** Since when samples of hosts are kept. */
public record RetentionQuestion() implements Question<RetentionQuestion.Answer> {
  public record Answer(List<HostRetention> hosts) implements Result {
    @Override
    public void write(WireWriter out, WireWriter body) {
      out.list(
          hosts, each -> out.string(each.host()).svar(each.oldest()).uvar(each.retentionMillis()));
    }
  }

  static RetentionQuestion read(WireReader in) {
    return new RetentionQuestion();
  }

  @Override
  public void write(WireWriter out) {}

  @Override
  public Answer answer(WireReader in, byte[] bytes) throws WireException {
    return new Answer(
        in.list(
            3,
            "hosts",
            each ->
                new HostRetention(
                    each.string("a host"),
                    each.svar("a host's oldest time"),
                    each.uvar("a host's retention"))));
  }

  @Override
  public Answer answer(Holdings holdings) {
    return new Answer(holdings.retentions());
  }

  @Override
  public boolean isWork() {
    return false;
  }

  /** Those of all gateways. */
  public List<HostRetention> merged(List<Answer> answers) {
    return answers.stream().flatMap(answer -> answer.hosts.stream()).toList();
  }
}
