package io.fleetgauge.cluster.bus;

import io.fleetgauge.cluster.bus.BusMessage.AmongQueryApis;
import io.fleetgauge.cluster.bus.BusMessage.CancelAsked;
import io.fleetgauge.cluster.bus.BusMessage.CancelTold;
import io.fleetgauge.cluster.bus.BusMessage.QueriesAsked;
import io.fleetgauge.cluster.bus.BusMessage.QueriesTold;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;

/**
 * Questions to the other query APIs: which queries they run, and to cancel one of them. A state
 * machine: questions and answers in, messages and results out, time as an argument. Not for several
 * threads.
 *
 * <p>A question waits for all query APIs that are live when it is asked, and for no longer than
 * {@link #WAIT_MILLIS}; the result names those that did not answer.
 */
final class RunningDirectory {
  /** Longest wait for answers, ms. */
  static final long WAIT_MILLIS = 1_000;

  /** Most questions that wait at once. */
  static final int MAX_QUESTIONS = 100;

  private final PeerDirectory peers;
  private final Map<Long, Question> questions = new LinkedHashMap<>();
  private long last;

  /**
   * The answers to a question.
   *
   * @param queries of all query APIs that answered
   * @param isFound whether a query API ran the query that was to be cancelled
   * @param silent the names of the query APIs that did not answer
   */
  record Result(long question, List<RemoteQuery> queries, boolean isFound, List<String> silent) {}

  private static final class Question {
    final long id;
    final long deadline;
    final List<Peer> waitsFor;
    final List<RemoteQuery> queries = new ArrayList<>();
    boolean found;

    Question(long id, long deadline, List<Peer> waitsFor) {
      this.id = id;
      this.deadline = deadline;
      this.waitsFor = waitsFor;
    }

    boolean isDone(long now) {
      return found || waitsFor.isEmpty() || now >= deadline;
    }

    Result result() {
      TreeSet<String> silent = new TreeSet<>();
      waitsFor.forEach(peer -> silent.add(peer.name()));
      return new Result(id, List.copyOf(queries), found, found ? List.of() : List.copyOf(silent));
    }
  }

  RunningDirectory(PeerDirectory peers) {
    this.peers = peers;
    // Answers go to all query APIs: numbers of questions must not meet.
    this.last = peers.self().life() >>> 8;
  }

  /** Whether another question may be asked. */
  boolean isFull() {
    return questions.size() >= MAX_QUESTIONS;
  }

  /** Asks which queries the others run; {@link #done} has the result under the message's id. */
  QueriesAsked list(long now) {
    return new QueriesAsked(open(now));
  }

  /** Asks for a query to be cancelled; {@link #done} has the result under the message's id. */
  CancelAsked cancel(long query, String askedBy, long now) {
    return new CancelAsked(open(now), query, askedBy);
  }

  private long open(long now) {
    List<Peer> others = new ArrayList<>(peers.live(now));
    others.remove(peers.self());
    last++;
    questions.put(last, new Question(last, now + WAIT_MILLIS, others));
    return last;
  }

  /** An answer has arrived; one that nobody waits for changes nothing. */
  void heard(Peer from, AmongQueryApis answer) {
    switch (answer) {
      case QueriesTold told -> {
        Question question = questions.get(told.request());
        if (question != null && question.waitsFor.remove(from)) {
          question.queries.addAll(told.queries());
        }
      }
      case CancelTold told -> {
        Question question = questions.get(told.request());
        if (question != null && question.waitsFor.remove(from)) {
          question.found |= told.found();
        }
      }
      case BusMessage.UsageReport other -> {}
      case BusMessage.UsageGrants other -> {}
      case QueriesAsked other -> {}
      case CancelAsked other -> {}
      case BusMessage.Leaving other -> {}
    }
  }

  /** The questions that are answered, or have waited long enough. */
  List<Result> done(long now) {
    List<Result> done = new ArrayList<>();
    for (Iterator<Question> all = questions.values().iterator(); all.hasNext(); ) {
      Question question = all.next();
      if (question.isDone(now)) {
        all.remove();
        done.add(question.result());
      }
    }
    return done;
  }
}
