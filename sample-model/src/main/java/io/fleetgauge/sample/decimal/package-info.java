/**
 * The decimal digits of doubles.
 *
 * <p>In: a double. Out: the fewest digits that read back as the same double, written where the
 * caller wants them. Nothing is allocated: an answer is made of tens of thousands of numbers.
 *
 * <p>Law: no other decimal with as few digits is nearer to the double ({@code
 * ShortestDecimalTest}).
 */
package io.fleetgauge.sample.decimal;
