package io.fleetgauge.probe.attribution.kubelet;

import com.google.protobuf.CodedInputStream;
import io.grpc.Attributes;
import io.grpc.Metadata;
import io.grpc.MethodDescriptor;
import io.grpc.Server;
import io.grpc.ServerCall;
import io.grpc.ServerServiceDefinition;
import io.grpc.ServerTransportFilter;
import io.grpc.Status;
import io.grpc.netty.NettyServerBuilder;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.epoll.EpollIoHandler;
import io.netty.channel.epoll.EpollServerDomainSocketChannel;
import io.netty.channel.unix.DomainSocketAddress;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;

/** A kubelet that answers what the test says, by gRPC's own library. */
public final class FakeKubelet implements AutoCloseable {
  private static final MethodDescriptor.Marshaller<byte[]> BYTES =
      new MethodDescriptor.Marshaller<>() {
        @Override
        public InputStream stream(byte[] value) {
          return new ByteArrayInputStream(value);
        }

        @Override
        public byte[] parse(InputStream stream) {
          try {
            return stream.readAllBytes();
          } catch (IOException e) {
            throw new UncheckedIOException(e);
          }
        }
      };

  private final Path socket;
  private final EventLoopGroup loops =
      new MultiThreadIoEventLoopGroup(1, EpollIoHandler.newFactory());
  private final Map<String, Function<byte[], Reply>> replies = new ConcurrentHashMap<>();
  private final List<String> calls = new CopyOnWriteArrayList<>();
  private final AtomicInteger connections = new AtomicInteger();
  private Server server;

  /** What a method does. */
  public sealed interface Reply {
    /** Answers a message. */
    record Message(byte[] bytes) implements Reply {}

    /** Answers a status. */
    record Failure(Status status) implements Reply {}

    /** Never answers. */
    record Silence() implements Reply {}
  }

  public FakeKubelet(Path socket) throws IOException {
    this.socket = socket;
    fails("List", Status.UNIMPLEMENTED);
    fails("GetAllocatableResources", Status.UNIMPLEMENTED);
    fails("Get", Status.UNKNOWN.withDescription("PodResources API Get method disabled"));
    start();
  }

  public void start() throws IOException {
    Files.deleteIfExists(socket);
    ServerServiceDefinition.Builder service =
        ServerServiceDefinition.builder("v1.PodResourcesLister");
    for (String method : List.of("List", "GetAllocatableResources", "Get")) {
      service.addMethod(
          MethodDescriptor.newBuilder(BYTES, BYTES)
              .setType(MethodDescriptor.MethodType.UNARY)
              .setFullMethodName("v1.PodResourcesLister/" + method)
              .build(),
          (call, headers) -> {
            call.sendHeaders(new Metadata());
            call.request(1);
            return new ServerCall.Listener<>() {
              @Override
              public void onMessage(byte[] request) {
                calls.add(method);
                reply(call, replies.get(method).apply(request));
              }
            };
          });
    }
    server =
        NettyServerBuilder.forAddress(new DomainSocketAddress(socket.toFile()))
            .channelType(EpollServerDomainSocketChannel.class)
            .bossEventLoopGroup(loops)
            .workerEventLoopGroup(loops)
            .directExecutor()
            .addService(service.build())
            .addTransportFilter(
                new ServerTransportFilter() {
                  @Override
                  public Attributes transportReady(Attributes attributes) {
                    connections.incrementAndGet();
                    return attributes;
                  }

                  @Override
                  public void transportTerminated(Attributes attributes) {
                    connections.decrementAndGet();
                  }
                })
            .build()
            .start();
  }

  private static void reply(ServerCall<byte[], byte[]> call, Reply reply) {
    switch (reply) {
      case Reply.Message message -> {
        call.sendMessage(message.bytes());
        call.close(Status.OK, new Metadata());
      }
      case Reply.Failure failure -> call.close(failure.status(), new Metadata());
      case Reply.Silence silence -> {}
    }
  }

  /** Those that are open. */
  public int connections() {
    return connections.get();
  }

  /** What {@code List} answers. */
  public FakeKubelet lists(Messages.Field... pods) {
    return answers("List", Messages.message(pods));
  }

  FakeKubelet answers(String method, byte[] message) {
    replies.put(method, request -> new Reply.Message(message));
    return this;
  }

  FakeKubelet fails(String method, Status status) {
    replies.put(method, request -> new Reply.Failure(status));
    return this;
  }

  FakeKubelet hangs(String method) {
    replies.put(method, request -> new Reply.Silence());
    return this;
  }

  /** What {@code Get} answers for each pod, by its name. */
  FakeKubelet gets(Function<String, Reply> byName) {
    replies.put(
        "Get",
        request -> {
          CodedInputStream in = CodedInputStream.newInstance(request);
          try {
            in.readTag();
            return byName.apply(in.readString());
          } catch (IOException e) {
            throw new UncheckedIOException(e);
          }
        });
    return this;
  }

  /** The methods that were called, in order. */
  public List<String> calls() {
    return calls;
  }

  long listCalls() {
    return calls.stream().filter("List"::equals).count();
  }

  /** Ends as a kubelet that restarts does: the socket goes. */
  void stop() throws IOException {
    server.shutdownNow();
    loops.next().submit(() -> {}).awaitUninterruptibly(10, TimeUnit.SECONDS);
    Files.deleteIfExists(socket);
  }

  @Override
  public void close() throws IOException {
    stop();
    loops.shutdownGracefully(0, 1, TimeUnit.SECONDS);
  }
}
