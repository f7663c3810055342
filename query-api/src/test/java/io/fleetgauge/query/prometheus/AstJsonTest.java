package io.fleetgauge.query.prometheus;

import static org.assertj.core.api.Assertions.assertThat;

import io.fleetgauge.promql.expr.Expr;
import io.fleetgauge.promql.syntax.Parser;
import io.fleetgauge.query.http.Json;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The forms of nodes; {@code ParserComparisonTest} compares many trees with Prometheus's. */
class AstJsonTest {
  private static String tree(String text) throws Exception {
    Expr expr = Parser.parse(text);
    String json = Json.data(out -> AstJson.write(out, expr)).toString();
    return json.substring("{\"status\":\"success\",\"data\":".length(), json.length() - 1);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      value = {
        "1.50 | {\"type\":\"numberLiteral\",\"val\":\"1.5\"}",
        "\"<a>\" | {\"type\":\"stringLiteral\",\"val\":\"\\u003ca\\u003e\"}",
        "-a | {\"expr\":SELECTOR,\"op\":\"-\",\"type\":\"unaryExpr\"}",
        "(a) | {\"expr\":SELECTOR,\"type\":\"parenExpr\"}",
        "sum(a) | {\"expr\":SELECTOR,\"grouping\":[],\"op\":\"sum\",\"param\":null,"
            + "\"type\":\"aggregation\",\"without\":false}",
        "topk without (x) (2, a) | {\"expr\":SELECTOR,\"grouping\":[\"x\"],\"op\":\"topk\","
            + "\"param\":{\"type\":\"numberLiteral\",\"val\":\"2\"},\"type\":\"aggregation\","
            + "\"without\":true}",
        "a[5m] | {\"matchers\":[NAMED],\"name\":\"a\",\"offset\":0,\"range\":300000,"
            + "\"startOrEnd\":null,\"timestamp\":null,\"type\":\"matrixSelector\"}",
        "a offset 1s @ 2 | {\"matchers\":[NAMED],\"name\":\"a\",\"offset\":1000,"
            + "\"startOrEnd\":null,\"timestamp\":2000,\"type\":\"vectorSelector\"}",
        "a @ start() | {\"matchers\":[NAMED],\"name\":\"a\",\"offset\":0,"
            + "\"startOrEnd\":\"start\",\"timestamp\":null,\"type\":\"vectorSelector\"}",
        "a @ end() | {\"matchers\":[NAMED],\"name\":\"a\",\"offset\":0,"
            + "\"startOrEnd\":\"end\",\"timestamp\":null,\"type\":\"vectorSelector\"}",
        "a[5m:1m] | {\"expr\":SELECTOR,\"offset\":0,\"range\":300000,\"step\":60000,"
            + "\"startOrEnd\":null,\"timestamp\":null,\"type\":\"subquery\"}",
        "abs(a) | {\"args\":[SELECTOR],\"func\":{\"argTypes\":[\"vector\"],\"name\":\"abs\","
            + "\"returnType\":\"vector\",\"variadic\":0},\"type\":\"call\"}",
        "a > bool 1 | {\"bool\":true,\"lhs\":SELECTOR,\"matching\":null,\"op\":\"\\u003e\","
            + "\"rhs\":{\"type\":\"numberLiteral\",\"val\":\"1\"},\"type\":\"binaryExpr\"}",
        "a and a | {\"bool\":false,\"lhs\":SELECTOR,\"matching\":{\"card\":\"many-to-many\","
            + "\"include\":[],\"labels\":[],\"on\":false},\"op\":\"and\",\"rhs\":SELECTOR,"
            + "\"type\":\"binaryExpr\"}",
        "a * on (x) a | {\"bool\":false,\"lhs\":SELECTOR,\"matching\":{\"card\":\"one-to-one\","
            + "\"include\":[],\"labels\":[\"x\"],\"on\":true},\"op\":\"*\",\"rhs\":SELECTOR,"
            + "\"type\":\"binaryExpr\"}",
        "a * on (x) group_left (y) a | {\"bool\":false,\"lhs\":SELECTOR,"
            + "\"matching\":{\"card\":\"many-to-one\",\"include\":[\"y\"],\"labels\":[\"x\"],"
            + "\"on\":true},\"op\":\"*\",\"rhs\":SELECTOR,\"type\":\"binaryExpr\"}",
        "a * ignoring (x) group_right a | {\"bool\":false,\"lhs\":SELECTOR,"
            + "\"matching\":{\"card\":\"one-to-many\",\"include\":[],\"labels\":[\"x\"],"
            + "\"on\":false},\"op\":\"*\",\"rhs\":SELECTOR,\"type\":\"binaryExpr\"}"
      })
  void eachNodeHasPrometheusForm(String text, String form) throws Exception {
    String named = "{\"name\":\"__name__\",\"type\":\"=\",\"value\":\"a\"}";
    String selector =
        "{\"matchers\":[NAMED],\"name\":\"a\",\"offset\":0,\"startOrEnd\":null,"
            + "\"timestamp\":null,\"type\":\"vectorSelector\"}";
    assertThat(tree(text)).isEqualTo(form.replace("SELECTOR", selector).replace("NAMED", named));
  }

  @ParameterizedTest
  @CsvSource({"=, =", "!=, !=", "=~, =~", "!~, !~"})
  void eachMatcherHasItsOperator(String operator, String type) throws Exception {
    assertThat(tree("{a=\"b\",c" + operator + "\"d\"}"))
        .contains("{\"name\":\"c\",\"type\":\"" + type + "\",\"value\":\"d\"}")
        .contains("\"name\":\"\",\"offset\"");
  }
}
