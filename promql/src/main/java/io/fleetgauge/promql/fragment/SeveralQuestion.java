package io.fleetgauge.promql.fragment;

import io.fleetgauge.promql.fragment.form.ListForm;
import io.fleetgauge.promql.lookup.TooManySamples;
import io.fleetgauge.promql.query.QueryFailure;
import io.fleetgauge.sample.wire.WireException;
import io.fleetgauge.sample.wire.WireReader;
import io.fleetgauge.sample.wire.WireWriter;
import java.util.ArrayList;
import java.util.List;

/**
 * Reads of the same hosts that are one request, because together they cost less than one by one.
 *
 * @param questions for samples and for parts of queries
 */
public record SeveralQuestion(List<Question<?>> questions)
    implements Question<SeveralQuestion.Answer> {
  private static final int REFUSED = 2;

  /**
   * @param answers one for each question, in the same order
   */
  public record Answer(List<One> answers) implements Result {
    @Override
    public void write(WireWriter out, WireWriter body) {
      out.uvar(answers.size());
      for (One each : answers) {
        WireWriter one = new WireWriter();
        WireWriter rest = new WireWriter();
        if (each.result instanceof Refusal refusal) {
          one.u8(REFUSED).string(refusal.reason);
        } else {
          one.u8(each.whole ? 1 : 0);
          if (!each.whole) {
            ListForm.strings(one, each.covered);
          }
          each.result.write(one, rest);
        }
        byte[] bytes = one.toBytes(rest);
        out.uvar(bytes.length).raw(bytes, 0, bytes.length);
      }
    }
  }

  /**
   * The answer to one of the questions, or a {@link Refusal}.
   *
   * @param whole whether it covers the same hosts as all answers together
   * @param covered the hosts that it covers, when not whole
   */
  public record One(boolean whole, List<String> covered, Result result) {}

  /** One of the questions reads more samples than it may; every gateway would refuse it alike. */
  public record Refusal(String reason) implements Result {
    @Override
    public void write(WireWriter out, WireWriter body) {
      out.string(reason);
    }
  }

  static SeveralQuestion read(WireReader in) throws WireException {
    return new SeveralQuestion(in.list(2, "fragments", SeveralQuestion::question));
  }

  private static Question<?> question(WireReader in) throws WireException {
    Kind kind = Kind.of(in.u8("the kind"));
    if (kind != Kind.SAMPLES && kind != Kind.PARTS) {
      throw new WireException("the kind " + kind.code + " is not one of several");
    }
    return kind.question(in);
  }

  @Override
  public void write(WireWriter out) {
    out.list(questions, each -> each.write(out.u8(each.kind().code)));
  }

  @Override
  public Answer answer(WireReader in, byte[] bytes) throws WireException {
    int count = in.count(2, "answers");
    if (count != questions.size()) {
      throw new WireException(count + " answers to " + questions.size() + " questions");
    }
    List<One> answers = new ArrayList<>(count);
    for (Question<?> question : questions) {
      byte[] one = in.raw(in.uint(Integer.MAX_VALUE, "the length of an answer"), "an answer");
      WireReader reader = new WireReader(one);
      answers.add(one(question, reader, one));
      reader.end("an answer");
    }
    return new Answer(answers);
  }

  private static One one(Question<?> question, WireReader in, byte[] bytes) throws WireException {
    int form = in.uint(REFUSED, "the form of an answer");
    if (form == REFUSED) {
      return new One(true, List.of(), new Refusal(in.string("the reason")));
    }
    List<String> covered = form == 1 ? List.of() : ListForm.strings(in, "covered hosts");
    return new One(form == 1, covered, question.answer(in, bytes));
  }

  /** Each is answered by itself: the others are of other queries, which a failure is not about. */
  @Override
  public Answer answer(Holdings holdings) throws QueryFailure {
    List<One> answers = new ArrayList<>(questions.size());
    for (Question<?> question : questions) {
      Holdings own = holdings.again();
      Result result;
      try {
        result = question.answer(own);
      } catch (TooManySamples e) {
        result = new Refusal(e.getMessage());
      } catch (RuntimeException e) {
        String reason = holdings.failed(question, e);
        // The query API can evaluate a part of a query; without samples there is no answer.
        result =
            question instanceof PartsQuestion
                ? new PartsQuestion.Unfit(reason)
                : new Refusal(reason);
      }
      List<String> covered = own.covered();
      boolean whole = covered.equals(holdings.hosts());
      answers.add(new One(whole, whole ? List.of() : covered, result));
    }
    return new Answer(answers);
  }

  @Override
  public long timeoutMillis() {
    return questions.stream().mapToLong(Question::timeoutMillis).max().orElse(Long.MAX_VALUE);
  }
}
