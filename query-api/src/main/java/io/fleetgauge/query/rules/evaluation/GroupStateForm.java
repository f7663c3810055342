package io.fleetgauge.query.rules.evaluation;

import io.fleetgauge.query.rules.definition.RuleGroup;
import io.fleetgauge.sample.Labels;
import io.fleetgauge.sample.wire.WireException;
import io.fleetgauge.sample.wire.WireReader;
import io.fleetgauge.sample.wire.WireWriter;
import java.util.ArrayList;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * The state of a group as bytes, for hand-over and for disk:
 *
 * <pre>
 * "FGRS"  version u8
 * tenant file name string   slot svar   definition string
 * missing:  count uvar, string...
 * ending:   count uvar, labels...
 * rules:    count uvar, then for each
 *   rule string   health u8   error string   evaluated svar   nanos uvar
 *   alerts: count uvar, then for each
 *     labels   annotations   state u8   value f64
 *     activeAt firedAt resolvedAt keepFiringSince lastSentAt svar
 *   series: count uvar, labels...
 * labels, annotations: count uvar, then name string, value string
 * </pre>
 *
 * A reader refuses versions that it does not know.
 */
public final class GroupStateForm {
  private static final byte[] MAGIC = {'F', 'G', 'R', 'S'};
  private static final int VERSION = 1;

  private GroupStateForm() {}

  public static byte[] toBytes(GroupState state) {
    WireWriter out = new WireWriter();
    out.raw(MAGIC, 0, MAGIC.length).u8(VERSION);
    out.string(state.group().tenant()).string(state.group().file()).string(state.group().name());
    out.svar(state.slot()).string(state.definition());
    out.uvar(state.missing().size());
    state.missing().forEach(out::string);
    write(out, state.ending());
    out.uvar(state.rules().size());
    for (RuleState rule : state.rules()) {
      out.string(rule.rule()).u8(rule.health().ordinal()).string(rule.lastError());
      out.svar(rule.lastEvaluation()).uvar(rule.durationNanos());
      out.uvar(rule.alerts().size());
      rule.alerts().forEach(alert -> write(out, alert));
      write(out, rule.series());
    }
    return out.toBytes();
  }

  private static void write(WireWriter out, AlertInstance alert) {
    write(out, alert.labels());
    out.uvar(alert.annotations().size());
    alert.annotations().forEach((name, value) -> out.string(name).string(value));
    out.u8(alert.state().ordinal()).f64(alert.value());
    out.svar(alert.activeAt()).svar(alert.firedAt()).svar(alert.resolvedAt());
    out.svar(alert.keepFiringSince()).svar(alert.lastSentAt());
  }

  private static void write(WireWriter out, List<Labels> series) {
    out.uvar(series.size());
    series.forEach(labels -> write(out, labels));
  }

  private static void write(WireWriter out, Labels labels) {
    out.uvar(labels.size());
    for (int i = 0; i < labels.size(); i++) {
      out.string(labels.name(i)).string(labels.value(i));
    }
  }

  /**
   * @throws WireException if the bytes are not a state of a version that is known here
   */
  public static GroupState read(byte[] bytes) throws WireException {
    WireReader in = new WireReader(bytes);
    for (byte expected : MAGIC) {
      if (in.u8("magic") != expected) {
        throw new WireException("these bytes are not the state of a rule group");
      }
    }
    int version = in.u8("version");
    if (version != VERSION) {
      throw new WireException(
          "the state of a rule group has version " + version + ", known is " + VERSION);
    }
    RuleGroup.Id group =
        new RuleGroup.Id(in.string("tenant"), in.string("file"), in.string("group"));
    long slot = in.svar("slot");
    String definition = in.string("definition");
    List<String> missing = new ArrayList<>();
    for (int left = in.count(1, "missing hosts"); left > 0; left--) {
      missing.add(in.string("missing host"));
    }
    List<Labels> ending = series(in);
    List<RuleState> rules = new ArrayList<>();
    for (int left = in.count(1, "rules"); left > 0; left--) {
      rules.add(rule(in));
    }
    in.end("state of a rule group");
    return new GroupState(group, slot, definition, missing, rules, ending);
  }

  private static RuleState rule(WireReader in) throws WireException {
    String rule = in.string("rule");
    RuleState.Health health = RuleState.Health.values()[ordinal(in, 2, "health")];
    String error = in.string("error");
    long evaluated = in.svar("evaluation");
    long nanos = in.uvar("duration");
    List<AlertInstance> alerts = new ArrayList<>();
    for (int left = in.count(1, "alerts"); left > 0; left--) {
      alerts.add(alert(in));
    }
    return new RuleState(rule, health, error, evaluated, nanos, alerts, series(in));
  }

  private static AlertInstance alert(WireReader in) throws WireException {
    Labels labels = labels(in);
    SortedMap<String, String> annotations = new TreeMap<>();
    for (int left = in.count(2, "annotations"); left > 0; left--) {
      annotations.put(in.string("annotation"), in.string("text of an annotation"));
    }
    return new AlertInstance(
        labels,
        annotations,
        AlertInstance.State.values()[ordinal(in, 2, "state of an alert")],
        in.f64("value"),
        in.svar("activeAt"),
        in.svar("firedAt"),
        in.svar("resolvedAt"),
        in.svar("keepFiringSince"),
        in.svar("lastSentAt"));
  }

  private static int ordinal(WireReader in, int max, String what) throws WireException {
    int ordinal = in.u8(what);
    if (ordinal > max) {
      throw new WireException(what + " is " + ordinal + ", allowed are 0 to " + max);
    }
    return ordinal;
  }

  private static List<Labels> series(WireReader in) throws WireException {
    List<Labels> series = new ArrayList<>();
    for (int left = in.count(1, "series"); left > 0; left--) {
      series.add(labels(in));
    }
    return series;
  }

  private static Labels labels(WireReader in) throws WireException {
    String[] pairs = new String[2 * in.count(2, "labels")];
    for (int i = 0; i < pairs.length; i++) {
      pairs[i] = in.string(i % 2 == 0 ? "name of a label" : "value of a label");
    }
    try {
      return Labels.of(pairs);
    } catch (IllegalArgumentException e) {
      throw new WireException(e.getMessage());
    }
  }
}
