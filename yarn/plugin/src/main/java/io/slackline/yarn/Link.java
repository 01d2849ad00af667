package io.slackline.yarn;

import io.grpc.ManagedChannel;
import io.grpc.netty.shaded.io.grpc.netty.GrpcSslContexts;
import io.grpc.netty.shaded.io.grpc.netty.NettyChannelBuilder;
import io.grpc.netty.shaded.io.netty.handler.ssl.SslContextBuilder;
import io.grpc.netty.shaded.io.netty.handler.ssl.SslProvider;
import io.grpc.stub.ClientCallStreamObserver;
import io.grpc.stub.ClientResponseObserver;
import io.slackline.yarn.v1.AttachRequest;
import io.slackline.yarn.v1.AttachResponse;
import io.slackline.yarn.v1.Event;
import io.slackline.yarn.v1.Events;
import io.slackline.yarn.v1.Hello;
import io.slackline.yarn.v1.Item;
import io.slackline.yarn.v1.Mode;
import io.slackline.yarn.v1.Proof;
import io.slackline.yarn.v1.SchedulerServiceGrpc;
import io.slackline.yarn.v1.Snapshot;
import io.slackline.yarn.v1.Welcome;
import java.io.IOException;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.security.SecureRandom;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Iterator;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;
import org.apache.hadoop.util.VersionInfo;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The stream to Slackline, on one thread of its own: it dials, says what has happened, and does what is asked for. No
 * thread of the ResourceManager ever waits for it.
 */
final class Link implements Runnable {
  private static final Logger LOG = LoggerFactory.getLogger(Link.class);
  static final int PROTOCOL = 1;
  /** Beats of Slackline's before it may place work. */
  static final int GOOD_BEATS = 3;
  /** However patient it is: a Slackline that is back need not wait for long. */
  private static final long LONGEST_BEAT_MS = 200;
  private static final int NONCE = 32;
  /** So many nodes, applications, asks and containers of a full state go into a message. */
  private static final int PART = 10_000;
  private static final long DIAL_MS = 5000;
  private static final long SHORTEST_PAUSE_MS = 100;
  private static final long LONGEST_PAUSE_MS = 5000;
  private static final int UNREAD = 10_000;
  /** For so long it does what a plan asks for before it says again what has happened. */
  private static final long TURN_NS = TimeUnit.MILLISECONDS.toNanos(5);

  /** What the link needs of the scheduler; all of it is called on the link's thread, but for broken. */
  interface Site {
    /** The full state; what was noted before it is in there. */
    Snapshot snapshot(long next);

    /** What has happened since, but for heartbeats if not wanted; null if that was too much, or a snapshot is due for another reason. */
    List<Event> news(boolean beating);

    void does(Item item);

    /** Changes who places work; a change is told by a snapshot, which is then due. */
    void mode(Mode mode);

    Mode mode();

    /** The stream is gone; the stock scheduler places work from the moment on that this is called. */
    void broken();
  }

  private final Settings settings;
  private final String life;
  private final Site site;
  private final BlockingQueue<Object> inbox = new LinkedBlockingQueue<>();
  private final AtomicBoolean woken = new AtomicBoolean();
  private final Thread thread;
  private long pause = SHORTEST_PAUSE_MS;
  private volatile boolean stopped;

  private static final Object WAKE = new Object();

  /** The end of a stream, with the reason. */
  private static final class Over {
    final Object stream;
    final Throwable why;

    Over(Object stream, Throwable why) {
      this.stream = stream;
      this.why = why;
    }
  }

  /** A message of a stream. */
  private static final class Heard {
    final Object stream;
    final AttachResponse says;

    Heard(Object stream, AttachResponse says) {
      this.stream = stream;
      this.says = says;
    }
  }

  Link(Settings settings, String life, Site site) {
    this.settings = settings;
    this.life = life;
    this.site = site;
    thread = new Thread(this, "slackline-link");
    thread.setDaemon(true);
  }

  void start() {
    thread.start();
  }

  void stop() {
    stopped = true;
    thread.interrupt();
    try {
      thread.join(2000);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  /** Something has happened. Any thread; never waits. */
  void wake() {
    if (woken.compareAndSet(false, true)) {
      inbox.offer(WAKE);
    }
  }

  boolean isMine() {
    return Thread.currentThread() == thread;
  }

  @Override
  public void run() {
    String last = "";
    while (!stopped) {
      try {
        session();
      } catch (InterruptedException e) {
        break;
      } catch (Throwable t) {
        if (!String.valueOf(t.getMessage()).equals(last)) { // the same thing is not said each time
          last = String.valueOf(t.getMessage());
          LOG.warn("the stock scheduler places work: no Slackline at {}: {}", settings.address, last);
        }
      }
      site.broken();
      try {
        Thread.sleep(pause);
      } catch (InterruptedException e) {
        break;
      }
      pause = Math.min(LONGEST_PAUSE_MS, 2 * pause);
    }
    site.broken();
  }

  /** One stream, from its beginning to its end. */
  private void session() throws Exception {
    ManagedChannel channel = channel();
    Object name = new Object();
    Calls calls = new Calls(name);
    try {
      inbox.clear();
      woken.set(false);
      SchedulerServiceGrpc.newStub(channel).attach(calls);
      greet(name, calls);
      LOG.info("attached to Slackline at {}", settings.address);
      pause = SHORTEST_PAUSE_MS; // who was there will soon be back
      serve(name, calls);
    } finally {
      calls.given = true;
      channel.shutdownNow();
    }
  }

  private ManagedChannel channel() throws IOException {
    // What comes is only put in line, so gRPC's own thread may do that.
    NettyChannelBuilder b = NettyChannelBuilder.forTarget(settings.address).maxInboundMessageSize(64 << 20).directExecutor();
    Path tls = settings.tls;
    if (tls == null) {
      return b.usePlaintext().build();
    }
    // They are read each time that it dials, so that new ones need no new ResourceManager.
    return b.sslContext(GrpcSslContexts.configure(SslContextBuilder.forClient(), SslProvider.JDK).protocols("TLSv1.3")
        .trustManager(tls.resolve(Settings.CA).toFile())
        .keyManager(tls.resolve(Settings.CERT).toFile(), tls.resolve(Settings.KEY).toFile()).build()).build();
  }

  private void greet(Object name, Calls calls) throws Exception {
    byte[] nonce = new byte[NONCE];
    new SecureRandom().nextBytes(nonce);
    calls.out.onNext(AttachRequest.newBuilder().setHello(Hello.newBuilder().setProtocol(PROTOCOL).setVersion("1")
        .setHadoop(VersionInfo.getVersion()).setCluster(settings.cluster).setLife(life)
        .setNonce(com.google.protobuf.ByteString.copyFrom(nonce))).build());
    long until = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(DIAL_MS);
    Welcome welcome = null;
    while (welcome == null) {
      AttachResponse m = next(name, TimeUnit.NANOSECONDS.toMillis(until - System.nanoTime()));
      if (m == null && System.nanoTime() > until) {
        throw new IOException("it does not answer");
      }
      if (m != null) {
        welcome = m.getWelcome();
      }
    }
    if (welcome.getProtocol() != PROTOCOL) {
      throw new IOException("it speaks protocol " + welcome.getProtocol() + " and this plug-in " + PROTOCOL);
    }
    byte[] theirs = welcome.getNonce().toByteArray();
    if (!MessageDigest.isEqual(welcome.getProof().toByteArray(), proof("slackline", nonce, theirs))) {
      throw new IOException("who answers does not know the secret");
    }
    calls.out.onNext(AttachRequest.newBuilder().setProof(Proof.newBuilder()
        .setProof(com.google.protobuf.ByteString.copyFrom(proof("plugin", nonce, theirs)))).build());
  }

  byte[] proof(String role, byte[] hello, byte[] welcome) throws GeneralSecurityException {
    Mac mac = Mac.getInstance("HmacSHA256");
    mac.init(new SecretKeySpec(settings.secret, "HmacSHA256"));
    mac.update(role.getBytes(java.nio.charset.StandardCharsets.US_ASCII));
    mac.update(hello);
    return mac.doFinal(welcome);
  }

  private void serve(Object name, Calls calls) throws Exception {
    long beatMs = Math.max(1, Math.min(LONGEST_BEAT_MS, settings.silenceMs / 5));
    long patience = TimeUnit.MILLISECONDS.toNanos(settings.silenceMs - beatMs); // behind the question of a beat, which it answers at once
    long number = 1;
    long full = 0; // the number of the last snapshot
    long seen = 0; // Slackline has decided on all before it, and that is done
    long beaten = 0; // the number behind the last heartbeats that were told
    long said = System.nanoTime();
    Iterator<Item> todo = Collections.emptyIterator(); // what is left of the last plan
    int beats = 0;
    Mode wish = null;
    boolean due = true;
    while (!stopped) {
      long left = TimeUnit.NANOSECONDS.toMillis(patience - calls.waits()) + 1;
      AttachResponse m = todo.hasNext() && !calls.over ? beat(name) : next(name, Math.min(beatMs, left));
      if (m != null) {
        switch (m.getSaysCase()) {
          case PLAN:
            if (m.getPlan().getSeen() == 0 || m.getPlan().getSeen() >= full) { // else it was made before the full state was read
              todo = m.getPlan().getItemsList().iterator();
            }
            break;
          case BEAT:
            beats++;
            seen = m.getBeat().getSeen();
            break;
          case MODE:
            if (m.getMode() == Mode.MODE_STOCK || m.getMode() == Mode.MODE_OURS || m.getMode() == Mode.MODE_WATCH) {
              wish = m.getMode();
            }
            break;
          case RESYNC:
            LOG.info("Slackline wants all told again: {}", m.getResync().getWhy());
            due = true;
            break;
          default:
            break;
        }
      }
      // A long plan keeps this thread, and neither news nor beats wait for its end.
      for (long until = System.nanoTime() + TURN_NS; todo.hasNext() && System.nanoTime() < until;) {
        site.does(todo.next());
      }
      if (calls.waits() > patience) {
        throw new IOException("it has said nothing for " + settings.silenceMs + " ms");
      }
      if (wish != null && wish != site.mode() && !calls.over && (wish != Mode.MODE_OURS || beats >= GOOD_BEATS)) {
        site.mode(wish);
        due = true;
      }
      if (calls.over) { // what it wanted before holds no more: the next thing to be read is the end
        continue;
      }
      if (!calls.out.isReady()) {
        calls.asks();
        continue; // what happens meanwhile is kept, up to a bound
      }
      // Nodes get work when they beat. So no more beat before it was decided on those before them: what is decided then waits
      // for one short plan at most. That one need not be done, or this thread would rest while Slackline decides.
      List<Event> news = due ? null : site.news(seen >= beaten);
      if (news == null) {
        full = ++number;
        beaten = full;
        todo = Collections.emptyIterator(); // as its plan is from before that
        for (Snapshot part : parts(site.snapshot(full), PART)) {
          calls.says(AttachRequest.newBuilder().setSnapshot(part).build());
        }
        due = false;
        said = System.nanoTime();
      } else if (!news.isEmpty() || System.nanoTime() - said >= TimeUnit.MILLISECONDS.toNanos(beatMs)) {
        calls.says(AttachRequest.newBuilder().setEvents(Events.newBuilder().setFirst(number)
            .setTimeMs(System.currentTimeMillis()).addAllEvents(news)).build());
        number += news.size();
        beaten = news.stream().anyMatch(Event::hasHeartbeats) ? number : beaten;
        said = System.nanoTime();
      }
    }
    calls.out.onCompleted();
  }

  /** A full state in parts of so many things each, so that one of any size can be sent. */
  static List<Snapshot> parts(Snapshot whole, int each) {
    List<Snapshot> parts = new ArrayList<>();
    int nodes = 0;
    int applications = 0;
    int asks = 0;
    int containers = 0;
    do {
      Snapshot.Builder b = Snapshot.newBuilder().setNext(whole.getNext()).setTimeMs(whole.getTimeMs()).setMode(whole.getMode());
      if (parts.isEmpty()) {
        b.addAllQueues(whole.getQueuesList());
      }
      for (int n = 0; n < each; n++) {
        if (nodes < whole.getNodesCount()) {
          b.addNodes(whole.getNodes(nodes++));
        } else if (applications < whole.getApplicationsCount()) {
          b.addApplications(whole.getApplications(applications++));
        } else if (asks < whole.getAsksCount()) {
          b.addAsks(whole.getAsks(asks++));
        } else if (containers < whole.getContainersCount()) {
          b.addContainers(whole.getContainers(containers++));
        }
      }
      b.setMore(nodes < whole.getNodesCount() || applications < whole.getApplicationsCount() || asks < whole.getAsksCount()
          || containers < whole.getContainersCount());
      parts.add(b.build());
    } while (parts.get(parts.size() - 1).getMore());
    return parts;
  }

  /** A beat of Slackline's if that comes next, which holds nothing up; else null. */
  private AttachResponse beat(Object name) {
    Object x = inbox.peek();
    if (x == WAKE) {
      woken.set(false);
    } else if (!(x instanceof Heard && ((Heard) x).stream == name && ((Heard) x).says.hasBeat())) {
      return null;
    }
    inbox.remove();
    return x instanceof Heard ? ((Heard) x).says : null;
  }

  /** The next message, null if there is none for a while or something has happened here. */
  private AttachResponse next(Object name, long waitMs) throws Exception {
    Object x = inbox.poll(Math.max(0, waitMs), TimeUnit.MILLISECONDS);
    if (x == WAKE) {
      woken.set(false);
    } else if (x instanceof Over && ((Over) x).stream == name) {
      Over over = (Over) x;
      throw new IOException(over.why == null ? "it has ended the stream" : io.grpc.Status.fromThrowable(over.why).getDescription(), over.why);
    } else if (x instanceof Heard && ((Heard) x).stream == name) {
      return ((Heard) x).says;
    }
    return null;
  }

  /** The side of a stream on which gRPC's threads call. */
  private final class Calls implements ClientResponseObserver<AttachRequest, AttachResponse> {
    private final Object name;
    private volatile ClientCallStreamObserver<AttachRequest> out;
    /** It was given up, and its end is no news. */
    private volatile boolean given;
    private volatile boolean over;
    /** When something came last, by System.nanoTime: whoever reads it may be busy then. */
    private volatile long heard = System.nanoTime();
    /** When the first thing was said that nothing came after. */
    private long asked = heard;

    Calls(Object name) {
      this.name = name;
    }

    @Override
    public void beforeStart(ClientCallStreamObserver<AttachRequest> stream) {
      out = stream;
      out.setOnReadyHandler(Link.this::wake);
    }

    @Override
    public void onNext(AttachResponse m) {
      heard = System.nanoTime();
      if (inbox.size() > UNREAD) {
        out.cancel("too much at once", null);
        return;
      }
      inbox.offer(new Heard(name, m));
    }

    @Override
    public void onError(Throwable t) {
      end(t);
    }

    @Override
    public void onCompleted() {
      end(null);
    }

    /** The answer may be there before this returns, so it is waited for from before that. */
    void says(AttachRequest m) {
      asks();
      out.onNext(m);
    }

    /** Something is to be said, which a Slackline answers. */
    void asks() {
      if (asked - heard <= 0) {
        asked = System.nanoTime();
      }
    }

    /** For how long it has not answered, in ns. What this side does meanwhile is not its silence. */
    long waits() {
      return asked - heard > 0 ? System.nanoTime() - asked : 0;
    }

    private void end(Throwable why) {
      if (!given) {
        over = true;
        site.broken();
        inbox.offer(new Over(name, why));
      }
    }
  }
}
