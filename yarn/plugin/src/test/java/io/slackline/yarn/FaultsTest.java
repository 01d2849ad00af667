package io.slackline.yarn;

import static org.junit.jupiter.api.Assertions.assertDoesNotThrow;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.slackline.yarn.v1.Answer;
import io.slackline.yarn.v1.Application;
import io.slackline.yarn.v1.AttachResponse;
import io.slackline.yarn.v1.Beat;
import io.slackline.yarn.v1.Cause;
import io.slackline.yarn.v1.End;
import io.slackline.yarn.v1.Event;
import io.slackline.yarn.v1.Headroom;
import io.slackline.yarn.v1.Item;
import io.slackline.yarn.v1.Judgement;
import io.slackline.yarn.v1.Kill;
import io.slackline.yarn.v1.Mode;
import io.slackline.yarn.v1.Place;
import io.slackline.yarn.v1.Plan;
import io.slackline.yarn.v1.Resync;
import io.slackline.yarn.v1.Snapshot;
import io.slackline.yarn.v1.Verdict;
import io.slackline.yarn.v1.Welcome;
import io.slackline.yarn.v1.Why;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.apache.hadoop.yarn.api.records.ContainerId;
import org.apache.hadoop.yarn.api.records.ContainerState;
import org.apache.hadoop.yarn.api.records.ContainerStatus;
import org.apache.hadoop.yarn.api.records.Priority;
import org.apache.hadoop.yarn.api.records.Resource;
import org.apache.hadoop.yarn.conf.YarnConfiguration;
import org.apache.hadoop.yarn.server.api.protocolrecords.NMContainerStatus;
import org.apache.hadoop.yarn.server.resourcemanager.MockAM;
import org.apache.hadoop.yarn.server.resourcemanager.MockNM;
import org.apache.hadoop.yarn.server.resourcemanager.MockRM;
import org.apache.hadoop.yarn.server.resourcemanager.recovery.FileSystemRMStateStore;
import org.apache.hadoop.yarn.server.resourcemanager.recovery.RMStateStore;
import org.apache.hadoop.yarn.server.resourcemanager.rmapp.RMApp;
import org.apache.hadoop.yarn.server.resourcemanager.rmapp.RMAppState;
import org.apache.hadoop.yarn.server.resourcemanager.rmapp.attempt.RMAppAttemptState;
import org.apache.hadoop.yarn.server.resourcemanager.scheduler.ResourceScheduler;
import org.apache.hadoop.yarn.server.resourcemanager.scheduler.event.NodeAddedSchedulerEvent;
import org.apache.hadoop.yarn.server.resourcemanager.scheduler.event.SchedulerEvent;
import org.junit.jupiter.api.Test;

/** What goes wrong in a cluster, one fault after the other: no job is lost, and no container. docs/yarn.md lists them. */
class FaultsTest extends OneJvm {
  /** The ends of so many containers, each told once. */
  private void ended(List<ContainerId> which, Cause cause) throws Exception {
    Set<String> told = new HashSet<>();
    for (int i = 0; i < which.size(); i++) {
      var c = peer.await(Event::hasCompletion).getCompletion();
      assertEquals(cause, c.getCause());
      assertTrue(told.add(c.getContainer()), c.getContainer());
    }
    assertEquals(Set.copyOf(which.stream().map(ContainerId::toString).toList()), told);
  }

  /** A next application fills n1, and not a byte more: nothing has leaked there, and nothing was freed twice. */
  private void fills(int containers) throws Exception {
    RMApp app = submit();
    MockAM am = master(app);
    am.allocate("*", 1024, 5, List.of());
    peer.await(e -> e.hasAsks() && count(e.getAsks(), 1) == 5);
    Answer a = answer(place(app, 1, "n1", 5));
    assertEquals(containers, a.getGranted());
    assertEquals(Why.WHY_NO_ROOM, a.getWhy());
  }

  /** Bytes are lost without anybody being told, in one direction, in the other, in both; then the stream is cut. */
  @Test
  void aStreamThatIsCutOrHalfOpen() throws Exception {
    try (Line line = new Line(peer.port())) {
      YarnConfiguration c = conf("shared", "127.0.0.1:" + line.port());
      c.setLong(Settings.SILENCE, 1000);
      peer.snapshots.clear();
      start(c);
      peer.awaitMode(Mode.MODE_OURS);
      for (int fault = 0; fault < 4; fault++) {
        line.swallowsWhatThePluginSays = fault == 0 || fault == 2;
        line.swallowsWhatSlacklineSays = fault == 1 || fault == 2;
        if (fault == 3) {
          peer.silent = true; // who dials again hears nothing
          line.cut();
        }
        RMApp app = submit("in:600");
        until("the stock scheduler places the master, fault " + fault, () -> live(app) == 1);
        line.swallowsWhatThePluginSays = line.swallowsWhatSlacklineSays = peer.silent = false;
        int all = fault + 1;
        peer.awaitSnapshot(s -> s.getMode() == Mode.MODE_OURS && s.getApplicationsCount() == all && s.getContainersCount() == all);
      }
    }
  }

  /** Where Slackline was there is something that speaks no gRPC; then Slackline again, which talks nonsense. */
  @Test
  void garbageFromUs() throws Exception {
    try (Line line = new Line(peer.port())) {
      peer.snapshots.clear();
      start(conf("shared", "127.0.0.1:" + line.port()));
      peer.awaitMode(Mode.MODE_OURS);
      line.garbage = "HTTP/1.1 400 What?\r\n\r\n\0\1\2\377".getBytes(java.nio.charset.StandardCharsets.ISO_8859_1);
      RMApp app = submit();
      until("the stock scheduler places the master", () -> live(app) == 1);
      line.garbage = null;
      peer.awaitSnapshot(s -> s.getMode() == Mode.MODE_OURS && s.getContainersCount() == 1);

      peer.send(AttachResponse.newBuilder());
      peer.send(AttachResponse.newBuilder().setWelcome(Welcome.newBuilder().setProtocol(7)));
      peer.send(AttachResponse.newBuilder().setModeValue(99));
      peer.send(AttachResponse.newBuilder().setMode(Mode.MODE_UNSPECIFIED));
      peer.send(AttachResponse.newBuilder().setBeat(Beat.newBuilder().setSeen(Long.MAX_VALUE)));
      peer.send(AttachResponse.newBuilder().setPlan(Plan.newBuilder()));
      peer.send(AttachResponse.newBuilder().setPlan(Plan.newBuilder().addItems(Item.newBuilder())));
      Place.Builder p = Place.newBuilder().setApplication(app.getApplicationId().toString()).addPriorities(1).setNode("n1").setCount(1);
      for (Item.Builder x : List.of(Item.newBuilder(),
          Item.newBuilder().setPlace(Place.newBuilder().setCount(1)), Item.newBuilder().setPlace(p.clone().setApplication("job_1").setCount(1)),
          Item.newBuilder().setPlace(p.clone().setCount(-1)), Item.newBuilder().setPlace(p.clone().setCount(Integer.MAX_VALUE)),
          Item.newBuilder().setPlace(p.clone().clearPriorities()), Item.newBuilder().setPlace(p.clone().setNode("")),
          Item.newBuilder().setPlace(p.clone().setFarthestValue(99)), Item.newBuilder().setKill(Kill.newBuilder().addContainers("").addContainers("x\0y")),
          Item.newBuilder().setHeadroom(Headroom.newBuilder().setApplication("?")), Item.newBuilder().setVerdict(Verdict.newBuilder()),
          Item.newBuilder().setVerdict(Verdict.newBuilder().setApplication(app.getApplicationId().toString()).setJudgementValue(99)))) {
        assertEquals(0, answer(x.setId(++items)).getGranted(), x.toString());
      }
      peer.ask(place(app, 1, "n1", 1).setId(items)); // an id that was seen changes nothing
      fills(app.getCurrentAppAttempt().getMasterContainer().getNodeId().getHost().equals("n1") ? 3 : 4);
      assertNull(peer.snapshots.poll(), "nothing of it made the plug-in change its mind");
    }
  }

  /** One that speaks another protocol is left alone, older or newer. What a newer one of this protocol says besides is passed over. */
  @Test
  void anOlderAndANewerProtocol() throws Exception {
    peer.awaitMode(Mode.MODE_OURS);
    for (int protocol : new int[] {0, 2}) {
      peer.protocol = protocol;
      rm.stop();
      peer.snapshots.clear();
      peer.proven = false;
      start(conf("shared", "127.0.0.1:" + peer.port()));
      RMApp app = submit("in:600");
      until("the stock scheduler places the master", () -> live(app) == 1);
      assertFalse(peer.proven);
      assertEquals(0, peer.snapshots.size());
    }
    peer.protocol = 1;
    peer.awaitMode(Mode.MODE_OURS);
    var unknown = com.google.protobuf.UnknownFieldSet.newBuilder()
        .addField(900, com.google.protobuf.UnknownFieldSet.Field.newBuilder().addVarint(1).build()).build();
    peer.send(AttachResponse.newBuilder().setUnknownFields(unknown));
    RMApp app = submit();
    peer.await(e -> e.hasAsks() && e.getAsks().getApplication().equals(app.getApplicationId().toString()) && count(e.getAsks(), 0) == 1);
    assertEquals(1, answer(place(app, 0, "n1", 1).setUnknownFields(unknown)).getGranted());
  }

  /** Who reads a full state decides all again: what was decided before that is not done, too. */
  @Test
  void aPlanFromBeforeTheFullState() throws Exception {
    peer.awaitMode(Mode.MODE_OURS);
    RMApp app = submit();
    peer.await(e -> e.hasAsks() && count(e.getAsks(), 0) == 1);
    peer.snapshots.clear();
    peer.send(AttachResponse.newBuilder().setResync(Resync.newBuilder().setWhy("a test")));
    long next = peer.awaitSnapshot(s -> true).getNext();
    Item.Builder before = place(app, 0, "n1", 1);
    peer.send(AttachResponse.newBuilder().setPlan(Plan.newBuilder().setSeen(next - 1).addItems(before)));
    Item.Builder upon = place(app, 0, "n2", 1);
    peer.send(AttachResponse.newBuilder().setPlan(Plan.newBuilder().setSeen(next).addItems(upon)));
    var first = peer.await(Event::hasAnswer).getAnswer();
    assertEquals(upon.getId(), first.getItem());
    assertEquals(1, first.getGranted());
    assertEquals(1, live(app));
  }

  /** A plug-in that takes long for what it is asked for, and for its full state. */
  static final class Slow extends SlacklineScheduler {
    static final int ITEMS = 40;
    static volatile boolean slow;
    /** Who was to place work, one after the other; unspecified: its stream was said to be gone. */
    static final List<Mode> changes = new CopyOnWriteArrayList<>();

    private static void rest(long ms) {
      try {
        Thread.sleep(slow ? ms : 0);
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
      }
    }

    @Override
    public void does(Item x) {
      rest(100);
      super.does(x);
    }

    @Override
    public Snapshot snapshot(long next) {
      rest(100 * ITEMS);
      return super.snapshot(next);
    }

    @Override
    public void mode(Mode to) {
      changes.add(to);
      super.mode(to);
    }

    @Override
    public void broken() {
      super.broken();
      changes.add(Mode.MODE_UNSPECIFIED);
    }

    /** A long plan of items that change nothing. */
    static Plan.Builder plan(long first) {
      Plan.Builder p = Plan.newBuilder();
      for (int i = 0; i < ITEMS; i++) {
        p.addItems(Item.newBuilder().setId(first + i).setKill(Kill.newBuilder().addContainers("nothing")));
      }
      return p;
    }
  }

  /** What keeps the plug-in busy is no silence of Slackline's, and what happens meanwhile is told. */
  @Test
  void aPlanAndAFullStateThatTakeLongerThanSilenceMay() throws Exception {
    YarnConfiguration c = conf("shared", "127.0.0.1:" + peer.port());
    c.setClass(YarnConfiguration.RM_SCHEDULER, Slow.class, ResourceScheduler.class);
    c.setLong(Settings.SILENCE, 100 * Slow.ITEMS * 3 / 4);
    peer.snapshots.clear();
    start(c);
    peer.awaitMode(Mode.MODE_OURS);
    try {
      Slow.slow = true;
      peer.send(AttachResponse.newBuilder().setPlan(Slow.plan(1)));
      peer.await(e -> e.hasAnswer() && e.getAnswer().getItem() == 1);
      peer.send(AttachResponse.newBuilder().setResync(Resync.newBuilder().setWhy("a test"))); // behind the plan
      submit();
      assertTrue(peer.await(e -> e.hasApplication() || e.hasAnswer() && e.getAnswer().getItem() == Slow.ITEMS).hasApplication());
      peer.await(e -> e.hasAnswer() && e.getAnswer().getItem() == Slow.ITEMS);
      assertEquals(Mode.MODE_OURS, peer.awaitSnapshot(s -> true).getMode());
      peer.send(AttachResponse.newBuilder().setResync(Resync.newBuilder().setWhy("a test")));
      assertEquals(Mode.MODE_OURS, peer.awaitSnapshot(s -> true).getMode());
    } finally {
      Slow.slow = false;
    }
  }

  /** A plug-in that tells of a node when a full state was read, or a second later. */
  static final class Hesitant extends SlacklineScheduler {
    static final CountDownLatch knows = new CountDownLatch(1);
    static final CountDownLatch read = new CountDownLatch(1);

    @Override
    void after(SchedulerEvent e) {
      if (e instanceof NodeAddedSchedulerEvent x && x.getAddedRMNode().getNodeID().getHost().equals("n3")) {
        knows.countDown();
        try {
          read.await(1, TimeUnit.SECONDS);
        } catch (InterruptedException interrupted) {
          Thread.currentThread().interrupt();
        }
      }
      super.after(e);
    }
  }

  /** What a full state has is not told again behind it: a node that comes twice has lost all that runs there. */
  @Test
  void aFullStateWhileANodeComes() throws Exception {
    YarnConfiguration c = conf("shared", "127.0.0.1:" + peer.port());
    c.setClass(YarnConfiguration.RM_SCHEDULER, Hesitant.class, ResourceScheduler.class);
    peer.snapshots.clear();
    start(c);
    peer.awaitMode(Mode.MODE_OURS);
    CompletableFuture.runAsync(() -> assertDoesNotThrow(() -> rm.registerNode("n3:1234", 4096, 4))); // which waits for the plug-in
    Hesitant.knows.await();
    peer.send(AttachResponse.newBuilder().setResync(Resync.newBuilder().setWhy("a test")));
    peer.awaitSnapshot(s -> s.getNodesCount() == 3);
    peer.events.clear(); // it may have been told before
    Hesitant.read.countDown();
    submit();
    assertTrue(peer.await(e -> e.hasApplication() || e.hasNodeUp() && e.getNodeUp().getName().equals("n3")).hasApplication());
  }

  /** A stream that is cut in the midst of a long plan: nothing that was wished through it takes control again. */
  @Test
  void aStreamThatIsCutInTheMidstOfAPlan() throws Exception {
    try (Line line = new Line(peer.port())) {
      YarnConfiguration c = conf("shared", "127.0.0.1:" + line.port());
      c.setClass(YarnConfiguration.RM_SCHEDULER, Slow.class, ResourceScheduler.class);
      peer.snapshots.clear();
      start(c);
      peer.awaitMode(Mode.MODE_OURS);
      Slow.changes.clear();
      Slow.slow = true;
      peer.send(AttachResponse.newBuilder().setPlan(Slow.plan(1)));
      peer.await(e -> e.hasAnswer() && e.getAnswer().getItem() == 1);
      peer.silent = true; // who dials again hears nothing
      line.cut();
      until("the stream is gone, and so is its plan", () -> Slow.changes.size() > 1);
      assertEquals(List.of(Mode.MODE_UNSPECIFIED, Mode.MODE_UNSPECIFIED), Slow.changes.subList(0, 2));
    } finally {
      Slow.slow = false;
    }
  }

  /** What is decided on heartbeats would wait behind what was decided on those before; all else is told at once. */
  @Test
  void heartbeatsWaitForDecisionsOnThoseBefore() throws Exception {
    peer.awaitMode(Mode.MODE_OURS);
    n1.nodeHeartbeat(true);
    peer.await(Event::hasHeartbeats);
    peer.most = 0;
    n1.nodeHeartbeat(true); // which may be told still
    RMApp first = submit();
    peer.await(e -> e.hasApplication() && e.getApplication().getId().equals(first.getApplicationId().toString()));
    n2.nodeHeartbeat(true);
    for (int i = 0; i < 2; i++) {
      RMApp next = submit();
      assertTrue(peer.await(e -> e.hasHeartbeats() && e.getHeartbeats().getNamesList().contains("n2")
          || e.hasApplication() && e.getApplication().getId().equals(next.getApplicationId().toString())).hasApplication());
    }
    peer.most = Long.MAX_VALUE;
    peer.await(e -> e.hasHeartbeats() && e.getHeartbeats().getNamesList().contains("n2"));
  }

  /** Its containers are lost with it, and told so, once. They live on, and its NodeManager tells of them when it is back. */
  @Test
  void aNodeManagerKilledWithRunningMaps() throws Exception {
    peer.awaitMode(Mode.MODE_OURS);
    RMApp app = submit();
    MockAM am = master(app);
    List<ContainerId> maps = running(app, am, 3);
    rm.sendNodeLost(n1);
    ended(maps, Cause.CAUSE_LOST);
    assertEquals("n1", peer.await(Event::hasNodeDown).getNodeDown());
    assertEquals(1, live(app));
    assertEquals(Why.WHY_NODE_AWAY, answer(place(app, 1, "n1", 1)).getWhy());

    n1.registerNode();
    assertEquals("n1", peer.await(Event::hasNodeUp).getNodeUp().getName());
    for (int round = 0; round < 2; round++) {
      for (ContainerId c : maps) {
        says(n1, app, c, round == 0 ? ContainerState.RUNNING : ContainerState.COMPLETE, -105);
      }
    }
    fills(4);
    assertEquals(0, peer.events.stream().filter(Event::hasCompletion).count());
    am.unregisterAppAttempt();
    n2.nodeHeartbeat(app.getCurrentAppAttempt().getAppAttemptId(), 1, ContainerState.COMPLETE);
    assertEquals(End.END_SUCCEEDED, peer.await(Event::hasApplicationEnd).getApplicationEnd().getEnd());
  }

  /** All that it had goes with it, and the next attempt is served, whose containers count from 1 again. */
  @Test
  void anApplicationMasterKilled() throws Exception {
    peer.awaitMode(Mode.MODE_OURS);
    RMApp app = submit();
    MockAM am = master(app);
    List<ContainerId> all = new ArrayList<>(running(app, am, 2));
    am.allocate("*", 1024, 3, List.of()); // and it wants more
    peer.await(e -> e.hasAsks() && count(e.getAsks(), 1) == 3);
    var first = app.getCurrentAppAttempt();
    ContainerId master = first.getMasterContainer().getId();
    says(n2, app, master, ContainerState.COMPLETE, 137);
    var end = peer.await(e -> e.hasCompletion() && e.getCompletion().getContainer().equals(master.toString())).getCompletion();
    assertEquals(137, end.getExit());
    ended(all, Cause.CAUSE_RELEASED);
    assertEquals(End.END_FAILED, peer.await(Event::hasAttemptEnd).getAttemptEnd().getEnd());
    until("there is a second attempt", () -> app.getCurrentAppAttempt() != first);
    am = master(app);
    for (ContainerId c : all) { // their node tells of them late
      says(n1, app, c, ContainerState.COMPLETE, -105);
    }
    running(app, am, 3);
    assertEquals(4, live(app));
  }

  /** While its containers run and it asks for more. Decisions about it that come after are refused, and leave nothing behind. */
  @Test
  void aJobKilledByItsUserAndDecisionsForItAfterwards() throws Exception {
    peer.awaitMode(Mode.MODE_OURS);
    RMApp app = submit();
    MockAM am = master(app);
    List<ContainerId> maps = running(app, am, 2);
    am.allocate("*", 1024, 4, List.of());
    peer.await(e -> e.hasAsks() && count(e.getAsks(), 1) == 4);
    List<ContainerId> all = new ArrayList<>(maps);
    all.add(app.getCurrentAppAttempt().getMasterContainer().getId());
    rm.killApp(app.getApplicationId());
    ended(all, Cause.CAUSE_RELEASED);
    assertEquals(End.END_KILLED, peer.await(Event::hasApplicationEnd).getApplicationEnd().getEnd());

    assertEquals(Why.WHY_NO_APPLICATION, answer(place(app, 1, "n1", 1)).getWhy());
    assertEquals(Why.WHY_STALE, answer(Item.newBuilder().setId(++items).setKill(Kill.newBuilder().addContainers(maps.get(0).toString()))).getWhy());
    assertEquals(Why.WHY_NO_APPLICATION, answer(Item.newBuilder().setId(++items)
        .setHeadroom(Headroom.newBuilder().setApplication(app.getApplicationId().toString()).setContainers(1))).getWhy());
    for (Judgement j : List.of(Judgement.JUDGEMENT_ADMIT, Judgement.JUDGEMENT_HOLD, Judgement.JUDGEMENT_REJECT)) {
      assertEquals(Why.WHY_NO_APPLICATION, answer(verdict(app, j, "too late")).getWhy());
    }
    for (ContainerId c : maps) {
      says(n1, app, c, ContainerState.COMPLETE, -106);
    }
    fills(4);
    assertEquals(RMAppState.KILLED, app.getState());
  }

  /** Each call of an ApplicationMaster counts, as it stands in the end; nobody else waits for it. */
  @Test
  void fiveThousandAsks() throws Exception {
    peer.awaitMode(Mode.MODE_OURS);
    RMApp app = submit();
    MockAM am = master(app);
    for (int i = 1; i <= 5000; i++) {
      am.allocate("*", 1024, i % 7 + 1, List.of());
    }
    am.allocate("*", 1024, 3, List.of());
    peer.await(e -> e.hasAsks() && count(e.getAsks(), 1) == 3 && peer.events.stream().noneMatch(Event::hasAsks));
    Answer a = answer(place(app, 1, "n1", 9));
    assertEquals(3, a.getGranted());
    assertEquals(Why.WHY_STALE, a.getWhy());
  }

  /** What cannot be kept until it is told becomes a full state. */
  @Test
  void moreNewsThanCanBeKept() throws Exception {
    News n = new News();
    var id = org.apache.hadoop.yarn.api.records.ApplicationAttemptId.newInstance(org.apache.hadoop.yarn.api.records.ApplicationId.newInstance(1, 1), 1);
    for (int i = 0; i < 5000; i++) {
      n.asked(id);
      n.beat("n1");
    }
    List<Event> told = new ArrayList<>();
    assertEquals(List.of(id), n.take(told, true));
    assertEquals(1, told.size());
    for (int i = 0; i <= News.MOST; i++) {
      n.add(Event.newBuilder().setLaunched("c" + i).build());
    }
    assertNull(n.take(told, true));
    n.clear();
    assertEquals(List.of(), n.take(told, true));

    peer.awaitMode(Mode.MODE_OURS);
    peer.snapshots.clear();
    ((SlacklineScheduler) rm.getResourceScheduler()).wrong("a test", new IllegalStateException("on purpose")); // which leaves out as much
    assertEquals(2, peer.awaitSnapshot(s -> true).getNodesCount());
  }

  /** What an ApplicationMaster asks for in the call that brings it containers does not know of them: so many less are placed. */
  @Test
  void asManyLessAreGrantedAsAnAskIsBehind() throws Exception {
    peer.awaitMode(Mode.MODE_OURS);
    RMApp app = submit();
    MockAM am = master(app);
    am.allocate("*", 1024, 5, List.of());
    peer.await(e -> e.hasAsks() && count(e.getAsks(), 1) == 5);
    assertEquals(3, answer(place(app, 1, "n1", 3)).getGranted());
    assertEquals(3, am.allocate("*", 1024, 5, List.of()).getAllocatedContainers().size());
    peer.await(e -> e.hasAsks() && count(e.getAsks(), 1) == 2); // though it has asked for 5
    Answer a = answer(place(app, 1, "n2", 3));
    assertEquals(2, a.getGranted());
    assertEquals(Why.WHY_STALE, a.getWhy());
    assertEquals(6, live(app));
    am.allocate("*", 1024, 2, List.of()); // it still wants those two, as it is given them by this call
    peer.await(e -> e.hasAsks() && count(e.getAsks(), 1) == 0);
    assertEquals(0, answer(place(app, 1, "n1", 1)).getGranted());
    am.allocate("*", 1024, 1, List.of());
    peer.await(e -> e.hasAsks() && count(e.getAsks(), 1) == 1);
    assertEquals(1, answer(place(app, 1, "n1", 1)).getGranted());
  }

  /** It knows its applications, since when they are there, and what runs; nothing is placed until it is ready for that. */
  @Test
  void theResourceManagerKilledAndRecovered() throws Exception {
    YarnConfiguration c = conf("shared", "127.0.0.1:" + peer.port());
    c.setBoolean(YarnConfiguration.RECOVERY_ENABLED, true);
    c.setBoolean(YarnConfiguration.RM_WORK_PRESERVING_RECOVERY_ENABLED, true);
    c.setLong(YarnConfiguration.RM_WORK_PRESERVING_RECOVERY_SCHEDULING_WAIT_MS, 1000);
    c.setClass(YarnConfiguration.RM_STORE, FileSystemRMStateStore.class, RMStateStore.class);
    c.set(YarnConfiguration.FS_RM_STATE_STORE_URI, dir.resolve("store").toUri().toString());
    peer.snapshots.clear();
    start(c);
    peer.awaitMode(Mode.MODE_OURS);
    RMApp app = submit();
    peer.await(e -> e.hasAsks() && count(e.getAsks(), 0) == 1);
    Item.Builder placed = place(app, 0, "n2", 1);
    for (Answer a = answer(placed); a.getGranted() == 0; a = answer(placed.setId(++items))) {
      assertEquals(Why.WHY_NOT_SERVING, a.getWhy());
    }
    MockAM am = registered(app);
    List<ContainerId> maps = running(app, am, 2);
    int lives = peer.lives.size();
    long submitted = app.getSubmitTime();

    rm.stop();
    peer.snapshots.clear();
    peer.events.clear();
    rm = new MockRM(c);
    rm.start();
    comeWith(app, maps);
    RMApp again = rm.getRMContext().getRMApps().get(app.getApplicationId());
    rm.waitForState(again.getCurrentAppAttempt().getAppAttemptId(), RMAppAttemptState.LAUNCHED);
    Application told = peer.awaitMode(Mode.MODE_OURS).getApplications(0);
    assertEquals(lives + 1, peer.lives.size());
    assertEquals(app.getApplicationId().toString(), told.getId());
    assertEquals(submitted, told.getSubmitTimeMs());
    until("what runs is known again", () -> live(again) == 3);

    am.setAMRMProtocol(rm.getApplicationMasterService(), rm.getRMContext());
    am.registerAppAttempt(false);
    rm.waitForState(app.getApplicationId(), RMAppState.RUNNING);
    am.allocate("*", 1024, 2, List.of());
    peer.await(e -> e.hasAsks() && count(e.getAsks(), 1) == 2);
    Item.Builder x = place(again, 1, "n1", 2);
    for (Answer a = answer(x); a.getGranted() == 0; a = answer(x.setId(++items))) {
      assertEquals(Why.WHY_NOT_SERVING, a.getWhy());
    }
    assertEquals(5, live(again));
    says(n1, again, maps.get(0), ContainerState.COMPLETE, 0);
    var end = peer.await(Event::hasCompletion).getCompletion();
    assertEquals(maps.get(0).toString(), end.getContainer());
    assertEquals(Cause.CAUSE_EXITED, end.getCause());
  }

  /** A plug-in in which all that tells Slackline of something goes wrong. */
  static final class Broken extends SlacklineScheduler {
    static volatile boolean is;

    @Override
    void tell(Event.Builder e) {
      if (is) {
        throw new IllegalStateException("broken on purpose");
      }
      super.tell(e);
    }
  }

  /** None leaves the plug-in. The ResourceManager goes on, and Slackline is told all when it is over. */
  @Test
  void anExceptionInThePlugin() throws Exception {
    YarnConfiguration c = conf("shared", "127.0.0.1:" + peer.port());
    c.setClass(YarnConfiguration.RM_SCHEDULER, Broken.class, ResourceScheduler.class);
    c.setLong(Settings.HOLD, 500);
    peer.snapshots.clear();
    start(c);
    peer.awaitMode(Mode.MODE_OURS);
    RMApp before = submit();
    MockAM am = master(before);
    List<ContainerId> maps = running(before, am, 2);
    Broken.is = true;
    try {
      RMApp held = submit("in:600"); // which waits until nobody has answered, once
      rm.waitForState(held.getApplicationId(), RMAppState.ACCEPTED);
      rm.sendNodeLost(n1);
      n1.registerNode();
      says(n1, before, maps.get(0), ContainerState.COMPLETE, 0);
      peer.wants(Mode.MODE_STOCK);
      RMApp app = submit();
      until("the stock scheduler goes on", () -> live(app) == 1 && live(held) == 1);
      MockAM other = registered(app);
      other.allocate("*", 512, 2, List.of());
      until("with all", () -> live(app) == 3);
      rm.killApp(app.getApplicationId());
      rm.waitForState(app.getApplicationId(), RMAppState.KILLED);
    } finally {
      Broken.is = false;
    }
    peer.wants(Mode.MODE_OURS);
    Snapshot s = peer.awaitSnapshot(x -> x.getMode() == Mode.MODE_OURS && x.getApplicationsCount() == 2 && x.getContainersCount() == 2);
    assertTrue(s.getContainersList().stream().allMatch(x -> x.getPriority() == 0), "two ApplicationMasters");
    assertEquals(2, s.getNodesCount());
  }
}
