package io.fleetgauge.probe.nccl;

import io.fleetgauge.sample.Labels;
import java.util.OptionalInt;
import java.util.OptionalLong;

/**
 * What is known of a GPU in a communicator. Immutable.
 *
 * @param gpu labels of the GPU
 * @param communicator its id
 * @param rank empty when the answer does not name it
 * @param ranks the size of the communicator
 * @param missing the number of ranks that do not answer
 * @param operations empty when they are not known
 */
record RasSeries(
    Labels gpu,
    String communicator,
    OptionalInt rank,
    int ranks,
    int missing,
    OptionalLong operations) {}
