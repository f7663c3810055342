/**
 * The forms of Prometheus: numbers as it prints and reads them, the text that exporters and
 * federation serve, the messages of remote write and remote read, and what known metrics are.
 *
 * <p>In: values and label sets, or text and bytes from anywhere. Out: characters, equal to
 * Prometheus's to the last digit; or samples, or an error that says where what is wrong. The room
 * has more than 20 files because most forms are read and written here.
 *
 * <p>Law: no text and no bytes make a reader do anything but read or refuse them, and what is
 * longer than a limit is refused before memory is taken for it.
 */
package io.fleetgauge.sample.prometheus;
