package io.fleetgauge.load.nodes.jobs;

import java.util.Set;

/** Kinds of jobs, by what they do over time. */
public enum JobKind {
  /** All ranks do the same in steps of seconds, and then exchange gradients. */
  DATA_PARALLEL("pretrain"),
  /** Ranks of different stages do different parts of the work. */
  PIPELINE("pipeline"),
  /** GPUs of a node exchange data all the time. */
  TENSOR_PARALLEL("tensor"),
  /** Now and then one rank evaluates for minutes, and the others wait for it. */
  EVALUATION("evaluate"),
  /** Checkpoints take up to ten minutes. */
  CHECKPOINTS("finetune"),
  /** The data are loaded for ten minutes before the first step. */
  DATA_LOADING("prepare"),
  /** Boards of two models work together. */
  MIXED_BOARDS("mixed"),
  /** Nodes come and go. */
  ELASTIC("elastic"),
  /** Steps of minutes, each with parts of their own. */
  LONG_STEPS("reinforce"),
  /** Experts of a model, of which some have more to do than others. */
  EXPERTS("experts"),
  /** Some ranks generate for minutes while the others wait, which then train while these wait. */
  ROLES("rollout"),
  /** After some minutes of work the optimizer runs on the CPUs for minutes. */
  OFFLOAD("offload"),
  /** Programs are compiled for many minutes at the start, and now and then later. */
  COMPILED("compile"),
  /** Between two epochs other processes prepare data for minutes. */
  PREPARED("epochs"),
  /** The GPUs run at their power limit, at clocks that differ by chip. */
  CAPPED("capped"),
  /** The same full load all the time. */
  BURN_IN("burn-in"),
  /** Each rank has a part of the requests, and some are done long before the others. */
  BATCH("batch"),
  /** Each GPU trains a model of its own, one after the other. */
  SWEEP("sweep"),
  /** Somebody stops the first process at breakpoints, and the other ranks wait for it. */
  DEBUGGED("debug"),
  /** Every GPU serves requests of its own, by day more than by night. */
  SERVING("serve"),
  /** A model is in memory and nobody asks it. */
  IDLE_SERVING("standby"),
  /** Somebody works with a notebook: long pauses, and bursts. */
  NOTEBOOK("notebook");

  private static final Set<JobKind> ALONE =
      Set.of(BURN_IN, BATCH, SWEEP, DEBUGGED, SERVING, IDLE_SERVING, NOTEBOOK);

  private final String word;

  JobKind(String word) {
    this.word = word;
  }

  /** With which names of such jobs begin. */
  String word() {
    return word;
  }

  /** Tells whether its ranks wait for each other. */
  public boolean isTogether() {
    return !ALONE.contains(this);
  }
}
