package io.slackline.yarn;

import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** A real Slackline, in a process of its own, and what it says. */
final class Served implements AutoCloseable {
  static final Pattern LISTENS = Pattern.compile("listens at (\\S+),");

  final List<String> said = new CopyOnWriteArrayList<>();
  private final Process process;
  private final Thread reader;

  Served(String program, String policy, Path dir) throws Exception {
    Path secret = Files.writeString(dir.resolve("secret"), "shared\n");
    Files.setPosixFilePermissions(secret, PosixFilePermissions.fromString("rw-------")); // else it is refused
    process = new ProcessBuilder(program, "yarn", "serve", "--policy", policy, "--slot", "none",
        "--listen", "127.0.0.1:0", "--secret", secret.toString(),
        "--state", dir.resolve("state").toString(), "--store", dir.resolve("store").toString())
        .redirectOutput(ProcessBuilder.Redirect.DISCARD).start();
    reader = new Thread(() -> process.errorReader().lines().forEach(said::add));
    reader.setDaemon(true);
    reader.start();
  }

  /** What it says that looks like this, now or in a while. */
  Matcher awaits(Pattern p) throws InterruptedException {
    while (true) {
      boolean over = !reader.isAlive();
      for (String line : said) {
        Matcher m = p.matcher(line);
        if (m.find()) {
          return m;
        }
      }
      if (over) {
        throw new IllegalStateException("slackline yarn serve never says " + p + ", but " + said);
      }
      Thread.sleep(10);
    }
  }

  long cpuMs() {
    return process.info().totalCpuDuration().map(Duration::toMillis).orElse(0L);
  }

  @Override
  public void close() throws Exception {
    process.toHandle().destroy(); // and not its streams, as it has a last word
    if (!process.waitFor(1, TimeUnit.MINUTES)) {
      process.destroyForcibly();
    }
    reader.join();
  }
}
