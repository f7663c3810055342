package io.fleetgauge.query.rules.template;

import java.util.ArrayList;
import java.util.List;

/** The variables of an execution: a template sees its own, and not those of who calls it. */
final class Variables {
  private final List<Variable> all = new ArrayList<>();

  /** Where those of the template begin that is executed. */
  private int base;

  private static final class Variable {
    private final String name;
    private Object value;

    private Variable(String name, Object value) {
      this.name = name;
      this.value = value;
    }
  }

  void declare(String name, Object value) {
    all.add(new Variable(name, value));
  }

  int size() {
    return all.size();
  }

  /** Forgets those that were declared since there were {@code size}. */
  void pop(int size) {
    all.subList(size, all.size()).clear();
  }

  /** A template begins that sees none of the variables; returns what {@link #leave} needs. */
  int enter() {
    int before = base;
    base = all.size();
    return before;
  }

  void leave(int before) {
    pop(base);
    base = before;
  }

  void setAt(int place, Object value) {
    all.get(place).value = value;
  }

  /** Whether there is such a variable, which has the value now. */
  boolean set(String name, Object value) {
    int place = place(name);
    if (place >= 0) {
      setAt(place, value);
    }
    return place >= 0;
  }

  /** The value of a variable; {@link Values#NONE} if there is no such. */
  Object get(String name) {
    int place = place(name);
    return place >= 0 ? all.get(place).value : Values.NONE;
  }

  private int place(String name) {
    for (int i = all.size() - 1; i >= base; i--) {
      if (all.get(i).name.equals(name)) {
        return i;
      }
    }
    return -1;
  }
}
