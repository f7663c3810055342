package io.fleetgauge.probe;

import io.fleetgauge.probe.config.ProbeConfig;
import io.fleetgauge.probe.dcgm.MetricsPage;
import io.fleetgauge.probe.host.HostReader;
import io.fleetgauge.probe.sampling.NodeLabels;
import io.fleetgauge.probe.sampling.ProbePart;
import io.fleetgauge.probe.sampling.Reader;
import io.fleetgauge.probe.sampling.Sampler;
import io.fleetgauge.probe.sampling.TickClasses;
import io.fleetgauge.probe.sampling.TickSink;
import io.fleetgauge.probe.scrape.Scrapes;
import io.fleetgauge.probe.uplink.UplinkCounts;
import io.fleetgauge.runtime.config.HttpSettings;
import io.fleetgauge.runtime.discovery.Registration;
import io.fleetgauge.runtime.http.ClientCertificate;
import io.fleetgauge.runtime.http.HttpListener;
import io.fleetgauge.runtime.process.EventLoops;
import io.fleetgauge.runtime.process.Lifecycle;
import io.fleetgauge.runtime.process.Meters;
import io.fleetgauge.runtime.process.StartFailure;
import io.fleetgauge.sample.Labels;
import io.fleetgauge.sample.prometheus.TextExposition;
import io.vertx.core.Handler;
import io.vertx.core.Vertx;
import io.vertx.ext.web.Router;
import io.vertx.ext.web.RoutingContext;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** A running probe: its parts, in the order of their starts. */
public final class ProbeProcess implements AutoCloseable {
  /** Longest time that anything may take to stop. */
  static final Duration STOP_LIMIT = Duration.ofSeconds(5);

  /** Time between two looks at files that may change. */
  static final Duration LOOK_EVERY = Duration.ofSeconds(2);

  private static final Logger LOG = LoggerFactory.getLogger(ProbeProcess.class);

  /** A part stops what it is made of one by one. */
  private static final Duration PART_STOP_LIMIT = STOP_LIMIT.multipliedBy(2);

  private final Lifecycle lifecycle = new Lifecycle("probe");
  private final Meters meters = new Meters("fleetgauge_probe");
  private final List<Reader> readers = new ArrayList<>();
  private UplinkPart uplink;
  private Router router;
  private HttpListener http;
  private Optional<HttpListener> usedGpuMemory = Optional.empty();

  private ProbeProcess() {}

  /**
   * @param clock ms since the epoch
   * @throws StartFailure if its port is taken; what had been started is stopped again
   */
  public static ProbeProcess start(ProbeConfig config, LongSupplier clock) throws StartFailure {
    ProbeProcess process = new ProbeProcess();
    process.lifecycle.startOrClose(() -> process.run(config, clock));
    return process;
  }

  private <P extends ProbePart> P start(String name, P part) throws StartFailure {
    lifecycle.started(name, PART_STOP_LIMIT, part);
    part.start();
    part.declare(meters);
    readers.addAll(part.readers());
    return part;
  }

  private void run(ProbeConfig config, LongSupplier clock) throws StartFailure {
    Vertx vertx = EventLoops.startFew();
    lifecycle.started("event loops", STOP_LIMIT, () -> vertx.close().await(5, TimeUnit.SECONDS));
    Duration tick = config.ticks().tick();
    TickClasses classes = TickClasses.of(config.ticks());
    NodeLabels node =
        new NodeLabels(
            Labels.of("instance", config.instance())
                .with(config.labels())
                .with("Hostname", config.hostname()),
            config.relabelling());
    uplink = start("uplink", new UplinkPart(vertx, config, clock));
    HostReader host = start("host", new HostReader(config.host(), classes, clock));
    GpuPart gpus = start("GPUs", new GpuPart(config.gpu(), classes, tick));
    RecentPart recent =
        start(
            "high-rate readings",
            new RecentPart(config, gpus, node, classes.core(), clock, uplink::offerPast));
    start("XIDs", new XidPart(config, gpus, classes.core(), clock, recent::xid));
    SchedulerPart schedulers =
        start("schedulers", new SchedulerPart(vertx, config, gpus, classes.core(), clock));
    OwnerPart owners =
        start("owners", new OwnerPart(vertx, config, gpus, schedulers, classes.core()));
    start("NCCL", new NcclPart(config, gpus, owners, classes.core(), clock));
    // They wait for their targets, so no other reader is to come after them.
    Scrapes scrapes =
        start("scrapes", new Scrapes(vertx, config.scrape(), config.hostname(), tick));
    Sampler sampler =
        new Sampler(
            readers,
            node,
            owners::owners,
            config.job(),
            tick,
            clock,
            new TickSink(uplink::offer, uplink::offerPast));
    MetricsPage page = new MetricsPage(config.page());
    Supplier<Map<String, TextExposition.Family>> families =
        () -> {
          Map<String, TextExposition.Family> all = scrapes.families();
          all.putAll(host.families());
          return all;
        };
    HttpListener.Readiness readiness = new HttpListener.Readiness();
    readiness.watch(uplink::trouble);
    Handler<RoutingContext> mayRead = ClientCertificate.needed(config.http());
    router =
        HttpListener.router(
            vertx,
            readiness,
            meters,
            () -> page.text(sampler.last(), families.get(), gpus.counters()),
            mayRead);
    recent.route().mount(router, mayRead);
    schedulers.mount(router, mayRead);
    http = listen(vertx, config.http(), "http.port", router);
    http.declare(meters);
    usedGpuMemory = usedGpuMemory(vertx, config, owners);
    start("sampling", sampler);
    register(vertx, config);
    readiness.ready();
    lifecycle.started("readiness", STOP_LIMIT, () -> readiness.notReady("stopping"));
    LOG.info(
        "probe of {} reads every {} and sends to {}; its readings: {}://{}:{}/metrics",
        config.hostname(),
        tick,
        config.discovery().isPresent() ? "discovered gateways" : config.gateways(),
        config.http().scheme(),
        config.http().host(),
        port());
  }

  /**
   * @param option the key that sets the port, for error messages
   */
  private HttpListener listen(Vertx vertx, HttpSettings settings, String option, Router routes)
      throws StartFailure {
    HttpListener listener = HttpListener.start(vertx, settings, option, routes);
    lifecycle.started(option, STOP_LIMIT, listener);
    return listener;
  }

  private Optional<HttpListener> usedGpuMemory(Vertx vertx, ProbeConfig config, OwnerPart owners)
      throws StartFailure {
    Optional<Integer> at = config.attribution().processes().port();
    if (at.isEmpty() || owners.processes().isEmpty()) {
      return Optional.empty();
    }
    HttpSettings settings =
        new HttpSettings(
            config.http().host(), at.get(), config.http().insecure(), config.http().tls());
    return Optional.of(
        listen(
            vertx,
            settings,
            "attribution.processes.port",
            UsedGpuMemoryRoute.router(vertx, settings, owners.processes().get()::usedGpuMemory)));
  }

  private void register(Vertx vertx, ProbeConfig config) {
    if (config.registration().isPresent()) {
      Registration registration =
          Registration.start(vertx, config.registration().get(), config.http().scheme(), port());
      registration.declare(meters);
      lifecycle.started("registration", STOP_LIMIT, registration);
    }
  }

  /** The port of {@code /metrics}. */
  public int port() {
    return http.port();
  }

  /** All routes of that port. */
  Router router() {
    return router;
  }

  /** The port of {@code attribution.processes.port}; 0 without it. */
  public int usedGpuMemoryPort() {
    return usedGpuMemory.map(HttpListener::port).orElse(0);
  }

  /** Where the samples went so far. */
  public UplinkCounts counts() {
    return uplink.counts();
  }

  @Override
  public void close() {
    lifecycle.close();
  }
}
