package io.fleetgauge.probe;

import io.fleetgauge.probe.faults.FaultWindow;
import io.fleetgauge.probe.faults.GpuFault;
import io.fleetgauge.probe.faults.Recorder;
import io.fleetgauge.probe.faults.Window;
import io.fleetgauge.sample.Labels;
import io.fleetgauge.sample.prometheus.KnownMetrics;
import io.fleetgauge.sample.prometheus.MetricMetadata;
import io.vertx.core.Handler;
import io.vertx.core.MultiMap;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import io.vertx.ext.web.Router;
import io.vertx.ext.web.RoutingContext;
import java.math.BigDecimal;
import java.math.RoundingMode;
import java.time.DateTimeException;
import java.time.OffsetDateTime;
import java.util.AbstractList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Predicate;

/**
 * The last minutes at a high rate, and windows of faults.
 *
 * <pre>
 * GET /v1/recent?gpu=INDEX&amp;UUID=UUID&amp;series=NAME&amp;from=TIME&amp;to=TIME&amp;fault=ID
 *
 * {"host": "n1", "step": 1, "fault": {…},
 *  "times": [1700000000, …],
 *  "columns": [{"series": "gpu_recent_power_watts", "unit": "watts",
 *               "labels": {"gpu": "0", "UUID": "GPU-…"}, "values": [687.1, null, …]}, …],
 *  "faults": [{"id": ID, "from": TIME, "to": TIME,
 *              "faults": [{"kind": "xid", "xid": 79, "time": TIME, "labels": {…}}, …]}, …]}
 * </pre>
 *
 * Times are seconds since the epoch. A column has a value for each time; null where there is none.
 * {@code fault} is there when one was asked for, and what else is told is of its window then.
 */
final class RecentRoute {
  private static final String PATH = "/v1/recent";
  private static final int MILLI_DIGITS = 3;
  private static final int LONGEST_TIME = 40;
  private static final long MILLIS = 1_000;

  /** Names of what is kept. */
  private static final Set<String> SERIES = series();

  private final String host;
  private final Optional<Recorder> recorder;

  /** A request that cannot be answered. */
  private static final class Refused extends Exception {
    private static final long serialVersionUID = 1L;

    final int status;

    Refused(int status, String why) {
      super(why);
      this.status = status;
    }
  }

  /**
   * @param recorder empty when nothing is kept
   */
  RecentRoute(String host, Optional<Recorder> recorder) {
    this.host = host;
    this.recorder = recorder;
  }

  private static Set<String> series() {
    Set<String> names = new TreeSet<>();
    for (var metric : KnownMetrics.all().entrySet()) {
      String name = metric.getKey();
      boolean isKept = name.startsWith("gpu_recent_") || name.startsWith("node_recent_");
      if (isKept && metric.getValue().type().equals("gauge")) {
        names.add(name);
      }
    }
    return names;
  }

  void mount(Router router, Handler<RoutingContext> mayRead) {
    router.get(PATH).handler(mayRead).handler(this::answer);
  }

  private void answer(RoutingContext http) {
    try {
      String json = json(http.queryParams());
      http.response().putHeader("Content-Type", "application/json").end(json);
    } catch (Refused e) {
      http.response()
          .setStatusCode(e.status)
          .putHeader("Content-Type", "text/plain; charset=utf-8")
          .end(e.getMessage() + "\n");
    }
  }

  private String json(MultiMap parameters) throws Refused {
    Recorder recent =
        recorder.orElseThrow(
            () -> new Refused(404, "the last minutes are not recorded: recent.enabled is false"));
    long from = time(parameters, "from", Long.MIN_VALUE);
    long to = time(parameters, "to", Long.MAX_VALUE);
    if (from > to) {
      throw new Refused(400, "from is after to: give a from that is not later than to");
    }
    for (String name : parameters.getAll("series")) {
      if (!SERIES.contains(name)) {
        throw new Refused(
            400, "no series " + shown(name) + "; there are " + String.join(", ", SERIES));
      }
    }
    Optional<FaultWindow> fault = fault(recent, parameters);
    Window all = fault.isPresent() ? fault.get().readings() : recent.window();
    for (String label : List.of("gpu", "UUID")) {
      check(all, label, parameters.getAll(label));
    }
    JsonObject out = new JsonObject().put("host", host).put("step", seconds(all.step()));
    fault.ifPresent(one -> out.put("fault", json(one)));
    Window chosen = all.select(from, to, wanted(parameters));
    JsonArray times = new JsonArray();
    for (int row = 0; row < chosen.rows(); row++) {
      times.add(seconds(chosen.time(row)));
    }
    JsonArray columns = new JsonArray();
    for (int i = 0; i < chosen.series().size(); i++) {
      columns.add(column(chosen.series().get(i), chosen.values()[i]));
    }
    JsonArray faults = new JsonArray(recent.faults().stream().map(RecentRoute::json).toList());
    return out.put("times", times).put("columns", columns).put("faults", faults).encode() + "\n";
  }

  private static Optional<FaultWindow> fault(Recorder recent, MultiMap parameters) throws Refused {
    String id = one(parameters, "fault");
    if (id == null) {
      return Optional.empty();
    }
    Optional<FaultWindow> found = recent.fault(id);
    if (found.isEmpty()) {
      List<String> kept = recent.faults().stream().map(FaultWindow::id).toList();
      throw new Refused(
          404,
          "no window of a fault "
              + shown(id)
              + " is kept; "
              + (kept.isEmpty() ? "there are none" : "there are " + String.join(", ", kept)));
    }
    return found;
  }

  /** GPUs that are asked for are there. */
  private static void check(Window all, String label, List<String> asked) throws Refused {
    Set<String> known = new TreeSet<>();
    all.series().forEach(each -> known.add(each.value(label)));
    known.remove("");
    for (String one : asked) {
      if (!known.contains(one)) {
        throw new Refused(
            404,
            "no GPU with "
                + label
                + " "
                + shown(one)
                + " was read; "
                + (known.isEmpty() ? "there is none" : "there are " + String.join(", ", known)));
      }
    }
  }

  /** GPUs are chosen among series of GPUs; those of the host have none. */
  private static Predicate<Labels> wanted(MultiMap parameters) {
    List<String> names = parameters.getAll("series");
    List<String> gpus = parameters.getAll("gpu");
    List<String> uuids = parameters.getAll("UUID");
    return series -> {
      boolean isOfHost = series.value("UUID").isEmpty();
      return (names.isEmpty() || names.contains(series.metric()))
          && (isOfHost || gpus.isEmpty() || gpus.contains(series.value("gpu")))
          && (isOfHost || uuids.isEmpty() || uuids.contains(series.value("UUID")));
    };
  }

  private static String one(MultiMap parameters, String name) throws Refused {
    List<String> all = parameters.getAll(name);
    if (all.size() > 1) {
      throw new Refused(400, name + " is given " + all.size() + " times; give it once");
    }
    return all.isEmpty() ? null : all.getFirst();
  }

  private static long time(MultiMap parameters, String name, long otherwise) throws Refused {
    String text = one(parameters, name);
    if (text == null) {
      return otherwise;
    }
    try {
      if (text.length() > LONGEST_TIME) {
        throw new ArithmeticException("too long");
      }
      return text.contains("T")
          ? OffsetDateTime.parse(text).toInstant().toEpochMilli()
          : number(text).longValueExact();
    } catch (NumberFormatException | ArithmeticException | DateTimeException e) {
      throw new Refused(
          400,
          name
              + " is "
              + shown(text)
              + "; give seconds since the epoch, or a time such as 2026-01-31T10:00:00Z");
    }
  }

  private static BigDecimal number(String text) {
    BigDecimal seconds = new BigDecimal(text);
    if (seconds.precision() - (long) seconds.scale() > 18) {
      throw new ArithmeticException("too large");
    }
    return seconds.movePointRight(MILLI_DIGITS).setScale(0, RoundingMode.FLOOR);
  }

  /** Something from a request, as a message may have it. */
  private static String shown(String text) {
    String printable = text.replaceAll("[^ -~]", "?");
    return '"' + printable.substring(0, Math.min(80, printable.length())) + '"';
  }

  private static JsonObject column(Labels series, float[] values) {
    // A view: the heap is small, and an hour of values as objects would be a good part of it.
    List<Float> view =
        new AbstractList<>() {
          @Override
          public Float get(int row) {
            return Float.isNaN(values[row]) ? null : Float.valueOf(values[row]);
          }

          @Override
          public int size() {
            return values.length;
          }
        };
    return new JsonObject()
        .put("series", series.metric())
        .put("unit", KnownMetrics.of(series.metric()).map(MetricMetadata::unit).orElse(""))
        .put("labels", json(series.withoutMetric()))
        .put("values", new JsonArray(view));
  }

  private static JsonObject json(FaultWindow window) {
    Window readings = window.readings();
    return new JsonObject()
        .put("id", window.id())
        .put("from", seconds(readings.first()))
        .put("to", seconds(readings.time(Math.max(0, readings.rows() - 1))))
        .put("faults", new JsonArray(window.faults().stream().map(RecentRoute::json).toList()));
  }

  private static JsonObject json(GpuFault fault) {
    JsonObject out = new JsonObject().put("kind", fault.kind().text());
    if (fault.xid() > 0) {
      out.put("xid", fault.xid());
    }
    return out.put("time", seconds(fault.time())).put("labels", json(fault.gpu()));
  }

  private static JsonObject json(Labels labels) {
    JsonObject out = new JsonObject();
    for (int i = 0; i < labels.size(); i++) {
      out.put(labels.name(i), labels.value(i));
    }
    return out;
  }

  private static Number seconds(long millis) {
    return millis % MILLIS == 0 ? millis / MILLIS : BigDecimal.valueOf(millis, MILLI_DIGITS);
  }
}
