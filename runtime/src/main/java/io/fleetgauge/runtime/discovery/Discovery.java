package io.fleetgauge.runtime.discovery;

import io.fleetgauge.runtime.config.DiscoverySettings;
import io.fleetgauge.runtime.config.DiscoverySettings.Source;
import io.fleetgauge.runtime.discovery.DiscoveryMachine.Effect;
import io.fleetgauge.runtime.discovery.DiscoveryMachine.Event;
import io.fleetgauge.runtime.log.ProblemLog;
import io.fleetgauge.runtime.process.EventLoops;
import io.fleetgauge.runtime.process.Meters;
import io.vertx.core.Context;
import io.vertx.core.Vertx;
import java.io.IOException;
import java.util.EnumMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Carries out what a {@link DiscoveryMachine} decides. The addresses that are listed in the
 * configuration are among the addresses at any time. Safe for all threads.
 */
public final class Discovery implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(Discovery.class);
  private static final int SHOWN = 20;
  private static final int MOST_TIMEOUTS = 20;

  /** A question may go to several servers, one after the other. */
  private static final int TIMEOUTS_OF_ONE_QUESTION = 3;

  private static final long REPEATED_MILLIS = 2_000;

  private final Vertx vertx;
  private final Context context;
  private final DiscoverySettings settings;
  private final List<String> listed;
  private final Lookup lookup;
  private final Optional<AddressCache> cache;
  private final LongSupplier clock;
  private final Consumer<List<String>> listener;
  private final DiscoveryMachine machine;
  private final ProblemLog problems = new ProblemLog(LOG::warn, LOG::info);
  private final CountDownLatch answered = new CountDownLatch(1);
  private final AtomicLong good = new AtomicLong();

  /** Answers with entries that are no addresses. */
  private final AtomicLong partial = new AtomicLong();

  private final Map<BadAnswer.Reason, AtomicLong> bad = new EnumMap<>(BadAnswer.Reason.class);
  private volatile List<String> addresses;
  private volatile State state = new State(0, 0, false);
  private boolean isClosed;

  /** The state that metrics show. */
  private record State(int discovered, long at, boolean isFromCache) {}

  /**
   * Begins to ask. If an earlier run has kept an answer, its addresses are used at once.
   *
   * @param listed addresses that are used besides
   * @param clock ms since the epoch
   * @param listener is called with each new list, on an event loop; it must be quick
   */
  public static Discovery start(
      Vertx vertx,
      DiscoverySettings settings,
      List<String> listed,
      LongSupplier clock,
      Consumer<List<String>> listener) {
    Discovery discovery =
        new Discovery(vertx, settings, listed, lookup(vertx, settings), clock, listener);
    discovery.begin();
    return discovery;
  }

  /**
   * Begins to look for members of the cluster, and waits for the first answer.
   *
   * @param listed members that are listed besides
   */
  public static Discovery ofMembers(
      Vertx vertx,
      DiscoverySettings settings,
      List<String> listed,
      LongSupplier clock,
      Meters meters) {
    Discovery discovery = start(vertx, settings, listed, clock, addresses -> {});
    discovery.declare(meters);
    try {
      if (!discovery.answered.await(discovery.startLimitMillis(), TimeUnit.MILLISECONDS)
          && discovery.addresses().isEmpty()) {
        LOG.warn(
            "{}: no member is known at the start; this process joins those that are discovered"
                + " later",
            discovery.settings.section());
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    return discovery;
  }

  /**
   * Asks once, and starts nothing that goes on.
   *
   * @return the addresses, {@code host:port} each; at least one
   * @throws IOException if there is no answer in time, or one that cannot be used
   */
  public static List<String> ask(DiscoverySettings settings) throws IOException {
    Vertx vertx = EventLoops.startFew();
    try (Lookup lookup = lookup(vertx, settings)) {
      return answer(lookup, TIMEOUTS_OF_ONE_QUESTION * settings.timeout().toMillis());
    } finally {
      vertx.close();
    }
  }

  private static List<String> answer(Lookup lookup, long millis) throws IOException {
    try {
      return lookup.ask().await(millis, TimeUnit.MILLISECONDS).addresses();
    } catch (TimeoutException e) {
      throw new IOException(lookup.whom() + " does not respond in time", e);
    } catch (Exception e) {
      throw new IOException(lookup.whom() + ": " + e.getMessage(), e);
    }
  }

  /** Without addresses of an earlier run, some questions are repeated. */
  private long startLimitMillis() {
    long timeout = settings.timeout().toMillis();
    return addresses.isEmpty() ? 2 * timeout + REPEATED_MILLIS : timeout;
  }

  private Discovery(
      Vertx vertx,
      DiscoverySettings settings,
      List<String> listed,
      Lookup lookup,
      LongSupplier clock,
      Consumer<List<String>> listener) {
    this.vertx = vertx;
    this.context = vertx.getOrCreateContext();
    this.settings = settings;
    this.listed = List.copyOf(listed);
    this.lookup = lookup;
    this.cache = settings.cache().map(file -> new AddressCache(file, settings));
    this.clock = clock;
    this.listener = listener;
    this.machine =
        new DiscoveryMachine(
            settings.refresh().toMillis(), new SplittableRandom(System.nanoTime()));
    this.addresses = this.listed;
    for (BadAnswer.Reason reason : BadAnswer.Reason.values()) {
      bad.put(reason, new AtomicLong());
    }
  }

  private static Lookup lookup(Vertx vertx, DiscoverySettings settings) {
    return switch (settings.source()) {
      case Source.Addresses dns ->
          dns(vertx, settings, dns.names(), OptionalInt.of(dns.port()), dns.server());
      case Source.Services srv ->
          dns(vertx, settings, srv.names(), OptionalInt.empty(), srv.server());
      case Source.Kubernetes kubernetes -> new KubernetesLookup(vertx, settings, kubernetes);
      case Source.Consul consul -> new ConsulLookup(vertx, settings, consul);
      case Source.Listed file -> new FileLookup(vertx, settings, file);
    };
  }

  private static Lookup dns(
      Vertx vertx,
      DiscoverySettings settings,
      List<String> names,
      OptionalInt port,
      Optional<String> server) {
    ResolverFile resolver = ResolverFile.read(ResolverFile.PATH);
    List<String> servers = server.map(List::of).orElseGet(() -> DnsLookup.servers(resolver));
    return new DnsLookup(vertx, settings, names, port, servers, resolver);
  }

  private void begin() {
    Optional<Event.Cached> kept = cache.flatMap(AddressCache::read);
    kept.ifPresent(
        found -> {
          LOG.info(
              "{}: {} addresses of {} s ago are used until {} responds",
              settings.section(),
              found.addresses().size(),
              Math.max(0, clock.getAsLong() - found.at()) / 1_000,
              lookup.whom());
          machine.on(found, this::carryOut);
        });
    publish();
    context.runOnContext(none -> on(new Event.Due()));
  }

  /** The addresses in use, {@code host:port} each; never waits. */
  public List<String> addresses() {
    return addresses;
  }

  /** Declares the metrics of this package. */
  public void declare(Meters meters) {
    meters.gauge("discovery_addresses", "Discovered addresses in use.", () -> state.discovered());
    meters.gauge(
        "discovery_age_seconds",
        "Age of the result whose addresses are in use; NaN before the first one.",
        () -> state.at() == 0 ? Double.NaN : Math.max(0, clock.getAsLong() - state.at()) / 1_000.0);
    meters.gauge(
        "discovery_from_cache",
        "1 while addresses of an earlier run are used because there is no result yet, else 0.",
        () -> state.isFromCache() ? 1 : 0);
    meters.counters(
        "discovery_questions", "Lookups of addresses, by result.", "result", this::results);
    meters.counter(
        "discovery_cache_failures",
        "Times that the file with the last result could not be read or written.",
        () -> cache.map(AddressCache::failures).orElse(0L));
  }

  private Map<String, Long> results() {
    Map<String, Long> results = new TreeMap<>();
    results.put("answered", good.get());
    results.put("partial", partial.get());
    bad.forEach((reason, count) -> results.put(reason.label(), count.get()));
    return results;
  }

  private void on(Event event) {
    if (isClosed) {
      return;
    }
    machine.on(event, this::carryOut);
    publish();
    problems.update(
        TimeUnit.NANOSECONDS.toMillis(System.nanoTime()),
        machine.trouble().map(this::described).or(() -> machine.leftOut().map(this::named)));
    if (machine.isAnswered()) {
      answered.countDown();
    }
  }

  private String described(String reason) {
    String used =
        machine.used().isEmpty()
            ? listed.isEmpty()
                ? "no address is known"
                : listed.size() + " listed addresses are used"
            : machine.used().size()
                + " addresses of "
                + Math.max(0, clock.getAsLong() - machine.usedAt()) / 1_000
                + " s ago are used";
    return settings.section()
        + ": "
        + lookup.whom()
        + " gives no addresses, "
        + used
        + ": "
        + reason;
  }

  private String named(String leftOut) {
    return settings.section() + ": " + lookup.whom() + ": " + leftOut;
  }

  private void publish() {
    state = new State(machine.used().size(), machine.usedAt(), machine.isFromCache());
  }

  private void carryOut(Effect effect) {
    switch (effect) {
      case Effect.Ask ask -> ask();
      case Effect.Wait pause -> vertx.setTimer(pause.millis(), id -> on(new Event.Due()));
      case Effect.Use use -> use(use.addresses());
      case Effect.Keep keep ->
          cache.ifPresent(
              file ->
                  vertx.executeBlocking(
                      () -> {
                        file.write(keep.addresses(), keep.at());
                        return null;
                      }));
    }
  }

  private void use(List<String> found) {
    List<String> all = AddressList.union(listed, found);
    LOG.info(
        "{}: {} addresses: {}{}",
        settings.section(),
        all.size(),
        String.join(", ", all.subList(0, Math.min(SHOWN, all.size()))),
        all.size() > SHOWN ? " ..." : "");
    addresses = all;
    listener.accept(all);
  }

  private void ask() {
    lookup
        .ask()
        // Each question has its own limit: this one is for what nobody thought of.
        .timeout(settings.timeout().toMillis() * MOST_TIMEOUTS, TimeUnit.MILLISECONDS)
        .onComplete(
            done ->
                context.runOnContext(
                    none -> {
                      if (done.succeeded()) {
                        Lookup.Addresses found = done.result();
                        (found.leftOut().isEmpty() ? good : partial).incrementAndGet();
                        on(
                            new Event.Answered(
                                found.addresses(), found.leftOut(), clock.getAsLong()));
                      } else {
                        on(new Event.Failed(failed(done.cause())));
                      }
                    }));
  }

  private String failed(Throwable cause) {
    BadAnswer.Reason reason =
        cause instanceof BadAnswer answer ? answer.reason() : BadAnswer.Reason.UNREACHABLE;
    bad.get(reason).incrementAndGet();
    return cause instanceof BadAnswer
        ? cause.getMessage()
        : cause.getMessage() == null
            ? cause.getClass().getSimpleName().toLowerCase(Locale.ROOT)
            : cause.getMessage();
  }

  @Override
  public void close() {
    context.runOnContext(none -> isClosed = true);
    lookup.close();
  }
}
