package io.fleetgauge.query.prometheus;

import com.fasterxml.jackson.core.JsonGenerator;
import io.fleetgauge.promql.expr.Expr;
import io.fleetgauge.promql.expr.Function;
import io.fleetgauge.promql.expr.InvalidUtf8;
import io.fleetgauge.promql.expr.Matcher;
import io.fleetgauge.promql.expr.ValueType;
import io.fleetgauge.sample.prometheus.Numbers;
import java.io.IOException;
import java.util.List;

/** Writes a syntax tree in the form of {@code /api/v1/parse_query}; fields are sorted by name. */
final class AstJson {
  private AstJson() {}

  static void write(JsonGenerator json, Expr expr) throws IOException {
    json.writeStartObject();
    switch (expr) {
      case Expr.Number number -> {
        json.writeStringField("type", "numberLiteral");
        json.writeStringField("val", Numbers.plain(number.value()));
      }
      case Expr.Text text -> {
        json.writeStringField("type", "stringLiteral");
        json.writeStringField("val", InvalidUtf8.replaced(text.value()));
      }
      case Expr.Selector selector -> {
        selector(json, selector);
        shift(json, selector.shift());
        json.writeStringField("type", "vectorSelector");
      }
      case Expr.Window window -> {
        selector(json, window.selector());
        json.writeNumberField("range", window.range());
        shift(json, window.selector().shift());
        json.writeStringField("type", "matrixSelector");
      }
      case Expr.Subquery subquery -> {
        child(json, "expr", subquery.input());
        json.writeNumberField("offset", subquery.shift().offset());
        json.writeNumberField("range", subquery.range());
        json.writeNumberField("step", subquery.step());
        shift(json, subquery.shift());
        json.writeStringField("type", "subquery");
      }
      case Expr.Call call -> {
        json.writeArrayFieldStart("args");
        for (Expr argument : call.arguments()) {
          write(json, argument);
        }
        json.writeEndArray();
        function(json, call.function());
        json.writeStringField("type", "call");
      }
      case Expr.Aggregate aggregate -> {
        child(json, "expr", aggregate.input());
        strings(json, "grouping", aggregate.grouping().labels());
        json.writeStringField("op", aggregate.op().text());
        if (aggregate.parameter().isPresent()) {
          child(json, "param", aggregate.parameter().get());
        } else {
          json.writeNullField("param");
        }
        json.writeStringField("type", "aggregation");
        json.writeBooleanField("without", aggregate.grouping().without());
      }
      case Expr.Unary unary -> {
        child(json, "expr", unary.input());
        json.writeStringField("op", unary.minus() ? "-" : "+");
        json.writeStringField("type", "unaryExpr");
      }
      case Expr.Binary binary -> {
        json.writeBooleanField("bool", binary.bool());
        child(json, "lhs", binary.left());
        matching(json, binary);
        json.writeStringField("op", binary.op().text);
        child(json, "rhs", binary.right());
        json.writeStringField("type", "binaryExpr");
      }
      case Expr.Paren paren -> {
        child(json, "expr", paren.inner());
        json.writeStringField("type", "parenExpr");
      }
    }
    json.writeEndObject();
  }

  private static void child(JsonGenerator json, String name, Expr expr) throws IOException {
    json.writeFieldName(name);
    write(json, expr);
  }

  private static void strings(JsonGenerator json, String name, List<String> strings)
      throws IOException {
    json.writeArrayFieldStart(name);
    for (String string : strings) {
      json.writeString(string);
    }
    json.writeEndArray();
  }

  private static void selector(JsonGenerator json, Expr.Selector selector) throws IOException {
    json.writeArrayFieldStart("matchers");
    for (Matcher matcher : selector.matchers()) {
      json.writeStartObject();
      json.writeStringField("name", matcher.name());
      json.writeStringField("type", matcher.kind().text);
      json.writeStringField("value", InvalidUtf8.replaced(matcher.value()));
      json.writeEndObject();
    }
    json.writeEndArray();
    json.writeStringField("name", selector.named() ? selector.matchers().getLast().value() : "");
    json.writeNumberField("offset", selector.shift().offset());
  }

  private static void shift(JsonGenerator json, Expr.Shift shift) throws IOException {
    Expr.At at = shift.at().orElse(null);
    switch (at) {
      case Expr.At.Start start -> json.writeStringField("startOrEnd", "start");
      case Expr.At.End end -> json.writeStringField("startOrEnd", "end");
      case Expr.At.Time time -> json.writeNullField("startOrEnd");
      case null -> json.writeNullField("startOrEnd");
    }
    if (at instanceof Expr.At.Time time) {
      json.writeNumberField("timestamp", time.millis());
    } else {
      json.writeNullField("timestamp");
    }
  }

  private static void function(JsonGenerator json, Function function) throws IOException {
    json.writeObjectFieldStart("func");
    json.writeArrayFieldStart("argTypes");
    for (ValueType type : function.arguments()) {
      json.writeString(type.text);
    }
    json.writeEndArray();
    json.writeStringField("name", function.text());
    json.writeStringField("returnType", function.returns().text);
    json.writeNumberField("variadic", function.variadic());
    json.writeEndObject();
  }

  private static void matching(JsonGenerator json, Expr.Binary binary) throws IOException {
    boolean vectors =
        binary.left().type() == ValueType.VECTOR && binary.right().type() == ValueType.VECTOR;
    if (!vectors) {
      json.writeNullField("matching");
      return;
    }
    Expr.Matching matching = binary.matching();
    json.writeObjectFieldStart("matching");
    json.writeStringField(
        "card",
        binary.op().isSet()
            ? "many-to-many"
            : switch (matching.many()) {
              case NEITHER -> "one-to-one";
              case LEFT -> "many-to-one";
              case RIGHT -> "one-to-many";
            });
    strings(json, "include", matching.include());
    strings(json, "labels", matching.labels());
    json.writeBooleanField("on", matching.on());
    json.writeEndObject();
  }
}
