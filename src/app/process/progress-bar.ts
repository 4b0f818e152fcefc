/** How far a command is, on stderr: a bar on a terminal; elsewhere, on request, a line every few seconds. */
import { SingleBar } from 'cli-progress';

export interface ProgressBar {
  update(done: number, total: number): void;
  stop(): void;
}

const LINE_EVERY_MS = 5_000;

/** `inLines`: also where stderr is no terminal, for commands that run for long and are started by a timer. */
export function progressBar(label: string, inLines = false): ProgressBar {
  if (!process.stderr.isTTY) return inLines ? progressLines(label) : { update() {}, stop() {} };
  const bar = new SingleBar({
    format: `  ${label} {bar} {percentage}% {value}/{total} {duration_formatted}`,
    stream: process.stderr,
    hideCursor: true,
    clearOnComplete: false,
  });
  let started = false;
  return {
    update(done, total) {
      if (!started) bar.start(total, done);
      else {
        bar.setTotal(total);
        bar.update(done);
      }
      started = true;
    },
    stop() {
      if (started) bar.stop();
    },
  };
}

/** The first line comes after the first interval, so that what is quick says nothing. */
function progressLines(label: string): ProgressBar {
  let saidAtMs = performance.now();
  return {
    update(done, total) {
      if (performance.now() - saidAtMs < LINE_EVERY_MS) return;
      saidAtMs = performance.now();
      const percentage = total === 0 ? 100 : Math.floor((done / total) * 100);
      process.stderr.write(`  ${label} ${percentage}% ${done}/${total}\n`);
    },
    stop() {},
  };
}
