package io.fleetgauge.load.nodes.jobs;

import io.fleetgauge.load.nodes.driver.Board;
import io.fleetgauge.probe.config.TickSettings;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/**
 * A fleet. Racks have one kind of board each, the last one two; GPUs of one rack are divided.
 *
 * @param places the GPU nodes
 * @param jobTime how long jobs of a group of nodes last
 * @param ticks how often nodes are read
 * @param seed of jobs and noise
 */
public record FleetLayout(List<Place> places, Duration jobTime, TickSettings ticks, long seed) {
  private static final int RACKS = 5;
  private static final Duration JOB_TIME = Duration.ofHours(1);
  private static final Board[] BOARDS = {
    Board.H100, Board.GB200, Board.H200, Board.H100, Board.A100
  };
  private static final int DIVIDED_RACK = 4;

  /** A fleet of so many nodes in five racks, or as many as there are nodes. */
  public static FleetLayout of(int hosts, Duration tick, long seed) {
    List<Place> places = new ArrayList<>();
    int racks = Math.min(RACKS, hosts);
    int position = 0;
    for (int i = 0; i < hosts; i++) {
      int rack = 1 + i * racks / hosts;
      position = i > 0 && places.getLast().rack() == rack ? position + 1 : 0;
      Board board = BOARDS[rack - 1];
      if (rack == RACKS && position >= (hosts / racks + 1) / 2) {
        board = Board.L40S; // half of the last rack
      }
      places.add(new Place(i, rack, position, board, rack == DIVIDED_RACK));
    }
    return new FleetLayout(places, JOB_TIME, TickSettings.every(tick), seed);
  }

  public FleetLayout {
    places = List.copyOf(places);
  }

  /** Time between two readings. */
  public Duration tick() {
    return ticks.tick();
  }

  /** Number of GPUs of the nodes, divided or not. */
  public int gpus() {
    return places.stream().mapToInt(place -> place.board().perNode()).sum();
  }
}
