package io.fleetgauge.query.answer;

import io.vertx.core.WorkerExecutor;

/**
 * Where queries are evaluated.
 *
 * @param light for queries that are soon evaluated
 * @param heavy for those that light ones must not wait behind
 */
public record Workers(WorkerExecutor light, WorkerExecutor heavy) {}
