package io.fleetgauge.query.answer;

import io.fleetgauge.promql.exec.Answer;
import java.util.List;

/**
 * @param warnings the evaluator's, and what is missing
 */
public record Answered(Answer.Result result, List<String> warnings, List<String> infos) {}
