package io.fleetgauge.query.rules.running;

import io.fleetgauge.cluster.peers.PeerLink;
import io.fleetgauge.cluster.table.ClusterView;
import io.fleetgauge.query.answer.Querier;
import io.fleetgauge.query.config.RulesSettings;
import io.fleetgauge.query.rules.definition.RuleGroup;
import io.fleetgauge.query.rules.notify.Notifier;
import io.fleetgauge.runtime.http.Guard;
import io.fleetgauge.runtime.http.OutgoingHttp;
import java.util.List;
import java.util.Optional;
import java.util.function.LongSupplier;
import java.util.function.Supplier;

/**
 * Parts of the process that rules need.
 *
 * @param groups the groups that are known now; the same list until they change
 * @param stored reads results of rules as they are stored
 * @param view the cluster, in which gateways store results; without one, none are stored
 * @param link reaches the other query APIs
 * @param http reaches gateways
 * @param lookback of instant selectors, ms
 * @param timeout longest time of a query, ms
 * @param externalUrl prefix of links in alerts
 * @param notifier takes the alerts of a tenant; must not wait
 * @param clock ms since the epoch
 */
public record RulesEnvironment(
    Supplier<List<RuleGroup>> groups,
    Querier querier,
    Querier stored,
    Guard guard,
    Optional<Supplier<ClusterView>> view,
    PeerLink link,
    OutgoingHttp http,
    RulesSettings settings,
    long lookback,
    long timeout,
    Supplier<String> externalUrl,
    Notifier notifier,
    LongSupplier clock) {}
