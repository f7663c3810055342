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
  /** The same full load all the time. */
  BURN_IN("burn-in"),
  /** Every GPU serves requests of its own, by day more than by night. */
  SERVING("serve"),
  /** A model is in memory and nobody asks it. */
  IDLE_SERVING("standby"),
  /** Somebody works with a notebook: long pauses, and bursts. */
  NOTEBOOK("notebook");

  private static final Set<JobKind> ALONE = Set.of(BURN_IN, SERVING, IDLE_SERVING, NOTEBOOK);

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
