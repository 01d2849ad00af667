package io.slackline.yarn;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.slackline.yarn.v1.Application;
import io.slackline.yarn.v1.Asks;
import io.slackline.yarn.v1.Cause;
import io.slackline.yarn.v1.Container;
import io.slackline.yarn.v1.End;
import io.slackline.yarn.v1.Event;
import io.slackline.yarn.v1.Headroom;
import io.slackline.yarn.v1.Item;
import io.slackline.yarn.v1.Judgement;
import io.slackline.yarn.v1.Kill;
import io.slackline.yarn.v1.Locality;
import io.slackline.yarn.v1.Mode;
import io.slackline.yarn.v1.Snapshot;
import io.slackline.yarn.v1.Verdict;
import io.slackline.yarn.v1.Why;
import java.io.ByteArrayOutputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.apache.hadoop.io.Text;
import org.apache.hadoop.io.WritableUtils;
import org.apache.hadoop.yarn.api.protocolrecords.AllocateRequest;
import org.apache.hadoop.yarn.api.protocolrecords.GetNewApplicationRequest;
import org.apache.hadoop.yarn.api.protocolrecords.SubmitApplicationRequest;
import org.apache.hadoop.yarn.api.records.ApplicationSubmissionContext;
import org.apache.hadoop.yarn.api.records.ContainerId;
import org.apache.hadoop.yarn.api.records.ContainerLaunchContext;
import org.apache.hadoop.yarn.api.records.ContainerState;
import org.apache.hadoop.yarn.api.records.ContainerStatus;
import org.apache.hadoop.yarn.api.records.LocalResource;
import org.apache.hadoop.yarn.api.records.LocalResourceType;
import org.apache.hadoop.yarn.api.records.LocalResourceVisibility;
import org.apache.hadoop.yarn.api.records.NodeState;
import org.apache.hadoop.yarn.api.records.Resource;
import org.apache.hadoop.yarn.api.records.ResourceBlacklistRequest;
import org.apache.hadoop.yarn.api.records.URL;
import org.apache.hadoop.yarn.conf.YarnConfiguration;
import org.apache.hadoop.yarn.server.resourcemanager.ClientRMService;
import org.apache.hadoop.yarn.server.resourcemanager.MockAM;
import org.apache.hadoop.yarn.server.resourcemanager.MockNM;
import org.apache.hadoop.yarn.server.resourcemanager.rmapp.RMApp;
import org.apache.hadoop.yarn.server.resourcemanager.rmapp.RMAppState;
import org.apache.hadoop.yarn.server.resourcemanager.rmnode.RMNode;
import org.apache.hadoop.yarn.server.resourcemanager.rmnode.RMNodeDecommissioningEvent;
import org.apache.hadoop.yarn.server.resourcemanager.rmnode.RMNodeEvent;
import org.apache.hadoop.yarn.server.resourcemanager.rmnode.RMNodeEventType;
import org.apache.hadoop.yarn.server.resourcemanager.scheduler.common.fica.FiCaSchedulerNode;
import org.apache.hadoop.yarn.util.Records;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;

/** What the plug-in tells and does, with all well. */
class SlacklineSchedulerTest extends OneJvm {
  @Test
  void placesWhatItIsAskedForAndNothingElse() throws Exception {
    peer.awaitMode(Mode.MODE_OURS);
    assertTrue(peer.proven);
    RMApp app = submit();
    Application told = peer.await(Event::hasApplication).getApplication();
    assertEquals(app.getApplicationId().toString(), told.getId());
    assertEquals(1024L, told.getMasterMap().get("memory-mb"));
    for (int i = 0; i < 20; i++) { // time for the stock scheduler, if it were at work
      beat();
      Thread.sleep(10);
    }
    assertEquals(0, live(app));
    MockAM am = master(app);

    am.allocate("*", 1024, 3, List.of());
    Asks asks = peer.await(e -> e.hasAsks() && count(e.getAsks(), 1) == 3).getAsks();
    assertTrue(asks.getApplied() >= 1, "the asks account for the item that placed the master");
    for (Locality near : List.of(Locality.LOCALITY_NODE, Locality.LOCALITY_RACK)) { // it asks for no place in particular
      Item.Builder x = place(app, 1, "n1", 2);
      x.getPlaceBuilder().setFarthest(near);
      assertEquals(Why.WHY_STALE, answer(x).getWhy());
    }
    peer.ask(place(app, 1, "n1", 2));
    Event answer = peer.await(e -> e.hasAnswer() && e.getAnswer().getItem() == items);
    assertEquals(2, answer.getAnswer().getGranted());
    peer.ask(place(app, 1, "n1", 9)); // one is left to ask for
    answer = peer.await(e -> e.hasAnswer() && e.getAnswer().getItem() == items);
    assertEquals(1, answer.getAnswer().getGranted());
    assertEquals(8, answer.getAnswer().getRefused());
    assertEquals(Why.WHY_STALE, answer.getAnswer().getWhy());
    assertEquals(4, live(app));
    peer.ask(place(app, 1, "nowhere", 1));
    assertEquals(Why.WHY_NODE_AWAY, peer.await(e -> e.hasAnswer() && e.getAnswer().getItem() == items).getAnswer().getWhy());
  }

  /** Where an application may have nothing is told with what it asks for, and when it changes; items for such a node are stale. */
  @Test
  void tellsWhatIsBlacklisted() throws Exception {
    peer.awaitMode(Mode.MODE_OURS);
    RMApp app = submit();
    MockAM am = master(app);
    am.allocate("*", 1024, 2, List.of());
    assertEquals(0, peer.await(e -> e.hasAsks() && count(e.getAsks(), 1) == 2).getAsks().getAvoids().getNamesCount());
    shun(am, List.of("n1", "/default-rack"), List.of());
    Asks asks = peer.await(e -> e.hasAsks() && e.getAsks().getAvoids().getNamesCount() > 0).getAsks();
    assertEquals(Set.of("n1", "/default-rack"), Set.copyOf(asks.getAvoids().getNamesList()));
    assertEquals(2, count(asks, 1));
    assertEquals(Why.WHY_STALE, answer(place(app, 1, "n1", 1)).getWhy());
    shun(am, List.of(), List.of("/default-rack", "n1"));
    asks = peer.await(Event::hasAsks).getAsks();
    assertTrue(asks.hasAvoids() && asks.getAvoids().getNamesCount() == 0, asks.toString());
    assertEquals(1, answer(place(app, 1, "n1", 1)).getGranted());
  }

  private void shun(MockAM am, List<String> more, List<String> less) throws Exception {
    am.allocate(AllocateRequest.newInstance(0, 0, List.of(), List.of(), ResourceBlacklistRequest.newInstance(more, less)));
  }

  /** A node that is being decommissioned offers nothing, whatever runs there, and all that it had once it is taken back. */
  @Test
  void aNodeThatIsDecommissionedOffersNothing() throws Exception {
    peer.awaitMode(Mode.MODE_OURS);
    RMApp app = submit();
    master(app);
    n2.nodeHeartbeat(app.getCurrentAppAttempt().getAppAttemptId(), 1, ContainerState.RUNNING); // or it would be gone at once
    RMNode node = rm.getRMContext().getRMNodes().get(n2.getNodeId());
    rm.getRMContext().getDispatcher().getEventHandler().handle(new RMNodeDecommissioningEvent(n2.getNodeId(), 600));
    until("it is being decommissioned", () -> node.getState() == NodeState.DECOMMISSIONING);
    beat(); // upon which it becomes as large as what runs there
    Event told = peer.await(e -> e.hasNodeChanged() && e.getNodeChanged().getName().equals("n2"));
    assertEquals(Map.of(), told.getNodeChanged().getResourcesMap());
    assertEquals(1, live(app));
    rm.getRMContext().getDispatcher().getEventHandler().handle(new RMNodeEvent(n2.getNodeId(), RMNodeEventType.RECOMMISSION));
    peer.await(e -> e.hasNodeChanged() && e.getNodeChanged().getName().equals("n2")
        && e.getNodeChanged().getResourcesOrDefault("memory-mb", 0) == 4096);
  }

  @Test
  void killsWithoutCountingAFailure() throws Exception {
    peer.awaitMode(Mode.MODE_OURS);
    RMApp app = submit();
    MockAM am = master(app);
    am.allocate("*", 1024, 1, List.of());
    peer.await(e -> e.hasAsks() && count(e.getAsks(), 1) == 1);
    peer.ask(place(app, 1, "n1", 1));
    String id = peer.await(Event::hasContainer).getContainer().getId();
    peer.ask(Item.newBuilder().setId(++items).setKill(Kill.newBuilder().addContainers(id).addContainers("container_1_0001_01_000099")));
    Event end = peer.await(Event::hasCompletion);
    assertEquals(id, end.getCompletion().getContainer());
    assertEquals(Cause.CAUSE_PREEMPTED, end.getCompletion().getCause());
    Event none = peer.await(Event::hasAnswer);
    while (!none.getAnswer().getContainer().equals("container_1_0001_01_000099")) {
      none = peer.await(Event::hasAnswer);
    }
    assertEquals(Why.WHY_STALE, none.getAnswer().getWhy());
  }

  /** So many containers of what it asks for and no more, until that is lifted, or all is told again. */
  @Test
  void tellsAnApplicationMasterHowMuchItMayGet() throws Exception {
    peer.awaitMode(Mode.MODE_OURS);
    RMApp app = submit();
    MockAM am = master(app);
    am.allocate("*", 1024, 5, List.of());
    long all = headroom(am);
    assertTrue(all > 4096, "4 GB of one node and more: " + all);
    for (int n : new int[] {2, 0, -1}) {
      done(Item.newBuilder().setId(++items).setHeadroom(Headroom.newBuilder().setApplication(app.getApplicationId().toString()).setContainers(n)));
      assertEquals(n < 0 ? all : n * 1024L, headroom(am));
    }
    Item.Builder one = Item.newBuilder().setHeadroom(Headroom.newBuilder().setApplication(app.getApplicationId().toString()).setContainers(1));
    done(one.setId(++items));
    peer.wants(Mode.MODE_STOCK);
    peer.awaitMode(Mode.MODE_STOCK);
    until("all that it wants is placed", () -> live(app) == 6);
    assertEquals(2048, headroom(am));
    peer.wants(Mode.MODE_WATCH);
    peer.awaitMode(Mode.MODE_WATCH);
    assertEquals(Why.WHY_WATCHED, answer(one.setId(++items)).getWhy());
    peer.wants(Mode.MODE_OURS);
    peer.awaitMode(Mode.MODE_OURS);
    done(one.setId(++items));
    assertEquals(0, headroom(am), "it asks for nothing any more");
    peer.close();
    until("nothing is left of it when Slackline is gone", () -> headroom(am) == 2048);
  }

  private static long headroom(MockAM am) {
    try {
      return am.allocate(List.of(), List.of()).getAvailableResources().getMemorySize();
    } catch (Exception e) {
      throw new IllegalStateException(e);
    }
  }

  /** Asks for an item to which there is no answer, and waits until it is done. */
  private void done(Item.Builder item) throws Exception {
    peer.ask(item);
    answer(Item.newBuilder().setId(++items).setKill(Kill.newBuilder().addContainers("none")));
  }

  /** Of the stock scheduler nothing is left that would be in the way, and what it had proposed before is not done. */
  @Test
  void takesOverAllOfIt() throws Exception {
    peer.awaitMode(Mode.MODE_OURS);
    SlacklineScheduler scheduler = (SlacklineScheduler) rm.getResourceScheduler();
    RMApp app = submit();
    MockAM am = master(app);
    am.allocate("*", 1024, 3, List.of());
    peer.await(e -> e.hasAsks() && count(e.getAsks(), 1) == 3);
    assertEquals(1, answer(place(app, 1, "n2", 1)).getGranted());
    assertEquals(2, answer(place(app, 1, "n1", 2)).getGranted());
    am.allocate(List.of(), List.of());
    am.allocate("*", 3072, 1, List.of()); // for which neither node has room, and both together have
    peer.wants(Mode.MODE_STOCK);
    List<FiCaSchedulerNode> nodes = List.of(scheduler.getNode(n1.getNodeId()), scheduler.getNode(n2.getNodeId()));
    until("a node is kept for it", () -> nodes.stream().anyMatch(n -> n.getReservedContainer() != null));
    assertTrue(scheduler.getAsyncSchedulingPendingBacklogs() < Integer.MAX_VALUE);
    peer.wants(Mode.MODE_OURS);
    peer.awaitMode(Mode.MODE_OURS);
    assertTrue(nodes.stream().allMatch(n -> n.getReservedContainer() == null));
    assertEquals(Integer.MAX_VALUE, scheduler.getAsyncSchedulingPendingBacklogs(), "its threads rest");

    am.allocate("*", 1024, 1, List.of());
    Item.Builder late = place(app, 1, "n1", 1);
    new Hands(scheduler).does(late.build()); // on a thread that is not the link's
    assertEquals(0, peer.await(e -> e.hasAnswer() && e.getAnswer().getItem() == late.getId()).getAnswer().getGranted());
    assertEquals(1, answer(late).getGranted());
    assertEquals(5, live(app));
  }

  /** Whoever says something to Slackline in a tag, which may make no sense. */
  @Test
  void refusesAtSubmissionWithTheSentence() throws Exception {
    peer.awaitMode(Mode.MODE_OURS);
    for (String tag : List.of("in:12", "weight:nan")) {
      RMApp app = submit(tag);
      Application told = peer.await(Event::hasApplication).getApplication();
      assertTrue(told.getHeld(), tag);
      assertEquals(RMAppState.SUBMITTED, app.getState());
      peer.ask(verdict(app, Judgement.JUDGEMENT_REJECT, "it needs 74 s and has 12 s"));
      rm.waitForState(app.getApplicationId(), RMAppState.FAILED);
      assertTrue(app.getDiagnostics().toString().contains("slackline: it needs 74 s and has 12 s"), app.getDiagnostics().toString());
      assertEquals(End.END_FAILED, peer.await(Event::hasApplicationEnd).getApplicationEnd().getEnd());
    }
  }

  @Test
  void letsInWhoIsAdmittedAndWhoNobodyAnswers() throws Exception {
    startImpatient(PATIENT_MS, 1000);
    peer.awaitMode(Mode.MODE_OURS);
    RMApp app = submit("in:600");
    String id = peer.await(Event::hasApplication).getApplication().getId();
    peer.ask(Item.newBuilder().setId(++items).setVerdict(Verdict.newBuilder().setApplication(id).setJudgement(Judgement.JUDGEMENT_ADMIT)));
    rm.waitForState(app.getApplicationId(), RMAppState.ACCEPTED);
    RMApp other = submit("in:600");
    rm.waitForState(other.getApplicationId(), RMAppState.ACCEPTED); // after the time that it waits at most
  }

  /** Held, it is accepted and gets nothing, from nobody; refused then, it ends with the sentence. Verdicts may come twice. */
  @Test
  void holdsWhoIsAcceptedAndEndsHimWithTheSentence() throws Exception {
    peer.awaitMode(Mode.MODE_OURS);
    RMApp app = submit("in:600");
    peer.await(Event::hasApplication);
    peer.ask(verdict(app, Judgement.JUDGEMENT_HOLD, "others first"));
    peer.ask(verdict(app, Judgement.JUDGEMENT_HOLD, "others first"));
    rm.waitForState(app.getApplicationId(), RMAppState.ACCEPTED);
    until("its user reads why it waits", () -> app.getDiagnostics().toString().equals("slackline: others first"));
    peer.ask(verdict(app, Judgement.JUDGEMENT_HOLD, "one is before it"));
    until("and what has become of that", () -> app.getDiagnostics().toString().equals("slackline: one is before it"));
    peer.wants(Mode.MODE_STOCK);
    peer.awaitMode(Mode.MODE_STOCK);
    RMApp other = submit();
    until("the stock scheduler serves others", () -> live(other) == 1);
    assertEquals(0, live(app));
    peer.ask(verdict(app, Judgement.JUDGEMENT_REJECT, "it would be late"));
    peer.ask(verdict(app, Judgement.JUDGEMENT_REJECT, "it would be late"));
    rm.waitForState(app.getApplicationId(), RMAppState.KILLED);
    assertTrue(app.getDiagnostics().toString().contains("slackline: it would be late"), app.getDiagnostics().toString());
  }

  /** Its user kills an application that waits for a verdict, which comes all the same. */
  @Test
  void forgetsWhoIsKilledWhileHeWaits() throws Exception {
    peer.awaitMode(Mode.MODE_OURS);
    RMApp app = submit("in:600");
    peer.await(Event::hasApplication);
    rm.killApp(app.getApplicationId());
    rm.waitForState(app.getApplicationId(), RMAppState.KILLED);
    assertEquals(End.END_KILLED, peer.await(Event::hasApplicationEnd).getApplicationEnd().getEnd());
    peer.ask(verdict(app, Judgement.JUDGEMENT_ADMIT, ""));
    RMApp next = submit();
    peer.await(e -> e.hasAsks() && e.getAsks().getApplication().equals(next.getApplicationId().toString()));
    assertEquals(RMAppState.KILLED, app.getState());
  }

  /** A MapReduce job with its files where they are said to lie. */
  private RMApp mapreduce(Path splits, Path job, String... tags) throws Exception {
    ClientRMService client = rm.getClientRMService();
    ApplicationSubmissionContext c = Records.newRecord(ApplicationSubmissionContext.class);
    c.setApplicationId(client.getNewApplication(Records.newRecord(GetNewApplicationRequest.class)).getApplicationId());
    c.setApplicationType("MAPREDUCE");
    c.setApplicationTags(Set.of(tags));
    c.setResource(Resource.newInstance(1024, 1));
    Map<String, LocalResource> files = new java.util.HashMap<>();
    for (var f : Map.of("job.xml", job, "jobSubmitDir/job.splitmetainfo", splits).entrySet()) {
      files.put(f.getKey(), LocalResource.newInstance(URL.fromURI(f.getValue().toUri()), LocalResourceType.FILE,
          LocalResourceVisibility.APPLICATION, 1, 1));
    }
    c.setAMContainerSpec(ContainerLaunchContext.newInstance(files, null, null, null, null, null));
    SubmitApplicationRequest r = Records.newRecord(SubmitApplicationRequest.class);
    r.setApplicationSubmissionContext(c);
    client.submitApplication(r);
    return rm.getRMContext().getRMApps().get(c.getApplicationId());
  }

  private static byte[] splits(String[][] hosts, long... bytes) throws IOException {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    DataOutputStream d = new DataOutputStream(out);
    d.writeBytes("META-SPL");
    WritableUtils.writeVInt(d, 1);
    WritableUtils.writeVInt(d, bytes.length);
    for (int i = 0; i < bytes.length; i++) {
      WritableUtils.writeVInt(d, hosts[i].length);
      for (String h : hosts[i]) {
        Text.writeString(d, h);
      }
      WritableUtils.writeVLong(d, 1000);
      WritableUtils.writeVLong(d, bytes[i]);
    }
    return out.toByteArray();
  }

  private Path job(String extra) throws IOException {
    return Files.writeString(dir.resolve("job.xml"), "<?xml version=\"1.0\"?><configuration>"
        + "<property><name>mapreduce.job.reduces</name><value>3</value></property>"
        + "<property><name>mapreduce.map.memory.mb</name><value>512</value></property>"
        + "<property><name>mapreduce.reduce.memory.mb</name><value>-1</value></property>" + extra + "</configuration>");
  }

  @Test
  void tellsHowManyTasksAJobHas() throws Exception {
    peer.awaitMode(Mode.MODE_OURS);
    Path list = Files.write(dir.resolve("list"), splits(new String[][] {{"n1", "n2"}, {}, {"n2"}}, 100, 50, 7));
    RMApp app = mapreduce(list, job(""), "in:600");
    Application told = peer.await(Event::hasApplication).getApplication();
    assertEquals(app.getApplicationId().toString(), told.getId());
    assertTrue(told.getHeld());
    var f = told.getFiles();
    assertEquals(3, f.getReduces());
    assertEquals(List.of("n1", "n2"), f.getHostsList());
    assertEquals(List.of(100L, 50L, 7L), f.getSplitsList().stream().map(s -> s.getBytes()).toList());
    assertEquals(List.of(0, 1), f.getSplits(0).getHostsList());
    assertEquals(0, f.getSplits(1).getHostsCount());
    assertEquals(List.of(1), f.getSplits(2).getHostsList());
    assertEquals(512L, f.getMapMap().get("memory-mb"));
    assertEquals(1024L, f.getReduceMap().get("memory-mb"));

    // It is in the full state, too, and so is the number of tasks of a job that came while nobody was there.
    int port = peer.port();
    peer.close();
    RMApp other = mapreduce(list, job(""), "in:600");
    rm.waitForState(other.getApplicationId(), RMAppState.ACCEPTED);
    peer = new Peer(port, "shared");
    Snapshot s = peer.awaitMode(Mode.MODE_OURS);
    assertEquals(2, s.getApplicationsCount());
    String late = other.getApplicationId().toString();
    if (s.getApplicationsList().stream().noneMatch(x -> x.getId().equals(late) && x.getFiles().getSplitsCount() == 3)) {
      peer.await(e -> e.hasApplication() && e.getApplication().getId().equals(late) && e.getApplication().getFiles().getSplitsCount() == 3);
    }
  }

  /** A job without tags waits until its files are read, and for a verdict only if they name a deadline. */
  @Test
  void tellsADeadlineOfAConfiguration() throws Exception {
    peer.awaitMode(Mode.MODE_OURS);
    Path list = Files.write(dir.resolve("list"), splits(new String[][] {{}, {}}, 100, 50));
    RMApp plain = mapreduce(list, job(""));
    Application told = peer.await(Event::hasApplication).getApplication();
    assertFalse(told.getHeld());
    assertEquals(2, told.getFiles().getSplitsCount());
    assertEquals("", told.getFiles().getDeadline());
    rm.waitForState(plain.getApplicationId(), RMAppState.ACCEPTED);
    String due = "<property><name>mapred.job.deadline</name><value> 1795400000000 </value></property>";
    String uber = "<property><name>mapreduce.job.ubertask.enable</name><value>true</value></property>";
    for (String extra : List.of(due, due + uber)) {
      RMApp app = mapreduce(list, job(extra));
      told = peer.await(Event::hasApplication).getApplication();
      assertEquals(app.getApplicationId().toString(), told.getId());
      assertTrue(told.getHeld());
      assertEquals("1795400000000", told.getFiles().getDeadline());
      assertEquals(extra.equals(due) ? 2 : 0, told.getFiles().getSplitsCount());
      peer.ask(verdict(app, Judgement.JUDGEMENT_REJECT, "it would be late"));
      rm.waitForState(app.getApplicationId(), RMAppState.FAILED);
      peer.await(Event::hasApplicationEnd);
    }
    RMApp unread = mapreduce(dir.resolve("nothing"), job(due));
    assertFalse(peer.await(Event::hasApplication).getApplication().getHeld());
    rm.waitForState(unread.getApplicationId(), RMAppState.ACCEPTED);
  }

  /** Whatever a client says of its files, the application is told of, and nothing is read that is not the cluster's. */
  @Test
  void tellsOfAJobWhoseFilesCannotBeRead() throws Exception {
    peer.awaitMode(Mode.MODE_OURS);
    Path good = Files.write(dir.resolve("good"), splits(new String[][] {{}}, 1));
    byte[] one = splits(new String[][] {{"n1"}}, 1);
    byte[] many = java.util.Arrays.copyOf(one, 14);
    many[9] = (byte) 0x8c; // a number of four bytes
    Path[][] cases = {
        {dir.resolve("nothing"), job("")},
        {Files.write(dir.resolve("short"), java.util.Arrays.copyOf(one, one.length - 1)), job("")},
        {Files.write(dir.resolve("other"), new byte[100]), job("")},
        {Files.write(dir.resolve("many"), many), job("")},
        {good, Files.writeString(dir.resolve("no.xml"), "<configuration>")},
        {good, Files.writeString(dir.resolve("uber.xml"), "<configuration><property><name>mapreduce.job.ubertask.enable</name>"
            + "<value>true</value></property></configuration>")},
    };
    for (Path[] c : cases) {
      RMApp app = mapreduce(c[0], c[1], "in:600");
      Application told = peer.await(Event::hasApplication).getApplication();
      assertEquals(app.getApplicationId().toString(), told.getId());
      assertFalse(told.hasFiles(), c[0] + " " + c[1]);
    }
    assertThrows(IOException.class, () -> Staging.own(java.net.URI.create("hdfs://nn:8020"), new org.apache.hadoop.fs.Path("file:///etc/passwd")));
    assertThrows(IOException.class, () -> Staging.own(java.net.URI.create("hdfs://nn:8020"), new org.apache.hadoop.fs.Path("hdfs://other:8020/x")));
    Staging.own(java.net.URI.create("hdfs://nn:8020"), new org.apache.hadoop.fs.Path("hdfs://nn:8020/x"));
    Staging.own(java.net.URI.create("hdfs://nn:8020"), new org.apache.hadoop.fs.Path("/x"));
  }

  @Test
  void stockSchedulingServesWhenThePeerIsSilentAndGivesBack() throws Exception {
    startImpatient(1000, PATIENT_MS);
    peer.awaitMode(Mode.MODE_OURS);
    peer.silent = true;
    RMApp app = submit("in:600");
    until("the stock scheduler places the master", () -> live(app) == 1);
    peer.silent = false;
    Snapshot s = peer.awaitSnapshot(x -> x.getMode() == Mode.MODE_OURS && x.getContainersCount() == 1); // it has attached again
    assertEquals(2, s.getNodesCount());
  }

  @Test
  void stockSchedulingServesWhenThePeerIsGoneAndGivesBack() throws Exception {
    peer.awaitMode(Mode.MODE_OURS);
    int port = peer.port();
    peer.close();
    RMApp app = submit();
    until("the stock scheduler places the master", () -> live(app) == 1);
    peer = new Peer(port, "shared");
    assertEquals(1, peer.awaitMode(Mode.MODE_OURS).getContainersCount());
    assertTrue(peer.beatenBefore >= 3, "after " + peer.beatenBefore + " beats it places work");
    RMApp next = submit();
    peer.await(e -> e.hasAsks() && e.getAsks().getApplication().equals(next.getApplicationId().toString()));
    assertEquals(0, live(next));
  }

  /** One that has been started again counts its items from 1 again. */
  @Test
  void servesASlacklineThatWasStartedAgain() throws Exception {
    peer.awaitMode(Mode.MODE_OURS);
    master(submit());
    int port = peer.port();
    peer.close();
    peer = new Peer(port, "shared");
    peer.awaitMode(Mode.MODE_OURS);
    items = 0;
    RMApp app = submit();
    assertEquals(0, peer.await(e -> e.hasAsks() && e.getAsks().getApplication().equals(app.getApplicationId().toString())
        && count(e.getAsks(), 0) == 1).getAsks().getApplied());
    peer.ask(place(app, 0, "n1", 1));
    assertEquals(1, peer.await(Event::hasAnswer).getAnswer().getGranted());
  }

  /** A Slackline that comes later is told how much of a job is done: what ended well, and not what failed or was killed. */
  @Test
  void tellsWhatIsDone() throws Exception {
    peer.awaitMode(Mode.MODE_OURS);
    RMApp app = submit();
    MockAM am = master(app);
    am.allocate("*", 1024, 3, List.of());
    peer.await(e -> e.hasAsks() && count(e.getAsks(), 1) == 3);
    peer.ask(place(app, 1, "n1", 3));
    String killed = peer.await(Event::hasContainer).getContainer().getId();
    var well = ContainerId.fromString(peer.await(Event::hasContainer).getContainer().getId());
    var failed = ContainerId.fromString(peer.await(Event::hasContainer).getContainer().getId());
    am.allocate(List.of(), List.of()); // they are picked up
    var attempt = app.getCurrentAppAttempt().getAppAttemptId();
    for (ContainerId c : List.of(well, failed)) {
      n1.nodeHeartbeat(attempt, c.getContainerId(), ContainerState.RUNNING);
    }
    peer.ask(Item.newBuilder().setId(++items).setKill(Kill.newBuilder().addContainers(killed)));
    peer.await(Event::hasCompletion);
    int port = peer.port();
    peer.close();
    n1.nodeHeartbeat(attempt, well.getContainerId(), ContainerState.COMPLETE); // nobody is told
    n1.nodeHeartbeat(Map.of(app.getApplicationId(), List.of(ContainerStatus.newInstance(failed, ContainerState.COMPLETE, "", 1))), true);
    until("they have ended", () -> live(app) == 1);
    peer = new Peer(port, "shared");
    Application told = peer.awaitMode(Mode.MODE_OURS).getApplications(0);
    assertEquals(1, told.getDoneCount(), told.toString());
    assertEquals(1, told.getDone(0).getPriority());
    assertEquals(1, told.getDone(0).getCount());
  }

  @Test
  void watchesWithoutDoingAnything() throws Exception {
    peer.awaitMode(Mode.MODE_OURS);
    peer.wants(Mode.MODE_WATCH);
    peer.awaitMode(Mode.MODE_WATCH);
    RMApp app = submit();
    until("the stock scheduler places the master", () -> live(app) == 1);
    Container master = peer.await(Event::hasContainer).getContainer();
    assertEquals(0, master.getItem());
    assertEquals(Why.WHY_WATCHED, answer(place(app, 0, "n2", 1)).getWhy());
    assertEquals(Why.WHY_WATCHED, answer(Item.newBuilder().setId(++items).setKill(Kill.newBuilder().addContainers(master.getId()))).getWhy());
    assertEquals(Why.WHY_WATCHED, answer(verdict(app, Judgement.JUDGEMENT_REJECT, "it would be late")).getWhy());
    assertEquals(1, live(app));
    RMApp due = submit("in:600"); // nobody waits for a verdict, which would be none
    until("the stock scheduler places the master of a job with a deadline", () -> live(due) == 1);
  }

  @Test
  void staysAwayFromAPeerThatDoesNotKnowTheSecret() throws Exception {
    int port = peer.port();
    peer.close();
    peer = new Peer(port, "guessed");
    RMApp app = submit("in:600");
    until("the stock scheduler places the master", () -> live(app) == 1);
    assertFalse(peer.proven);
    assertEquals(0, peer.snapshots.size());
  }

  /** With a real Slackline at the other end, which places all there is: see TestPlugin in internal/worlds/yarn. */
  @Test
  void isServedByARealSlackline() throws Exception {
    String address = System.getenv("SLACKLINE_YARN_ADDRESS");
    Assumptions.assumeTrue(address != null, "no SLACKLINE_YARN_ADDRESS");
    YarnConfiguration c = conf("shared", address);
    if (System.getenv("SLACKLINE_YARN_TLS") != null) {
      c.set(Settings.TLS, System.getenv("SLACKLINE_YARN_TLS"));
    }
    start(c);
    RMApp app = submit("in:600");
    until("the master is placed", () -> live(app) == 1);
    MockAM am = registered(app);
    var attempt = app.getCurrentAppAttempt().getAppAttemptId();
    am.allocate("*", 1024, 5, List.of());
    until("all containers are placed", () -> live(app) == 6);
    am.unregisterAppAttempt();
    MockNM host = app.getCurrentAppAttempt().getMasterContainer().getNodeId().getHost().equals("n1") ? n1 : n2;
    host.nodeHeartbeat(attempt, 1, ContainerState.COMPLETE);
    rm.waitForState(app.getApplicationId(), RMAppState.FINISHED);
    RMApp next = submit(); // which is placed by somebody who was told of the end of the first
    until("the next master is placed", () -> live(next) == 1);
  }
}
