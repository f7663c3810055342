package io.fleetgauge.query.faults.running;

import io.fleetgauge.query.derived.DerivedSample;
import io.fleetgauge.query.faults.api.FaultContext;
import io.fleetgauge.query.faults.api.FaultJson;
import io.fleetgauge.query.faults.episode.Episode;
import io.fleetgauge.query.faults.record.FaultSeries;
import io.fleetgauge.query.faults.record.StoredEpisode;
import io.fleetgauge.query.faults.tell.FaultReceivers;
import io.fleetgauge.query.faults.tell.Told;
import io.vertx.core.Context;
import io.vertx.core.Future;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.function.Function;

/**
 * Tells receivers what is stored: of each episode that it is open, and that it is over, each once;
 * and stores what they have taken. For one event loop.
 */
final class Telling {
  private static final int MOST_UNDER_WAY = 20_000;
  private static final int MOST_TOLD = 200_000;

  private final Context context;
  private final Consumer<DerivedSample> store;
  private final Function<StoredEpisode, Future<FaultContext>> contexts;
  private Optional<FaultReceivers> receivers = Optional.empty();

  /** What has been taken, or is on its way, the newest last. */
  private final Set<Stored.Delivery> told = new LinkedHashSet<>();

  /** Samples that told episodes which are on their way, by identity and state, the newest last. */
  private final Map<String, FaultNews> underWay = new LinkedHashMap<>();

  /**
   * @param store stores a sample
   * @param contexts reads what belongs to an episode; an episode is told without it if that fails
   */
  Telling(
      Context context,
      Consumer<DerivedSample> store,
      Function<StoredEpisode, Future<FaultContext>> contexts) {
    this.context = context;
    this.store = store;
    this.contexts = contexts;
  }

  void to(FaultReceivers all) {
    receivers = Optional.of(all);
  }

  /**
   * Goes on with what was stored and not taken.
   *
   * @param since episodes that were over before are not told any more, ms since the epoch
   * @param isCurrent true while it is this process that tells
   */
  void restore(Stored stored, long since, BooleanSupplier isCurrent) {
    told.clear();
    told.addAll(stored.delivered());
    for (StoredEpisode of : stored.episodes()) {
      if (of.episode().isOpen() || of.episode().over().getAsLong() >= since) {
        tell(new FaultNews(of.episode(), of.home(), of.told()), isCurrent);
      }
    }
  }

  void tell(List<FaultNews> news, BooleanSupplier isCurrent) {
    news.forEach(each -> tell(each, isCurrent));
  }

  private void tell(FaultNews news, BooleanSupplier isCurrent) {
    if (receivers.isEmpty()) {
      return;
    }
    Episode of = news.episode();
    List<String> wanting =
        receivers.get().wanting(of).stream()
            .filter(each -> told.add(new Stored.Delivery(each, of.id(), state(of).text())))
            .toList();
    if (wanting.isEmpty()) {
      return;
    }
    while (told.size() > MOST_TOLD) {
      told.remove(told.iterator().next());
    }
    underWay.put(key(of.id(), state(of).text()), news);
    if (underWay.size() > MOST_UNDER_WAY) {
      underWay.remove(underWay.keySet().iterator().next());
    }
    StoredEpisode stored =
        new StoredEpisode(of, FaultSeries.episode(of, news.home()), news.at(), news.at());
    contexts
        .apply(stored)
        .otherwise(FaultContext.NONE)
        .onSuccess(
            around ->
                context.runOnContext(
                    none -> {
                      Told now = new Told(of, around.texts(), FaultJson.bytes(stored, around));
                      wanting.forEach(each -> receivers.get().tell(each, now, isCurrent));
                    }));
  }

  private static Told.State state(Episode of) {
    return of.isOpen() ? Told.State.OPEN : Told.State.OVER;
  }

  private static String key(String episode, String state) {
    return episode + " " + state;
  }

  /** A receiver has taken a state. It is a fact, whoever evaluates faults now. */
  void taken(String receiver, String episode, String state) {
    FaultNews news = underWay.get(key(episode, state));
    if (news != null) {
      DerivedSample sample =
          new DerivedSample(
              FaultSeries.delivered(news.episode(), news.home(), receiver, state),
              news.at(),
              news.at() / 1e3);
      store.accept(sample);
    }
  }
}
