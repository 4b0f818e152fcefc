/**
 * Keeps the heartbeat of the shards that hold lots with an end to watch over. Every process that has the journal open
 * sends it, so that only a journal that nobody reaches falls silent; the first sign of life after a silence notes it as
 * an outage, and every decision after that is made knowing of it.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { OUTAGE_US, type Outage } from '../../engine/auction/record.ts';
import { type OpenLink, Script } from './link.ts';
import { SHARD_COUNT, shardKeys } from './shards.ts';

/** So much shorter than the silence that is an outage may an absence be and still count as one: a tenth. */
const BEAT_MS = 200;
/** Somebody else's beat of so short a time ago will do. */
const WRITTEN_US = 150_000;
/** After a longer silence, which beats in time never leave, a server may have been started again on a full disk. */
const PROOF_US = 250_000;
/** Lots that nobody has moved since older ones were over have been closed long ago. */
const KEPT_OUTAGES = 16;

/** `epoch`: it is another journal's; nothing: the shard has no lots to watch over. */
type Answer = 'epoch' | '' | readonly [lastOutageUs: string, nowUs: string];

export class Heartbeat {
  readonly #open: OpenLink;
  readonly #epoch: () => string;
  readonly #script: Script<Answer>;
  readonly #onTime: (serverUs: number) => void;
  readonly #timer: NodeJS.Timeout;
  /** Shards that may hold lots to watch over: at first any may. */
  readonly #watched = new Set(Array.from({ length: SHARD_COUNT }, (_, shard) => shard));
  readonly #lastOutageUs = new Map<number, number>();

  /**
   * `epoch` throws where it is not known yet; `scripts` is where the .lua files lie. `onTime` is told the server's time
   * with each beat.
   */
  constructor(open: OpenLink, epoch: () => string, scripts: string, onTime: (serverUs: number) => void) {
    this.#open = open;
    this.#epoch = epoch;
    this.#script = new Script(readFileSync(join(scripts, 'heartbeat.lua'), 'utf8'));
    this.#onTime = onTime;
    this.#timer = setInterval(() => void this.#beatAll(), BEAT_MS).unref();
  }

  stop(): void {
    clearInterval(this.#timer);
  }

  /** A lot of the shard is being moved. */
  watch(shard: number): void {
    this.#watched.add(shard);
  }

  /** When the newest outage of a shard was over, as far as this process knows; 0: of none. */
  lastOutageUs(shard: number): number {
    return this.#lastOutageUs.get(shard) ?? 0;
  }

  /** One beat of one shard; whether it has told the time. Rejects where the journal cannot be reached. */
  async beat(shard: number): Promise<boolean> {
    const { meta, due, room } = shardKeys(shard);
    const args = [this.#epoch(), ...[OUTAGE_US, WRITTEN_US, KEPT_OUTAGES, PROOF_US].map(String)];
    const answer = await this.#script.run(this.#open.link, [meta, due, room], args);
    if (answer === '') this.#watched.delete(shard);
    if (answer === '' || answer === 'epoch') return false;
    const [lastOutageUs, nowUs] = answer;
    this.#lastOutageUs.set(shard, Number(lastOutageUs));
    this.#onTime(Number(nowUs));
    return true;
  }

  /** Where no shard has told the time, the server is asked for it. */
  async #beatAll(): Promise<void> {
    // A journal that is unavailable, or another one, has no heartbeat: the next beat retries.
    const told = await Promise.all([...this.#watched].map((shard) => this.beat(shard).catch(() => false)));
    if (!told.includes(true)) await this.#open.timeUs().then(this.#onTime, () => undefined);
  }
}

/** The outages in a shard's `outages` field. */
export function readOutages(text: string | null): Outage[] {
  if (text === null || text === '') return [];
  return text.split(',').map((one) => {
    const [fromUs, toUs] = one.split('-').map(Number);
    return { fromUs: fromUs ?? 0, toUs: toUs ?? 0 };
  });
}

/** The fields of a shard that is written again after this outage. */
export function outageFields({ fromUs, toUs }: Outage): Record<string, string> {
  return { outage: String(toUs), outages: `${fromUs}-${toUs}` };
}
