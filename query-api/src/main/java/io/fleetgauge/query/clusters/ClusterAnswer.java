package io.fleetgauge.query.clusters;

import io.fleetgauge.promql.fragment.FragmentAnswer;
import io.fleetgauge.promql.fragment.FragmentCodec;
import io.fleetgauge.promql.fragment.PartsQuestion;
import io.fleetgauge.promql.fragment.Question;
import io.fleetgauge.promql.fragment.Result;
import io.fleetgauge.promql.fragment.form.ListForm;
import io.fleetgauge.query.fleet.Changes;
import io.fleetgauge.query.source.Coverage;
import io.fleetgauge.sample.wire.WireException;
import io.fleetgauge.sample.wire.WireReader;
import io.fleetgauge.sample.wire.WireWriter;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * The answers of the gateways of another cluster, and their bytes. They name no hosts but those
 * that are missing.
 *
 * @param coverage the hosts that they are of
 * @param changes since an earlier look, if they were asked for; their position is a number
 */
record ClusterAnswer<A extends Result>(
    List<A> answers, Coverage coverage, Optional<Changes> changes) {

  /** The answers to two questions for the same hosts. */
  ClusterAnswer<A> and(ClusterAnswer<A> other) {
    List<A> all = new ArrayList<>(answers);
    all.addAll(other.answers);
    return new ClusterAnswer<>(all, coverage.and(other.coverage), Optional.empty());
  }

  byte[] encode(Question<?> question) {
    WireWriter out = new WireWriter();
    out.u8('C').u8('A').u8(ClusterQuestion.VERSION);
    out.svar(coverage.epoch()).uvar(coverage.hosts());
    ListForm.strings(out, coverage.missing());
    out.u8(coverage.hedged() ? 1 : 0).string(coverage.split());
    out.u8(changes.isPresent() ? 1 : 0);
    changes.ifPresent(
        each ->
            out.u64((Long) each.position())
                .svar(each.epoch())
                .svar(each.watermark())
                .u8(each.all() ? 1 : 0)
                .list(each.buckets(), out::svar));
    out.uvar(answers.size());
    for (A answer : answers) {
      byte[] bytes =
          FragmentCodec.encode(
              new FragmentAnswer(Math.max(0, coverage.epoch()), List.of(), withoutHosts(answer)),
              question);
      out.uvar(bytes.length).raw(bytes, 0, bytes.length);
    }
    return out.toBytes();
  }

  private static Result withoutHosts(Result answer) {
    return answer instanceof PartsQuestion.Results results
        ? new PartsQuestion.Results(
            List.of(),
            results.parts(),
            results.notes(),
            results.rollupCells(),
            results.hostLabels(),
            Optional.empty())
        : answer;
  }

  /**
   * @param question that it has to answer
   */
  @SuppressWarnings("unchecked") // an answer is decoded as one to the question
  static <A extends Result> ClusterAnswer<A> decode(byte[] bytes, Question<A> question)
      throws WireException {
    WireReader in = new WireReader(bytes);
    ClusterQuestion.header(in, 'A');
    long epoch = in.svar("the epoch");
    int hosts = in.uint(Integer.MAX_VALUE, "the number of hosts");
    List<String> missing = ListForm.strings(in, "missing hosts");
    boolean hedged = in.flag("whether replicas answered");
    String split = in.string("the split");
    Optional<Changes> changes =
        in.flag("whether there are changes") ? Optional.of(changes(in)) : Optional.empty();
    int count = in.count(1, "answers");
    List<A> answers = new ArrayList<>(count);
    for (int i = 0; i < count; i++) {
      byte[] one = in.raw(in.uint(in.left(), "an answer's length"), "an answer");
      answers.add((A) FragmentCodec.decode(one, question).result());
    }
    in.end("the answers");
    return new ClusterAnswer<>(
        answers, new Coverage(hosts, missing, epoch, List.of(), hedged, split), changes);
  }

  private static Changes changes(WireReader in) throws WireException {
    long position = in.u64("the position");
    long epoch = in.svar("the epoch");
    long watermark = in.svar("the watermark");
    boolean all = in.flag("whether all has changed");
    return new Changes(
        epoch, watermark, all, in.list(1, "buckets", each -> each.svar("a bucket")), position);
  }
}
