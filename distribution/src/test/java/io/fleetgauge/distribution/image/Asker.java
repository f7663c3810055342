package io.fleetgauge.distribution.image;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** Asks for the newest samples again and again, as a dashboard does. */
public final class Asker implements AutoCloseable {
  private static final Duration SOON = Duration.ofMinutes(10);

  private final ProcessApi api;
  private final String query;
  private final List<String> expected;
  private final Duration pause;
  private final List<String> failures = new ArrayList<>();
  private final Thread thread;
  private boolean ended;
  private int answers;

  /**
   * @param expected values that every answer has to have
   * @param pause between an answer and the next question
   */
  public Asker(ProcessApi api, String query, List<String> expected, Duration pause) {
    this.api = api;
    this.query = query;
    this.expected = List.copyOf(expected);
    this.pause = pause;
    thread = Thread.ofPlatform().name("asker").start(this::ask);
  }

  private void ask() {
    try {
      while (!awaitNext()) {
        note(failure());
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private String failure() throws InterruptedException {
    try {
      JsonNode answer = api.answer(query);
      return ProcessApi.values(answer).equals(expected) ? null : Instant.now() + " " + answer;
    } catch (IOException e) {
      return Instant.now() + " " + e;
    }
  }

  /** Answers whether this was ended instead. */
  private synchronized boolean awaitNext() throws InterruptedException {
    long end = System.nanoTime() + pause.toNanos();
    for (long left = pause.toNanos(); !ended && left > 0; left = end - System.nanoTime()) {
      TimeUnit.NANOSECONDS.timedWait(this, left);
    }
    return ended;
  }

  private synchronized void note(String failure) {
    answers++;
    if (failure != null) {
      failures.add(failure);
    }
    notifyAll();
  }

  public synchronized void awaitAnswers(int count) throws InterruptedException {
    int wanted = answers + count;
    long end = System.nanoTime() + SOON.toNanos();
    while (answers < wanted && System.nanoTime() < end) {
      TimeUnit.NANOSECONDS.timedWait(this, Math.max(1, end - System.nanoTime()));
    }
  }

  public synchronized int answers() {
    return answers;
  }

  public synchronized List<String> failures() {
    return List.copyOf(failures);
  }

  @Override
  public void close() {
    synchronized (this) {
      ended = true;
      notifyAll();
    }
    try {
      thread.join();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
