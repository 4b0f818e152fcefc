/**
 * Has strangers' files read in a child process: it is started with the first, ends when there has been nothing to do
 * for a while, and is started again when a file kills it. Uploads and the medium sizes both go through here, one at a
 * time.
 */
import { type ChildProcess, fork } from 'node:child_process';
import { extname } from 'node:path';
import { fileURLToPath } from 'node:url';
import type {
  AnswerMessage,
  ImageAnswer,
  ImageWork,
  Prepared,
  PrepareWork,
  Resized,
  ResizeWork,
  WorkMessage,
} from './image-work.ts';

/** Too much waits already. HTTP turns the status into 503. */
export class WorkshopFull extends Error {
  override readonly name = 'WorkshopFull';
  readonly status = 503;
  readonly code = 'overloaded';
}

interface Task {
  readonly id: number;
  readonly work: ImageWork;
  /** How often the process has died over it. */
  deaths: number;
  resolve(answer: ImageAnswer): void;
  reject(error: Error): void;
}

const SCRIPT = fileURLToPath(new URL(`./image-process${extname(import.meta.url)}`, import.meta.url));
const MAX_WAITING = 200;
const IDLE_MS = 30_000;
/** sharp gives up earlier; this is for work that does not even reach sharp. */
const TASK_MS = 90_000;

export class ImageWorkshop {
  #child: ChildProcess | null = null;
  #busy: Task | null = null;
  #nextId = 1;
  #closed = false;
  #timer: NodeJS.Timeout | null = null;
  readonly #waiting: Task[] = [];

  /** Never rejects because of what is in the file: that is an answer. */
  prepare(work: Omit<PrepareWork, 'kind'>): Promise<Prepared> {
    return this.#add({ kind: 'prepare', ...work });
  }

  resize(work: Omit<ResizeWork, 'kind'>): Promise<Resized> {
    return this.#add({ kind: 'resize', ...work });
  }

  /** Ends the process; its unfinished work is refused. */
  close(): void {
    this.#closed = true;
    this.#stopClock();
    const open = this.#busy === null ? this.#waiting : [this.#busy, ...this.#waiting];
    for (const task of open) task.reject(new WorkshopFull('the image process is closed'));
    this.#waiting.length = 0;
    this.#busy = null;
    this.#child?.kill('SIGKILL');
  }

  #add(work: PrepareWork): Promise<Prepared>;
  #add(work: ResizeWork): Promise<Resized>;
  #add(work: ImageWork): Promise<ImageAnswer> {
    return new Promise((resolve, reject) => {
      if (this.#closed || this.#waiting.length >= MAX_WAITING) {
        reject(new WorkshopFull('too many images are waiting'));
        return;
      }
      this.#waiting.push({ id: this.#nextId, work, deaths: 0, resolve, reject });
      this.#nextId += 1;
      this.#next();
    });
  }

  #next(): void {
    if (this.#busy !== null || this.#closed) return;
    const task = this.#waiting.shift();
    this.#stopClock();
    if (task === undefined) {
      // Only unfinished work keeps the parent alive.
      this.#child?.unref();
      this.#child?.channel?.unref();
      this.#timer = setTimeout(() => this.#letGo(), IDLE_MS).unref();
      return;
    }
    this.#busy = task;
    this.#child ??= this.#start();
    const child = this.#child;
    child.ref();
    child.channel?.ref();
    this.#timer = setTimeout(() => child.kill('SIGKILL'), TASK_MS).unref();
    const message: WorkMessage = { id: task.id, work: task.work };
    child.send(message, (error) => {
      if (error !== null) child.kill('SIGKILL');
    });
  }

  #start(): ChildProcess {
    const child = fork(SCRIPT, [], { stdio: ['ignore', 'ignore', 'ignore', 'ipc'] });
    child.on('message', (message: AnswerMessage) => this.#answered(message));
    const gone = () => this.#died(child);
    child.once('exit', gone).once('error', gone);
    return child;
  }

  #answered({ id, answer, fault }: AnswerMessage): void {
    const task = this.#busy;
    if (task === null || task.id !== id) return;
    this.#busy = null;
    if (answer === undefined) task.reject(new Error(`the image process: ${fault}`));
    else task.resolve(answer);
    this.#next();
  }

  /** The file gets a second chance, because the kernel may have chosen the process for reasons of its own. */
  #died(child: ChildProcess): void {
    if (this.#child !== child) return;
    this.#child = null;
    const task = this.#busy;
    this.#busy = null;
    if (this.#closed) return;
    if (task !== null) {
      task.deaths += 1;
      if (task.deaths < 2) this.#waiting.unshift(task);
      else task.resolve({ kind: 'broken', reason: 'unreadable' });
    }
    this.#next();
  }

  #letGo(): void {
    const child = this.#child;
    this.#child = null;
    if (child?.connected) child.disconnect();
  }

  #stopClock(): void {
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = null;
  }
}
