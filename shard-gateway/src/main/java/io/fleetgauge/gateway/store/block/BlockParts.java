package io.fleetgauge.gateway.store.block;

import io.fleetgauge.gateway.store.run.SampleReader;
import java.util.Arrays;

/** Which blocks on disk have samples of a series, in order of time. Immutable. */
public final class BlockParts {
  public static final BlockParts NONE = new BlockParts(new Block[0], new int[0]);

  private final Block[] blocks;

  /** The number of the series in each block. */
  private final int[] places;

  private BlockParts(Block[] blocks, int[] places) {
    this.blocks = blocks;
    this.places = places;
  }

  public boolean isEmpty() {
    return blocks.length == 0;
  }

  public int size() {
    return blocks.length;
  }

  public Block block(int i) {
    return blocks[i];
  }

  public int place(int i) {
    return places[i];
  }

  /** Adds a block where it belongs in the order of time. */
  public BlockParts with(Block block, int place) {
    int at = blocks.length;
    while (at > 0 && blocks[at - 1].from() > block.from()) {
      at--;
    }
    Block[] moreBlocks = Arrays.copyOf(blocks, blocks.length + 1);
    int[] morePlaces = Arrays.copyOf(places, places.length + 1);
    System.arraycopy(blocks, at, moreBlocks, at + 1, blocks.length - at);
    System.arraycopy(places, at, morePlaces, at + 1, places.length - at);
    moreBlocks[at] = block;
    morePlaces[at] = place;
    return new BlockParts(moreBlocks, morePlaces);
  }

  public BlockParts without(Block block) {
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
        return new BlockParts(left, leftPlaces);
      }
    }
    return this;
  }

  public void read(long after, long to, SampleReader reader) {
    for (int i = 0; i < blocks.length; i++) {
      if (blocks[i].from() <= to && blocks[i].to() > after) {
        blocks[i].read(places[i], after, to, reader);
      }
    }
  }

  public boolean hasSampleIn(long from, long to, SampleReader reader) {
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
