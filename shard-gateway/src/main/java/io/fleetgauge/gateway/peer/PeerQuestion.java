package io.fleetgauge.gateway.peer;

import io.fleetgauge.gateway.ingest.host.Peers;
import io.fleetgauge.gateway.stream.StreamQuestion;
import io.fleetgauge.sample.wire.WireException;
import io.fleetgauge.sample.wire.WireReader;
import io.fleetgauge.sample.wire.WireWriter;

/** The questions of gateways to each other on streams, as bytes. The package draws them. */
sealed interface PeerQuestion {
  int FRAMES = 1;
  int CHECK = 2;
  int COPY = 3;

  /**
   * Frames for the owner of their host.
   *
   * @param isCheck whether the owner keeps nothing and says what it would refuse
   * @param epoch the newest that the sender knows; 0 for none
   */
  record Frames(boolean isCheck, String host, long epoch, byte[] frames) implements PeerQuestion {}

  /** Frames from the owner for a replica. */
  record Copied(Peers.Copy copy) implements PeerQuestion {}

  default StreamQuestion toQuestion() {
    return switch (this) {
      case Frames of ->
          new StreamQuestion(
              of.isCheck ? CHECK : FRAMES,
              new WireWriter(64).string(of.host).uvar(of.epoch).toBytes(),
              of.frames);
      case Copied of ->
          new StreamQuestion(
              COPY,
              new WireWriter(128)
                  .string(of.copy.host())
                  .uvar(of.copy.epoch())
                  .string(of.copy.owner())
                  .uvar(of.copy.session())
                  .uvar(of.copy.number())
                  .uvar(of.copy.count())
                  .toBytes(),
              of.copy.frames());
    };
  }

  /**
   * @throws WireException if it is none of these
   */
  static PeerQuestion of(StreamQuestion question) throws WireException {
    WireReader in = new WireReader(question.fields());
    PeerQuestion read =
        switch (question.kind()) {
          case FRAMES, CHECK ->
              new Frames(
                  question.kind() == CHECK,
                  in.string("a host"),
                  in.uvar("an epoch"),
                  question.body());
          case COPY ->
              new Copied(
                  new Peers.Copy(
                      in.string("a host"),
                      in.uvar("an epoch"),
                      in.string("a gateway"),
                      in.uvar("a session"),
                      in.uvar("the number of a body"),
                      in.uint(Integer.MAX_VALUE, "the number of bodies"),
                      question.body()));
          default -> throw new WireException("a request of kind " + question.kind());
        };
    in.end("the fields of a request");
    return read;
  }
}
