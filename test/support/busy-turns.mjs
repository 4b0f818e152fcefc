/**
 * The most processor time that this process spends in one piece, between two turns of its event loop, in milliseconds.
 * Processor time, so that a machine that is busy with other things changes nothing.
 */
export class BusyTurns {
  #most = 0;
  #before = spentMs();
  #timer = setInterval(() => {
    const now = spentMs();
    this.#most = Math.max(this.#most, now - this.#before);
    this.#before = now;
  }, 1).unref();

  /** The most since the last call. */
  takeMost() {
    const most = this.#most;
    this.#most = 0;
    return most;
  }

  close() {
    clearInterval(this.#timer);
  }
}

function spentMs() {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1_000;
}
