package io.fleetgauge.promql.fragment.form;

import io.fleetgauge.sample.wire.WireException;

/** The kinds of questions and answers; the code of a kind never changes its meaning. */
enum Kind {
  SAMPLES(1),
  LABEL_NAMES(2),
  LABEL_VALUES(3),
  LABEL_SETS(4),
  PARTS(5),
  /** An answer only. */
  UNFIT(6),
  EXTENT(7),
  CHANGES(8),
  METADATA(9),
  HOSTS(10),
  NEWEST(11),
  REDUCED(12),
  OWNERS(13),
  SEVERAL(14),
  /** An answer only, and only one of several. */
  REFUSED(15);

  final int code;

  Kind(int code) {
    this.code = code;
  }

  static Kind of(int code) throws WireException {
    for (Kind kind : values()) {
      if (kind.code == code) {
        return kind;
      }
    }
    throw new WireException("there is no kind " + code + " of fragments");
  }
}
