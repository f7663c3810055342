package io.fleetgauge.query.rules.template;

import io.fleetgauge.query.rules.template.Answers.UnknownAnswer;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * Expands a parsed template for one alert.
 *
 * @see <a href="https://pkg.go.dev/text/template">text/template</a>
 */
final class TemplateRun {
  /** Most nodes that are executed. */
  static final int MAX_STEPS = 200_000;

  /** Longest text that a template makes, or a function returns, UTF-16 units. */
  static final int MAX_OUTPUT = 1 << 18;

  /**
   * Depth to which calls, branches and pipelines may nest, over all templates that call each other:
   * the stack of a thread, which is of a megabyte, has room for them.
   */
  static final int MAX_DEPTH = 300;

  /** Longest text of an action in an error, UTF-16 units. */
  private static final int MAX_ACTION = 100;

  private final TemplateParser.Tree template;
  private final TemplateValue.Alert alert;
  private final FunctionCalls functions;
  private final StringBuilder out = new StringBuilder();
  private List<Variable> variables = new ArrayList<>();
  private int steps;
  private int depth;

  // The action that is being executed.
  private int from;
  private int to;

  private static final class Variable {
    private final String name;
    private TemplateValue value;

    private Variable(String name, TemplateValue value) {
      this.name = name;
      this.value = value;
    }
  }

  private TemplateRun(TemplateParser.Tree template, TemplateData data, Answers answers) {
    this.template = template;
    this.alert = new TemplateValue.Alert(data);
    this.functions = new FunctionCalls(data, answers);
  }

  static String run(TemplateParser.Tree template, TemplateData data, Answers answers)
      throws TemplateFailure, UnknownAnswer {
    TemplateRun run = new TemplateRun(template, data, answers);
    run.declare("$", run.alert);
    run.declare("$labels", new TemplateValue.Labels(data.labels()));
    run.declare("$externalLabels", new TemplateValue.Labels(data.externalLabels()));
    run.declare("$externalURL", new TemplateValue.Text(data.externalUrl()));
    run.declare("$value", run.alert.value());
    try {
      run.block(run.alert, template.root());
    } catch (TemplateFailure e) {
      String action = template.text().substring(run.from, run.to).strip().replaceAll("\\s+", " ");
      throw TemplateFailure.at(
          template.text(),
          run.from,
          TemplateFailure.cut(action, MAX_ACTION) + ": " + e.getMessage());
    }
    return run.out.toString();
  }

  // --- limits ---

  private void step() throws TemplateFailure {
    if (++steps > MAX_STEPS) {
      throw new TemplateFailure("the template takes more than " + MAX_STEPS + " steps");
    }
  }

  private void enter() throws TemplateFailure {
    if (++depth > MAX_DEPTH) {
      throw new TemplateFailure(
          "calls, branches and pipelines nest more than " + MAX_DEPTH + " deep");
    }
  }

  private void append(String more) throws TemplateFailure {
    if (out.length() + more.length() > MAX_OUTPUT) {
      throw new TemplateFailure("the template makes more than " + MAX_OUTPUT + " characters");
    }
    out.append(more);
  }

  // --- statements ---

  private void block(TemplateValue dot, Node.Block block) throws TemplateFailure, UnknownAnswer {
    enter();
    int mark = variables.size();
    for (Node.Statement statement : block.statements()) {
      statement(dot, statement);
    }
    forget(mark);
    depth--;
  }

  private void statement(TemplateValue dot, Node.Statement statement)
      throws TemplateFailure, UnknownAnswer {
    step();
    int mark = variables.size();
    switch (statement) {
      case Node.Text literal -> append(literal.text());
      case Node.Action action -> {
        at(action.from(), action.to());
        TemplateValue value = pipeline(dot, action.pipe());
        if (action.pipe().variables().isEmpty()) {
          append(value instanceof TemplateValue.Nothing ? "<no value>" : value.written());
        }
      }
      case Node.If branch -> {
        at(branch.from(), branch.to());
        boolean isTrue = pipeline(dot, branch.pipe()).isTrue();
        block(dot, isTrue ? branch.then() : branch.otherwise());
        forget(mark);
      }
      case Node.With branch -> {
        at(branch.from(), branch.to());
        TemplateValue value = pipeline(dot, branch.pipe());
        block(value.isTrue() ? value : dot, value.isTrue() ? branch.then() : branch.otherwise());
        forget(mark);
      }
      case Node.Range range -> {
        range(dot, range);
        forget(mark);
      }
      case Node.Invocation invocation -> invoke(dot, invocation);
    }
  }

  private void at(int begin, int end) {
    from = begin;
    to = end;
  }

  private void range(TemplateValue dot, Node.Range range) throws TemplateFailure, UnknownAnswer {
    at(range.from(), range.to());
    TemplateValue value = pipeline(dot, range.pipe());
    switch (value) {
      case TemplateValue.Samples(List<TemplateValue.Sample> samples) -> {
        for (int i = 0; i < samples.size(); i++) {
          iterate(range, new TemplateValue.Whole(i), samples.get(i));
        }
      }
      case TemplateValue.Labels(Map<String, String> labels) -> {
        for (var label : new TreeMap<>(labels).entrySet()) {
          TemplateValue text = new TemplateValue.Text(label.getValue());
          iterate(range, new TemplateValue.Text(label.getKey()), text);
        }
      }
      case TemplateValue.Arguments(List<TemplateValue> values) -> {
        for (int i = 0; i < values.size(); i++) {
          iterate(range, new TemplateValue.Text("arg" + i), values.get(i));
        }
      }
      case TemplateValue.Atom _,
          TemplateValue.Text _,
          TemplateValue.Sample _,
          TemplateValue.Alert _ ->
          throw new TemplateFailure(
              "range needs labels or the result of a query, not " + value.described());
      case TemplateValue.Nothing _ -> {}
    }
    if (!value.isTrue()) {
      block(dot, range.otherwise());
    }
  }

  private void iterate(Node.Range range, TemplateValue index, TemplateValue element)
      throws TemplateFailure, UnknownAnswer {
    List<String> names = range.pipe().variables();
    if (!names.isEmpty()) {
      set(names.getLast(), element);
    }
    if (names.size() > 1) {
      set(names.getFirst(), index);
    }
    block(element, range.each());
  }

  private void invoke(TemplateValue dot, Node.Invocation invocation)
      throws TemplateFailure, UnknownAnswer {
    at(invocation.from(), invocation.to());
    Node.Block called = template.defined().get(invocation.name());
    if (called == null) {
      throw new TemplateFailure("there is no template " + invocation.name());
    }
    TemplateValue argument =
        invocation.pipe() == null ? TemplateValue.NOTHING : pipeline(dot, invocation.pipe());
    List<Variable> outer = variables;
    variables = new ArrayList<>();
    declare("$", argument);
    block(argument, called);
    variables = outer;
  }

  // --- variables ---

  private void declare(String name, TemplateValue value) {
    variables.add(new Variable(name, value));
  }

  private void forget(int mark) {
    variables.subList(mark, variables.size()).clear();
  }

  private void set(String name, TemplateValue value) throws TemplateFailure {
    variable(name).value = value;
  }

  private Variable variable(String name) throws TemplateFailure {
    for (Variable variable : variables.reversed()) {
      if (variable.name.equals(name)) {
        return variable;
      }
    }
    throw new TemplateFailure("there is no variable " + name + " here");
  }

  // --- pipelines ---

  private TemplateValue pipeline(TemplateValue dot, Node.Pipe pipe)
      throws TemplateFailure, UnknownAnswer {
    step();
    enter();
    TemplateValue value = null;
    for (Node.Command command : pipe.commands()) {
      value = command(dot, command, value);
    }
    depth--;
    for (String name : pipe.variables()) {
      if (pipe.declares()) {
        declare(name, value);
      } else {
        set(name, value);
      }
    }
    return value;
  }

  /**
   * @param piped the value of the command before; null if there is none
   */
  private TemplateValue command(TemplateValue dot, Node.Command command, TemplateValue piped)
      throws TemplateFailure, UnknownAnswer {
    return switch (command.first()) {
      case Node.Call(TemplateFunction function) -> call(dot, function, command.arguments(), piped);
      case Node.Fields fields -> fields(dot, fields, command.arguments(), piped);
      case Node.Dot _, Node.Variable _, Node.Literal _, Node.Pipe _ -> {
        if (!command.arguments().isEmpty() || piped != null) {
          throw new TemplateFailure("a value that is no function has arguments");
        }
        yield operand(dot, command.first());
      }
    };
  }

  private TemplateValue operand(TemplateValue dot, Node.Operand operand)
      throws TemplateFailure, UnknownAnswer {
    step();
    return switch (operand) {
      case Node.Literal literal -> literal.value();
      case Node.Dot _ -> dot;
      case Node.Variable variable -> variable(variable.name()).value;
      case Node.Pipe pipe -> pipeline(dot, pipe);
      case Node.Call(TemplateFunction function) -> call(dot, function, List.of(), null);
      case Node.Fields fields -> fields(dot, fields, List.of(), null);
    };
  }

  private List<TemplateValue> operands(
      TemplateValue dot, List<Node.Operand> operands, TemplateValue piped)
      throws TemplateFailure, UnknownAnswer {
    List<TemplateValue> values = new ArrayList<>();
    for (Node.Operand operand : operands) {
      values.add(operand(dot, operand));
    }
    if (piped != null) {
      values.add(piped);
    }
    return values;
  }

  private TemplateValue fields(
      TemplateValue dot, Node.Fields fields, List<Node.Operand> arguments, TemplateValue piped)
      throws TemplateFailure, UnknownAnswer {
    TemplateValue value = operand(dot, fields.of());
    List<String> names = fields.names();
    for (String name : names.subList(0, names.size() - 1)) {
      value = functions.field(value, name, List.of());
    }
    return functions.field(value, names.getLast(), operands(dot, arguments, piped));
  }

  private TemplateValue call(
      TemplateValue dot,
      TemplateFunction function,
      List<Node.Operand> arguments,
      TemplateValue piped)
      throws TemplateFailure, UnknownAnswer {
    function.check(arguments.size() + (piped == null ? 0 : 1));
    if (function != TemplateFunction.AND && function != TemplateFunction.OR) {
      return functions.call(function, operands(dot, arguments, piped));
    }
    TemplateValue value = TemplateValue.NOTHING;
    for (Node.Operand argument : arguments) {
      value = operand(dot, argument);
      if (value.isTrue() == (function == TemplateFunction.OR)) {
        return value;
      }
    }
    return piped == null ? value : piped;
  }
}
