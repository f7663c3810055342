package io.fleetgauge.runtime.discovery;

import io.fleetgauge.runtime.config.RegistrationSettings;
import io.fleetgauge.runtime.config.RegistrationSettings.Check;
import io.fleetgauge.runtime.discovery.RegistrationMachine.Effect;
import io.fleetgauge.runtime.discovery.RegistrationMachine.Event;
import io.fleetgauge.runtime.http.HttpAnswer;
import io.fleetgauge.runtime.log.ProblemLog;
import io.fleetgauge.runtime.process.Meters;
import io.vertx.core.Context;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicLong;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Registers a process in Consul as {@link RegistrationMachine} decides, and deregisters it when it
 * stops. Safe for all threads.
 */
public final class Registration implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(Registration.class);
  private static final long TIMEOUT_MILLIS = 3_000;
  private static final long LAST_MOMENT_MILLIS = 2_000;
  private static final int LONGEST_ANSWER = 1 << 20;

  /** A probe that tells the agent nothing for so many intervals counts as failed. */
  private static final int MISSED_INTERVALS = 3;

  private final Vertx vertx;
  private final Context context;
  private final RegistrationSettings settings;
  private final ApiRequests api;
  private final byte[] service;
  private final RegistrationMachine machine;
  private final ProblemLog problems = new ProblemLog(LOG::warn, LOG::info);
  private final AtomicLong failures = new AtomicLong();
  private volatile boolean isRegistered;
  private volatile boolean isClosed;

  private Registration(Vertx vertx, RegistrationSettings settings, String scheme, int port) {
    this.vertx = vertx;
    this.context = vertx.getOrCreateContext();
    this.settings = settings;
    this.api = ApiRequests.toConsul(vertx, settings.api(), TIMEOUT_MILLIS, LONGEST_ANSWER);
    this.service = JsonAnswer.bytes(body(settings, scheme, port));
    this.machine =
        new RegistrationMachine(
            settings.check() == Check.TTL,
            settings.interval().toMillis(),
            new SplittableRandom(System.nanoTime()));
  }

  /**
   * Begins to register a process.
   *
   * @param scheme of the process's listener
   * @param port of the process's listener
   */
  public static Registration start(
      Vertx vertx, RegistrationSettings settings, String scheme, int port) {
    Registration registration = new Registration(vertx, settings, scheme, port);
    registration.context.runOnContext(none -> registration.on(new Event.Due()));
    return registration;
  }

  private static Map<String, Object> body(RegistrationSettings settings, String scheme, int port) {
    Map<String, Object> check = new LinkedHashMap<>();
    check.put("CheckID", checkId(settings));
    check.put("Name", settings.service());
    if (settings.check() == Check.TTL) {
      check.put("TTL", settings.interval().toMillis() * MISSED_INTERVALS + "ms");
    } else {
      String host = settings.address();
      check.put(
          "HTTP",
          scheme
              + "://"
              + (host.contains(":") ? "[" + host + "]" : host)
              + ":"
              + port
              + "/-/healthy");
      check.put("Interval", settings.interval().toMillis() + "ms");
      check.put("Timeout", "5s");
    }
    check.put("DeregisterCriticalServiceAfter", settings.deregisterAfter().toMinutes() + "m");
    Map<String, Object> body = new LinkedHashMap<>();
    body.put("ID", settings.id());
    body.put("Name", settings.service());
    body.put("Address", settings.address());
    body.put("Port", port);
    body.put("Tags", settings.tags());
    body.put("Meta", settings.meta());
    body.put("Check", check);
    return body;
  }

  private static String checkId(RegistrationSettings settings) {
    return "service:" + settings.id();
  }

  /** Declares the metrics of a registration. */
  public void declare(Meters meters) {
    meters.gauge(
        "registered",
        "1 while this process is registered in Consul, else 0.",
        () -> isRegistered ? 1 : 0);
    meters.counter(
        "registration_failures",
        "Failed requests to Consul for the registration of this process.",
        failures::get);
  }

  private void on(Event event) {
    if (isClosed) {
      return;
    }
    boolean before = machine.isRegistered();
    Effect effect = machine.on(event);
    isRegistered = machine.isRegistered();
    if (isRegistered && !before) {
      LOG.info("registered in Consul at {} as {}", api.address(), settings.id());
    }
    problems.update(
        TimeUnit.NANOSECONDS.toMillis(System.nanoTime()),
        machine
            .trouble()
            .map(
                reason ->
                    "Consul at "
                        + api.address()
                        + " does not keep the registration of "
                        + settings.id()
                        + ": "
                        + reason));
    switch (effect) {
      case Effect.Wait pause -> vertx.setTimer(pause.millis(), id -> on(new Event.Due()));
      case Effect.Register register ->
          then(api.put("/v1/agent/service/register?replace-existing-checks=true", service), false);
      case Effect.Pass pass ->
          then(
              api.put(
                  "/v1/agent/check/pass/" + ApiRequests.escaped(checkId(settings)), new byte[0]),
              true);
      case Effect.Look look ->
          then(api.get("/v1/agent/service/" + ApiRequests.escaped(settings.id())), true);
    }
  }

  /**
   * @param isOfKnown whether a status of 404 means that the agent does not know the service
   */
  private void then(Future<HttpAnswer> answer, boolean isOfKnown) {
    answer.onComplete(
        done -> {
          Event event;
          if (done.failed()) {
            event = new Event.Failed(String.valueOf(done.cause().getMessage()));
          } else if (done.result().status() == ApiRequests.OK) {
            event = new Event.Done();
          } else if (isOfKnown && isUnknown(done.result())) {
            event = new Event.Unknown();
          } else {
            event =
                new Event.Failed(
                    "status "
                        + done.result().status()
                        + ": "
                        + AddressList.shown(done.result().body().getBytes()));
          }
          if (!(event instanceof Event.Done)) {
            failures.incrementAndGet();
          }
          context.runOnContext(none -> on(event));
        });
  }

  /** Older agents answer 500 for a check that they do not know. */
  private static boolean isUnknown(HttpAnswer answer) {
    return answer.status() == ApiRequests.NOT_FOUND
        || answer.status() == 500
            && answer.text().matches("(?s).*(Unknown check|does not have associated TTL).*");
  }

  /** Deregisters the process, if Consul answers in time. */
  @Override
  public void close() {
    isClosed = true;
    try {
      HttpAnswer answer =
          api.put("/v1/agent/service/deregister/" + ApiRequests.escaped(settings.id()), new byte[0])
              .await(LAST_MOMENT_MILLIS, TimeUnit.MILLISECONDS);
      if (answer.status() != ApiRequests.OK && answer.status() != ApiRequests.NOT_FOUND) {
        LOG.warn(
            "{} stays registered in Consul at {}: status {}",
            settings.id(),
            api.address(),
            answer.status());
      }
      isRegistered = false;
    } catch (TimeoutException | RuntimeException e) {
      LOG.warn(
          "{} stays registered in Consul at {}: {}", settings.id(), api.address(), e.toString());
    } finally {
      api.close();
    }
  }
}
