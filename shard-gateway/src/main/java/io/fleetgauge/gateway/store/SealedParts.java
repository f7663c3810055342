package io.fleetgauge.gateway.store;

import java.util.Arrays;

/** Which blocks on disk have samples of a series, in order of time. Immutable. */
final class SealedParts {
  static final SealedParts NONE = new SealedParts(new Block[0], new int[0]);

  private final Block[] blocks;

  /** The series' place in each block. */
  private final int[] places;

  private SealedParts(Block[] blocks, int[] places) {
    this.blocks = blocks;
    this.places = places;
  }

  boolean isEmpty() {
    return blocks.length == 0;
  }

  int size() {
    return blocks.length;
  }

  Block block(int i) {
    return blocks[i];
  }

  int place(int i) {
    return places[i];
  }

  SealedParts with(Block block, int place) {
    int at = blocks.length;
    Block[] moreBlocks = Arrays.copyOf(blocks, at + 1);
    int[] morePlaces = Arrays.copyOf(places, at + 1);
    moreBlocks[at] = block;
    morePlaces[at] = place;
    return new SealedParts(moreBlocks, morePlaces);
  }

  SealedParts without(Block block) {
    for (int i = 0; i < blocks.length; i++) {
      if (blocks[i] == block) {
        if (blocks.length == 1) {
          return NONE;
        }
        Block[] left = new Block[blocks.length - 1];
        int[] leftPlaces = new int[left.length];
        System.arraycopy(blocks, 0, left, 0, i);
        System.arraycopy(blocks, i + 1, left, i, left.length - i);
        System.arraycopy(places, 0, leftPlaces, 0, i);
        System.arraycopy(places, i + 1, leftPlaces, i, left.length - i);
        return new SealedParts(left, leftPlaces);
      }
    }
    return this;
  }

  void read(long after, long to, SampleReader reader) {
    for (int i = 0; i < blocks.length; i++) {
      if (blocks[i].from() <= to && blocks[i].to() > after) {
        blocks[i].read(places[i], after, to, reader);
      }
    }
  }

  void summarize(long after, long to, SampleReader reader, Summary summary) {
    for (int i = 0; i < blocks.length; i++) {
      if (blocks[i].from() <= to
          && blocks[i].to() > after
          && !blocks[i].summarize(places[i], after, to, summary)) {
        reader.clear();
        blocks[i].read(places[i], after, to, reader);
        reader.addTo(summary);
      }
    }
  }

  boolean hasSampleIn(long from, long to, SampleReader reader) {
    for (int i = 0; i < blocks.length; i++) {
      if (blocks[i].from() <= to
          && blocks[i].to() > from
          && blocks[i].hasSampleIn(places[i], from, to, reader)) {
        return true;
      }
    }
    return false;
  }
}
