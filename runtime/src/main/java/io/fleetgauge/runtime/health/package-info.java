/**
 * The program by which a container engine asks whether the process of a container is well.
 *
 * <p>In: the address to ask. Out: a code, 0 for well, and a line that says what is wrong. It knows
 * nothing of Fleetgauge and no library, so that it starts in a fraction of a second.
 */
package io.fleetgauge.runtime.health;
