package io.fleetgauge.promql.fragment;

import io.fleetgauge.promql.expr.Matcher;
import io.fleetgauge.promql.fragment.form.SelectorForm;
import io.fleetgauge.promql.lookup.HostState;
import io.fleetgauge.sample.wire.WireException;
import io.fleetgauge.sample.wire.WireReader;
import io.fleetgauge.sample.wire.WireWriter;
import java.util.Comparator;
import java.util.List;

/**
 * When hosts last sent samples.
 *
 * @param scope only hosts with a series that matches are in the answer; all when empty
 */
public record HostsQuestion(List<Matcher> scope) implements Question<HostsQuestion.Answer> {
  public record Answer(List<HostState> hosts) implements Result {
    @Override
    public void write(WireWriter out, WireWriter body) {
      out.list(
          hosts,
          host ->
              out.string(host.name())
                  .svar(host.newest())
                  .uvar(host.tickMillis())
                  .uvar(host.series()));
    }
  }

  static HostsQuestion read(WireReader in) throws WireException {
    return new HostsQuestion(SelectorForm.matchers(in));
  }

  @Override
  public void write(WireWriter out) {
    SelectorForm.matchers(out, scope);
  }

  @Override
  public Answer answer(WireReader in, byte[] bytes) throws WireException {
    return new Answer(
        in.list(
            4,
            "hosts",
            each ->
                new HostState(
                    each.string("a host"),
                    each.svar("a host's newest time"),
                    each.uvar("a host's tick"),
                    each.uvar("a host's series"))));
  }

  @Override
  public Answer answer(Holdings holdings) {
    return new Answer(holdings.states(scope));
  }

  @Override
  public boolean isWork() {
    return false;
  }

  /** By name. */
  public List<HostState> merged(List<Answer> answers) {
    return answers.stream()
        .flatMap(answer -> answer.hosts.stream())
        .sorted(Comparator.comparing(HostState::name))
        .toList();
  }
}
