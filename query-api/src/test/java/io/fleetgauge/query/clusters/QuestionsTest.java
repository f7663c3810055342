package io.fleetgauge.query.clusters;

import static org.assertj.core.api.Assertions.assertThat;

import io.fleetgauge.promql.exec.Engine;
import io.fleetgauge.promql.expr.Feature;
import io.fleetgauge.promql.fragment.PartsQuestion;
import io.fleetgauge.promql.plan.PartText;
import io.fleetgauge.promql.query.AddedLabel;
import io.fleetgauge.promql.query.Annotation;
import io.fleetgauge.promql.query.Grid;
import io.fleetgauge.promql.query.PartResult;
import io.fleetgauge.promql.query.Query;
import io.fleetgauge.promql.query.StopCheck;
import io.fleetgauge.promql.syntax.ParseOptions;
import io.fleetgauge.promql.syntax.Parser;
import io.fleetgauge.sample.Labels;
import io.fleetgauge.sample.Series;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class QuestionsTest {
  private static final AddedLabel B = new AddedLabel("cluster", "b");

  /** Remarks of a cluster are about the text that it was asked, which has more matchers. */
  @Test
  void remarksAreAboutWhatWasAskedAtFirst() throws Exception {
    String text = "sinh(increase(gpu_job[2m]))";
    PartText part = PartText.of(Parser.parse(text, new ParseOptions(Feature.STOCK, 0, 0)));
    PartsQuestion asked =
        new PartsQuestion(
            0,
            0,
            0,
            Query.Settings.STOCK,
            1_000,
            List.of(new PartsQuestion.Part(part, new Grid(300_000, 1, 300_000), false, false)),
            Optional.empty());
    Asked<PartsQuestion.Answer> there =
        new Questions(new Selecting.Expected(B)).of(asked).getFirst();
    PartsQuestion question = (PartsQuestion) there.question();
    PartsQuestion.Part put = question.parts().getFirst();
    Query query = question.query(put);
    PartResult result =
        Engine.columns(
            query,
            query.expr(),
            put.grid(),
            (selection, receiver) ->
                receiver.accept(
                    new Series(
                        Labels.of(Labels.NAME, "gpu_job", "cluster", "b"),
                        new long[] {200_000, 290_000},
                        new double[] {1, 2})),
            StopCheck.NEVER);
    PartsQuestion.Results answer =
        new PartsQuestion.Results(
            List.of(), List.of(result), List.of(""), 0, List.of("Hostname"), Optional.empty());
    PartsQuestion.Results seen = (PartsQuestion.Results) there.seen().of(answer);
    Annotation remark = seen.parts().getFirst().annotations().getFirst();
    assertThat(part.promql().substring(remark.span().start(), remark.span().end()))
        .isEqualTo("gpu_job[2m]");
  }
}
