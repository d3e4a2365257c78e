// Loaded before Azurite: when the sandbox goes away, however it dies, this end of the pipe closes.
// Azurite then saves its tables and exits; it gets three seconds for that.
process.stdin.on("end", () => {
  process.kill(process.pid, "SIGTERM");
  setTimeout(() => process.exit(0), 3000).unref();
});
process.stdin.on("error", () => process.exit(0));
process.stdin.resume();
