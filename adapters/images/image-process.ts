/**
 * The process that decodes images, started by `image-workshop.ts` as a child. It does one piece of work at a time and
 * ends with its parent; a file that kills it takes nothing else along.
 */
import type { AnswerMessage, ImageAnswer, ImageWork, WorkMessage } from './image-work.ts';
import { prepare, resize } from './render.ts';

let before: Promise<void> = Promise.resolve();

process.on('message', (message: WorkMessage) => {
  before = before.then(() => work(message));
});
process.on('disconnect', () => process.exit(0));
// Ctrl-C and the end of a service reach the whole group; the parent decides when this process exits.
process.on('SIGINT', () => {});
process.on('SIGTERM', () => {});

async function work({ id, work }: WorkMessage): Promise<void> {
  try {
    send({ id, answer: await answerTo(work) });
  } catch (error) {
    send({ id, fault: String(error) });
  }
}

function answerTo(work: ImageWork): Promise<ImageAnswer> {
  return work.kind === 'prepare' ? prepare(work) : resize(work);
}

function send(message: AnswerMessage): void {
  process.send?.(message);
}
