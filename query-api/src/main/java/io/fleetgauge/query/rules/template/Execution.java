package io.fleetgauge.query.rules.template;

import io.fleetgauge.query.rules.template.Answers.Unanswered;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * Executes a parsed template, with the errors of Go's text/template.
 *
 * @see <a href="https://pkg.go.dev/text/template">text/template, exec.go</a>
 */
final class Execution {
  /** Most nodes that are executed. */
  static final int MAX_STEPS = 200_000;

  /** Longest text that a template makes, or a function returns, UTF-16 units. */
  static final int MAX_OUTPUT = 1 << 18;

  /** How deep templates may call each other. */
  static final int MAX_CALLS = 100;

  /**
   * How deep calls, branches and pipelines may nest, over all templates that call each other: the
   * stack of a thread, which is of a megabyte, has room for them.
   */
  static final int MAX_DEPTH = 300;

  /** Longest text of a node in an error, UTF-16 units. */
  private static final int MAX_NODE_TEXT = 1_000;

  private static final Object MISSING = new Object();

  private final String text;
  private final String parseName;
  private final Map<String, Node.Block> trees;
  private final Functions functions;
  private final StringBuilder out = new StringBuilder();
  private final Variables variables = new Variables();
  private String name;
  private Node node;
  private int steps;
  private int calls;
  private int depth;

  private enum Flow {
    ON,
    BREAK,
    CONTINUE
  }

  private Execution(String name, String text, Map<String, Node.Block> trees, Functions functions) {
    this.name = name;
    this.parseName = name;
    this.text = text;
    this.trees = trees;
    this.functions = functions;
  }

  static String run(
      String name,
      String text,
      Map<String, Node.Block> trees,
      TemplateData data,
      Functions functions)
      throws TemplateFailure, Unanswered {
    Execution execution = new Execution(name, text, trees, functions);
    execution.variables.declare("$", data);
    execution.walk(data, trees.get(name));
    return execution.out.toString();
  }

  /** The value of an alert: a number or a histogram. */
  static Object value(TemplateData data) {
    return data.histogram() != null ? data.histogram() : (Object) data.value();
  }

  // --- errors ---

  private TemplateFailure error(String message) {
    if (node == null) {
      return new TemplateFailure("template: " + name + ": " + message);
    }
    int at = Math.min(node.at(), text.length());
    int lineStart = text.lastIndexOf('\n', at - 1) + 1;
    int line = 1;
    for (int i = 0; i < at; i++) {
      line += text.charAt(i) == '\n' ? 1 : 0;
    }
    int column = Values.utf8Length(text.substring(lineStart, at));
    String shown = node.toString();
    return new TemplateFailure(
        "template: "
            + parseName
            + ":"
            + line
            + ":"
            + column
            + ": executing "
            + Quoted.of(name)
            + " at <"
            + (shown.length() > MAX_NODE_TEXT ? shown.substring(0, MAX_NODE_TEXT) + "..." : shown)
            + ">: "
            + message);
  }

  private void at(Node other) throws TemplateFailure {
    node = other;
    if (++steps > MAX_STEPS) {
      throw error("the template takes more than " + MAX_STEPS + " steps");
    }
  }

  private void append(String more) throws TemplateFailure {
    if (out.length() + more.length() > MAX_OUTPUT) {
      throw error("the template makes more than " + MAX_OUTPUT + " characters");
    }
    out.append(more);
  }

  // --- nodes ---

  private Flow walk(Object dot, Node.Statement at) throws TemplateFailure, Unanswered {
    at(at);
    switch (at) {
      case Node.Action action -> {
        Object value = pipeline(dot, action.pipe());
        if (action.pipe().declared().isEmpty()) {
          at(action);
          append(value == null ? "<no value>" : printed(value));
        }
      }
      case Node.Block block -> {
        for (Node.Statement part : block.nodes()) {
          Flow flow = walk(dot, part);
          if (flow != Flow.ON) {
            return flow;
          }
        }
      }
      case Node.Text literal -> append(literal.text());
      case Node.Branch branch -> {
        enter();
        int mark = variables.size();
        Flow flow =
            branch.kind() == Node.Branching.RANGE ? range(dot, branch) : branch(dot, branch);
        variables.pop(mark);
        depth--;
        return flow;
      }
      case Node.Invocation invocation -> invoke(dot, invocation);
      case Node.Break _ -> {
        return Flow.BREAK;
      }
      case Node.Continue _ -> {
        return Flow.CONTINUE;
      }
      case Node.End _, Node.Else _ -> throw error("unknown node: " + at);
    }
    return Flow.ON;
  }

  private String printed(Object value) throws TemplateFailure {
    try {
      return GoFormat.value(value);
    } catch (TemplateFailure e) {
      throw error(e.getMessage());
    }
  }

  private void enter() throws TemplateFailure {
    if (++depth > MAX_DEPTH) {
      throw error("calls, branches and pipelines nest more than " + MAX_DEPTH + " deep");
    }
  }

  private Flow branch(Object dot, Node.Branch branch) throws TemplateFailure, Unanswered {
    Object value = pipeline(dot, branch.pipe());
    if (Values.isTrue(value)) {
      return walk(branch.kind() == Node.Branching.WITH ? value : dot, branch.then());
    }
    return branch.otherwise() == null ? Flow.ON : walk(dot, branch.otherwise());
  }

  private void invoke(Object dot, Node.Invocation invocation) throws TemplateFailure, Unanswered {
    Node.Block called = trees.get(invocation.name());
    if (called == null) {
      throw error("template " + Quoted.of(invocation.name()) + " not defined");
    }
    if (calls == MAX_CALLS) {
      throw error("exceeded maximum template depth (" + MAX_CALLS + ")");
    }
    Object argument = invocation.pipe() == null ? null : pipeline(dot, invocation.pipe());
    String caller = name;
    enter();
    calls++;
    name = invocation.name();
    int outer = variables.enter();
    variables.declare("$", argument);
    walk(argument, called);
    variables.leave(outer);
    name = caller;
    calls--;
    depth--;
  }

  private Flow range(Object dot, Node.Branch branch) throws TemplateFailure, Unanswered {
    Object value = pipeline(dot, branch.pipe());
    int mark = variables.size();
    switch (value) {
      case null -> {}
      case Values.Result result -> {
        for (int i = 0; i < result.samples().size(); i++) {
          if (iterate(branch, mark, (long) i, result.samples().get(i))) {
            return Flow.ON;
          }
        }
        if (!result.samples().isEmpty()) {
          return Flow.ON;
        }
      }
      case Map<?, ?> map -> {
        if (overMap(branch, mark, map)) {
          return Flow.ON;
        }
      }
      case Values.Arguments arguments -> {
        if (overMap(branch, mark, arguments.values())) {
          return Flow.ON;
        }
      }
      case Long count -> {
        if (branch.pipe().declared().size() > 1) {
          throw error("can't use " + count + " to iterate over more than one variable");
        }
        for (long i = 0; i < count; i++) {
          if (iterate(branch, mark, null, i)) {
            return Flow.ON;
          }
        }
        if (count > 0) {
          return Flow.ON;
        }
      }
      default -> throw error("range can't iterate over " + printed(value));
    }
    return branch.otherwise() == null ? Flow.ON : walk(dot, branch.otherwise());
  }

  private boolean overMap(Node.Branch branch, int mark, Map<?, ?> map)
      throws TemplateFailure, Unanswered {
    for (var entry : new java.util.TreeMap<>(map).entrySet()) {
      if (iterate(branch, mark, entry.getKey(), entry.getValue())) {
        return true;
      }
    }
    return !map.isEmpty();
  }

  /** Executes the body once; returns whether the range is left. */
  private boolean iterate(Node.Branch branch, int mark, Object index, Object element)
      throws TemplateFailure, Unanswered {
    List<Node.Variable> declared = branch.pipe().declared();
    if (branch.pipe().assigns()) {
      if (declared.size() > 1) {
        set(declared.get(0).names().getFirst(), index);
        set(declared.get(1).names().getFirst(), element);
      } else if (declared.size() == 1) {
        set(declared.get(0).names().getFirst(), element);
      }
    } else if (!declared.isEmpty()) {
      variables.setAt(mark - 1, element);
      if (declared.size() > 1) {
        variables.setAt(mark - 2, index);
      }
    }
    Flow flow = walk(element, branch.then());
    variables.pop(mark);
    return flow == Flow.BREAK;
  }

  private void set(String variable, Object value) throws TemplateFailure {
    if (!variables.set(variable, value)) {
      throw error("undefined variable: " + variable);
    }
  }

  private Object variable(String wanted) throws TemplateFailure {
    Object value = variables.get(wanted);
    if (value == Values.NONE) {
      throw error("undefined variable: " + wanted);
    }
    return value;
  }

  // --- pipelines ---

  private Object pipeline(Object dot, Node.Pipe pipe) throws TemplateFailure, Unanswered {
    at(pipe);
    enter();
    Object value = MISSING;
    for (Node.Command command : pipe.commands()) {
      value = command(dot, command, value);
    }
    depth--;
    for (Node.Variable variable : pipe.declared()) {
      if (pipe.assigns()) {
        set(variable.names().getFirst(), value);
      } else {
        variables.declare(variable.names().getFirst(), value);
      }
    }
    return value;
  }

  private Object command(Object dot, Node.Command command, Object last)
      throws TemplateFailure, Unanswered {
    List<Node.Operand> words = command.words();
    Node.Operand first = words.getFirst();
    switch (first) {
      case Node.Field field -> {
        at(field);
        return fields(dot, dot, field, field.names(), words, last);
      }
      case Node.Chain chain -> {
        return chain(dot, chain, words, last);
      }
      case Node.Identifier identifier -> {
        at(identifier);
        return call(dot, identifier.name(), command, words, last);
      }
      case Node.Pipe pipe -> {
        notAFunction(words, last);
        return pipeline(dot, pipe);
      }
      case Node.Variable variable -> {
        return variable(dot, variable, words, last);
      }
      case Node.Dot _, Node.Nil _, Node.Bool _, Node.Number _, Node.Str _ -> {
        at(first);
        notAFunction(words, last);
        if (first instanceof Node.Nil) {
          throw error("nil is not a command");
        }
        return first instanceof Node.Dot ? dot : literal(first);
      }
    }
  }

  /** The value of a bool, a number or a string. */
  private Object literal(Node.Operand word) throws TemplateFailure {
    if (word instanceof Node.Bool bool) {
      return bool.value();
    }
    return word instanceof Node.Number number ? constant(number) : ((Node.Str) word).text();
  }

  private void notAFunction(List<Node.Operand> words, Object last) throws TemplateFailure {
    if (words.size() > 1 || last != MISSING) {
      throw error("can't give argument to non-function " + words.getFirst());
    }
  }

  private Object constant(Node.Number number) throws TemplateFailure {
    at(number);
    if (number.value() == null) {
      throw error(number.text() + " overflows int");
    }
    return number.value();
  }

  private Object chain(Object dot, Node.Chain chain, List<Node.Operand> words, Object last)
      throws TemplateFailure, Unanswered {
    at(chain);
    if (chain.of() instanceof Node.Nil) {
      throw error("indirection through explicit nil in " + chain);
    }
    Object of = argument(dot, null, chain.of());
    return fields(dot, of, chain, chain.names(), words, last);
  }

  private Object variable(Object dot, Node.Variable variable, List<Node.Operand> words, Object last)
      throws TemplateFailure, Unanswered {
    at(variable);
    Object value = variable(variable.names().getFirst());
    if (variable.names().size() == 1) {
      notAFunction(words, last);
      return value;
    }
    List<String> fields = variable.names().subList(1, variable.names().size());
    return fields(dot, value, variable, fields, words, last);
  }

  private Object fields(
      Object dot,
      Object of,
      Node.Operand at,
      List<String> names,
      List<Node.Operand> words,
      Object last)
      throws TemplateFailure, Unanswered {
    Object value = of;
    for (String field : names.subList(0, names.size() - 1)) {
      value = field(dot, value, field, at, List.of(at), MISSING);
    }
    return field(dot, value, names.getLast(), at, words, last);
  }

  private Object field(
      Object dot, Object of, String field, Node at, List<Node.Operand> words, Object last)
      throws TemplateFailure, Unanswered {
    boolean arguments = words.size() > 1 || last != MISSING;
    switch (of) {
      case null -> {
        return null;
      }
      case TemplateData data -> {
        Object value = Values.field(data, field);
        if (value != Values.NONE) {
          if (arguments) {
            throw error(field + " has arguments but cannot be invoked as function");
          }
          return value;
        }
      }
      case Values.Sample sample -> {
        if (field.equals("Labels") || field.equals("Value")) {
          if (arguments) {
            throw error(field + " has arguments but cannot be invoked as function");
          }
          return field.equals("Labels") ? sample.labels() : sample.value();
        }
      }
      case Map<?, ?> map -> {
        if (arguments) {
          throw error(field + " is not a method but has arguments");
        }
        Object value = map.get(field);
        return value == null ? "" : value;
      }
      case Values.Arguments values -> {
        if (arguments) {
          throw error(field + " is not a method but has arguments");
        }
        return values.values().get(field);
      }
      case GoTime time when GoTime.METHODS.containsKey(field) -> {
        return call(dot, time, field, words, last);
      }
      case Values.GoDuration duration when arguments || field.matches("Seconds|String") -> {
        if (!arguments) {
          return field.equals("Seconds") ? (Object) duration.seconds() : duration.toString();
        }
      }
      case io.fleetgauge.sample.Histogram histogram when Values.field(histogram, field) != null -> {
        return Values.field(histogram, field);
      }
      default -> {}
    }
    throw error("can't evaluate field " + field + " in type " + Values.type(of));
  }

  private Object call(Object dot, GoTime time, String method, List<Node.Operand> words, Object last)
      throws TemplateFailure, Unanswered {
    int wanted = GoTime.METHODS.get(method);
    int got = words.size() - 1 + (last == MISSING ? 0 : 1);
    if (got != wanted) {
      throw error("wrong number of args for " + method + ": want " + wanted + " got " + got);
    }
    List<Object> arguments = new ArrayList<>();
    for (Node.Operand word : words.subList(1, words.size())) {
      arguments.add(argument(dot, Functions.Type.STRING, word));
    }
    if (last != MISSING) {
      arguments.add(checked(last, Functions.Type.STRING));
    }
    try {
      return functions.returned(time.call(method, arguments));
    } catch (TemplateFailure e) {
      throw error("error calling " + method + ": " + e.getMessage());
    }
  }

  // --- calls ---

  private Object call(Object dot, String function, Node at, List<Node.Operand> words, Object last)
      throws TemplateFailure, Unanswered {
    Functions.Signature signature = Functions.signature(function);
    List<Node.Operand> given = words.subList(1, words.size());
    int count = given.size() + (last == MISSING ? 0 : 1);
    int fixed = signature.fixed().size();
    if (signature.rest() != null && count < fixed) {
      throw error(
          "wrong number of args for "
              + function
              + ": want at least "
              + fixed
              + " got "
              + given.size());
    }
    if (signature.rest() == null && count != fixed) {
      throw error("wrong number of args for " + function + ": want " + fixed + " got " + count);
    }
    if (function.equals("and") || function.equals("or")) {
      return shortCircuit(dot, function.equals("or"), given, last);
    }
    List<Object> arguments = new ArrayList<>();
    for (int i = 0; i < given.size(); i++) {
      arguments.add(
          argument(dot, i < fixed ? signature.fixed().get(i) : signature.rest(), given.get(i)));
    }
    if (last != MISSING) {
      int place = arguments.size();
      arguments.add(checked(last, place < fixed ? signature.fixed().get(place) : signature.rest()));
    }
    try {
      return functions.call(function, arguments);
    } catch (TemplateFailure e) {
      at(at);
      throw error("error calling " + function + ": " + e.getMessage());
    }
  }

  private Object shortCircuit(Object dot, boolean or, List<Node.Operand> given, Object last)
      throws TemplateFailure, Unanswered {
    Object value = null;
    for (Node.Operand word : given) {
      value = argument(dot, Functions.Type.VALUE, word);
      if (Values.isTrue(value) == or) {
        return value;
      }
    }
    return last == MISSING ? value : last;
  }

  private Object argument(Object dot, Functions.Type type, Node.Operand word)
      throws TemplateFailure, Unanswered {
    at(word);
    switch (word) {
      case Node.Dot _ -> {
        return checked(dot, type);
      }
      case Node.Nil _ -> {
        if (type == null || type.mayBeNil()) {
          return null;
        }
        throw error("cannot assign nil to " + type.text);
      }
      case Node.Field field -> {
        return checked(fields(dot, dot, field, field.names(), List.of(field), MISSING), type);
      }
      case Node.Variable variable -> {
        return checked(variable(dot, variable, List.of(variable), MISSING), type);
      }
      case Node.Pipe pipe -> {
        return checked(pipeline(dot, pipe), type);
      }
      case Node.Identifier identifier -> {
        return checked(
            call(dot, identifier.name(), identifier, List.of(identifier), MISSING), type);
      }
      case Node.Chain chain -> {
        return checked(chain(dot, chain, List.of(chain), MISSING), type);
      }
      case Node.Bool _, Node.Number _, Node.Str _ -> {
        if (type == Functions.Type.STRING && !(word instanceof Node.Str)) {
          throw error("expected string; found " + word);
        }
        if (type == Functions.Type.SAMPLE || type == Functions.Type.RESULT) {
          throw error("can't handle " + word + " for arg of type " + type.text);
        }
        return literal(word);
      }
    }
  }

  private Object checked(Object value, Functions.Type type) throws TemplateFailure {
    if (type == null) {
      return value;
    }
    if (value == null) {
      if (type.mayBeNil()) {
        return null;
      }
      throw error("invalid value; expected " + type.text);
    }
    if (!type.accepts(value)) {
      throw error("wrong type for value; expected " + type.text + "; got " + Values.type(value));
    }
    return value;
  }
}
