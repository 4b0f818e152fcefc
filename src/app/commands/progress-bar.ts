/** A progress bar on stderr, where somebody looks at it; nothing at all where nobody does. */
import { SingleBar } from 'cli-progress';

export interface ProgressBar {
  update(done: number, total: number): void;
  stop(): void;
}

export function progressBar(label: string): ProgressBar {
  if (!process.stderr.isTTY) return { update() {}, stop() {} };
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
      else bar.update(done);
      started = true;
    },
    stop() {
      if (started) bar.stop();
    },
  };
}
