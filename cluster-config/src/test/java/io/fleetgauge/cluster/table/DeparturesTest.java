package io.fleetgauge.cluster.table;

import static org.assertj.core.api.Assertions.assertThat;

import io.fleetgauge.cluster.table.Holders.Admission;
import io.fleetgauge.cluster.table.Holders.Copy;
import io.fleetgauge.cluster.table.Holders.Stay;
import io.fleetgauge.cluster.table.Membership.Standing;
import io.fleetgauge.cluster.table.Membership.Start;
import io.fleetgauge.cluster.table.Membership.Stated;
import io.fleetgauge.cluster.table.Membership.Status;
import io.fleetgauge.cluster.table.Situation.Registered;
import io.fleetgauge.cluster.table.Situation.Report;
import io.fleetgauge.cluster.table.TableForm.Shared;
import io.fleetgauge.cluster.table.TableMachine.Effect;
import io.fleetgauge.cluster.table.TableMachine.Event;
import java.net.URI;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

/** How a host leaves the table, as the oldest gateway of a cluster decides it. */
class DeparturesTest {
  private static final Copy COPY = new Copy("g2", 3, true);
  private static final Admission ADMISSION = new Admission("red", 17);

  /** What the registry has; the machine's table is followed as soon as it is written. */
  private final Map<String, Registered> registry = new TreeMap<>();

  private final Map<String, Membership> present = new LinkedHashMap<>();
  private TableMachine machine;
  private long now;

  @Test
  void aHostLeavesWhenItsOwnerSaysTwiceThatItIsIdle() {
    holds(host("g1", Set.of(), COPY));
    long before = stays(Stay.KEPT);
    gathers(idle(before));
    long expiring = stays(Stay.EXPIRING);
    assertThat(expiring).as("what was said before counts no more").isGreaterThan(before);
    gathers(idle(before));
    assertThat(stays(Stay.EXPIRING)).isEqualTo(expiring);
    gathers(idle(expiring));
    assertThat(holders()).isEmpty();
    assertThat(registry).as("it is removed from the registry too").doesNotContainKey("a");
  }

  @Test
  void aHostThatIsNotIdleAnyMoreIsKept() {
    holds(host("g1", Set.of(), COPY));
    gathers(idle(stays(Stay.KEPT)));
    gathers(report(stays(Stay.EXPIRING), Set.of(), false));
    stays(Stay.KEPT);
  }

  @Test
  void anOwnerThatSaysNothingChangesNothing() {
    holds(host("g1", Set.of(), COPY));
    gathers(idle(stays(Stay.KEPT)));
    long expiring = stays(Stay.EXPIRING);
    gathers(Optional.empty());
    assertThat(stays(Stay.EXPIRING)).isEqualTo(expiring);
  }

  @Test
  void aHostIsKeptWhileAGatewayThatIsThereMayHaveWhatItsOwnerLacks() {
    holds(host("g1", Set.of("g3"), COPY));
    gathers(Optional.of(new Report("g1", stays(Stay.KEPT), Set.of("g3"), Set.of("g2@3"), true)));
    stays(Stay.KEPT);
    gathers(Optional.of(new Report("g1", stays(Stay.KEPT), Set.of(), Set.of(), true)));
    assertThat(holders().orElseThrow().copies().getFirst().synced()).isFalse();
    stays(Stay.KEPT);
    gathers(idle(stays(Stay.KEPT)));
    stays(Stay.EXPIRING);
  }

  /** It makes the host known again when it comes back with samples of it. */
  @Test
  void aGatewayThatIsAwayKeepsNoHostThatIsIdle() {
    holds(host("g1", Set.of("g4"), COPY));
    gathers(Optional.of(new Report("g1", stays(Stay.KEPT), Set.of("g4"), Set.of("g2@3"), true)));
    gathers(
        Optional.of(new Report("g1", stays(Stay.EXPIRING), Set.of("g4"), Set.of("g2@3"), true)));
    assertThat(holders()).isEmpty();
  }

  @Test
  void anotherOwnerIsAskedAnew() {
    holds(host("g3", Set.of(), COPY));
    long before = stays(Stay.KEPT);
    gathers(Optional.of(new Report("g3", before, Set.of(), Set.of("g2@3"), true)));
    long expiring = stays(Stay.EXPIRING);
    present.remove("g3");
    gathers(Optional.of(new Report("g3", expiring, Set.of(), Set.of("g2@3"), true)));
    stays(Stay.KEPT);
    assertThat(holders().orElseThrow().owner()).isEqualTo("g2");
  }

  @Test
  void aHostThatComesBackIsAdmittedAnew() {
    holds(host("g1", Set.of(), COPY));
    gathers(idle(stays(Stay.KEPT)));
    gathers(idle(stays(Stay.EXPIRING)));
    assertThat(holders()).isEmpty();
    registry.put("a", new Registered(ADMISSION, false));
    gathers(Optional.empty());
    stays(Stay.KEPT);
    assertThat(holders().orElseThrow().admission()).isEqualTo(ADMISSION);
  }

  @Test
  void howAHostWasAdmittedIsKeptWhateverTheRegistrySaysLater() {
    registry.put("a", new Registered(ADMISSION, false));
    holds(Optional.empty());
    gathers(Optional.empty());
    registry.put("a", new Registered(new Admission("blue", 99), false));
    gathers(Optional.empty());
    assertThat(holders().orElseThrow().admission()).isEqualTo(ADMISSION);
  }

  @Test
  void aHostThatAnOperatorRemovesLeavesWhenAllHaveSeenItAndTheOwnerHasNothing() {
    holds(host("g1", Set.of(), COPY));
    registry.put("a", new Registered(Admission.UNKNOWN, true));
    gathers(Optional.empty());
    long removed = stays(Stay.REMOVED);
    gathers(report(removed, Set.of(), false));
    stays(Stay.REMOVED);
    gathers(idle(removed));
    stays(Stay.REMOVED);
    now += TableMachine.REMOVE_MILLIS - 1;
    gathers(idle(removed));
    stays(Stay.REMOVED);
    now++;
    gathers(report(removed, Set.of(), false));
    stays(Stay.REMOVED);
    gathers(idle(removed));
    assertThat(holders()).isEmpty();
    assertThat(registry).doesNotContainKey("a");
  }

  @Test
  void aHostThatIsRemovedStaysSoWhenItsOwnerGoesOrTheRegistryIsLost() {
    holds(host("g3", Set.of(), COPY));
    registry.put("a", new Registered(Admission.UNKNOWN, true));
    gathers(Optional.empty());
    registry.clear();
    present.remove("g3");
    gathers(Optional.empty());
    stays(Stay.REMOVED);
    assertThat(holders().orElseThrow().owner()).isEqualTo("g2");
  }

  @Test
  void theTableRemembersWhenAHostWasRemovedAlsoWhenItIsAdmittedAnew() {
    holds(host("g1", Set.of(), COPY));
    registry.put("a", new Registered(new Admission("", 700), true));
    gathers(Optional.empty());
    long removed = stays(Stay.REMOVED);
    gathers(idle(removed));
    now += TableMachine.REMOVE_MILLIS;
    gathers(idle(removed));
    assertThat(holders()).isEmpty();
    assertThat(machine.view().table().removedAt("a")).hasValue(700);
    registry.put("a", new Registered(ADMISSION, false));
    gathers(Optional.empty());
    stays(Stay.KEPT);
    assertThat(machine.view().table().removedAt("a")).hasValue(700);
    assertThat(machine.view().table().removedAt("b")).isEmpty();
  }

  @Test
  void theRemovalOfAHostThatNobodyKnowsIsForgotten() {
    holds(Optional.empty());
    registry.put("a", new Registered(Admission.UNKNOWN, true));
    gathers(Optional.empty());
    assertThat(registry).doesNotContainKey("a");
    assertThat(holders()).isEmpty();
  }

  // --- a cluster of g1, g2 and g3 ---

  private static Optional<Holders> host(String owner, Set<String> behind, Copy... copies) {
    return Optional.of(new Holders(owner, 3, behind, List.of(copies), Optional.empty()));
  }

  private void holds(Optional<Holders> host) {
    for (String id : List.of("g1", "g2", "g3")) {
      present.put(
          id, new Membership(id, "session-" + id, "", URI.create("http://" + id + ":9500")));
    }
    TreeMap<String, Holders> holders = new TreeMap<>();
    host.ifPresent(each -> holders.put("a", each));
    OwnershipTable table = new OwnershipTable(1, 5L << 16, List.of("g1", "g2", "g3"), holders);
    machine = new TableMachine(Optional.of(new TableMachine.Self("g1", 2, 77)), table);
    poll(table);
  }

  private Optional<Holders> holders() {
    return machine.view().table().holders("a");
  }

  /**
   * @return since when the owner is the owner, or the host is to leave
   */
  private long stays(Stay stay) {
    assertThat(holders().orElseThrow().stay()).isEqualTo(stay);
    return holders().orElseThrow().since();
  }

  private static Optional<Report> idle(long since) {
    return report(since, Set.of(), true);
  }

  private static Optional<Report> report(long since, Set<String> behind, boolean idle) {
    return Optional.of(new Report("g1", since, behind, Set.of("g2@3"), idle));
  }

  /** The owner reports, and the table that is made of it is followed. */
  private void gathers(Optional<Report> report) {
    poll(machine.view().table());
    Map<String, Report> reports = new TreeMap<>();
    report.ifPresent(each -> reports.put("a", each));
    on(new Event.Gathered(Map.copyOf(registry), reports));
  }

  /** None of them has been started anew since the table that all had kept. */
  private static Stated stated(String id) {
    return new Stated(Standing.ACTIVE, 1, new Start(id.hashCode(), 1, 5L << 16));
  }

  private void poll(OwnershipTable table) {
    Map<String, Status> statuses = new TreeMap<>();
    present.forEach((id, member) -> statuses.put(id, new Status(member.session(), stated(id))));
    on(
        new Event.Polled(
            now, "session-g1", List.copyOf(present.values()), new Shared.Table(table), statuses));
  }

  private void on(Event event) {
    List<Effect> effects = new ArrayList<>();
    machine.on(event, effects::add);
    for (Effect effect : effects) {
      if (effect instanceof Effect.Forget forget) {
        registry.keySet().removeAll(forget.hosts());
      } else if (effect instanceof Effect.Write write) {
        assertThat(registry.keySet())
            .as("a host that is in the registry comes into the next table again")
            .allMatch(host -> registry.get(host).removed() || write.table().hosts().contains(host));
        poll(write.table());
      }
    }
  }
}
