/**
 * Keeps the heartbeat of the shards that hold lots with an end to watch over. Every process that has the journal open
 * sends it, so that only a journal that nobody reaches falls silent; the first sign of life after a silence notes it as
 * an outage, and every decision after that is made knowing of it.
 */
import { OUTAGE_US, type Outage } from '../../engine/auction/record.ts';
import { GuardedScript, type JournalGuard } from './guarded-script.ts';
import type { OpenLink } from './link.ts';
import { SHARD_COUNT, shardKeys } from './shards.ts';

/** So much shorter than the silence that is an outage may an absence be and still count as one: a tenth. */
const BEAT_MS = 200;
/** Somebody else's beat of so short a time ago will do. */
const WRITTEN_US = 150_000;
/** After a longer silence, which beats in time never leave, a server may have been started again on a full disk. */
const PROOF_US = 250_000;
/** Lots that nobody has moved since older ones were over have been closed long ago. */
const KEPT_OUTAGES = 16;

/** `epoch`: it is another journal's; `older`: not all of it; nothing: the shard has no lots to watch over. */
type Answer = 'epoch' | 'older' | '' | readonly [lastOutageUs: string, nowUs: string];

export class Heartbeat {
  readonly #open: OpenLink;
  readonly #guard: JournalGuard;
  readonly #script: GuardedScript<Answer>;
  readonly #onTime: (serverUs: number) => void;
  readonly #timer: NodeJS.Timeout;
  /** Shards that may hold lots to watch over: at first any may. */
  readonly #watched = new Set(Array.from({ length: SHARD_COUNT }, (_, shard) => shard));
  readonly #lastOutageUs = new Map<number, number>();

  /** `scripts` is where the .lua files lie. `onTime` is told the server's time with each beat. */
  constructor(open: OpenLink, guard: JournalGuard, scripts: string, onTime: (serverUs: number) => void) {
    this.#open = open;
    this.#guard = guard;
    this.#script = new GuardedScript(scripts, 'heartbeat', guard);
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
    const answer = await this.#send(shard);
    if (answer === '') this.#watched.delete(shard);
    if (answer === 'older') await this.#guard.recheck();
    if (answer === '' || answer === 'epoch' || answer === 'older') return false;
    const [lastOutageUs, nowUs] = answer;
    this.#lastOutageUs.set(shard, Number(lastOutageUs));
    this.#onTime(Number(nowUs));
    return true;
  }

  /** Whether a commit of this shard would be taken: a beat comes by the same way and is compared as one is. */
  async proves(shard: number): Promise<boolean> {
    const answer = await this.#send(shard);
    return answer !== 'epoch' && answer !== 'older';
  }

  #send(shard: number): Promise<Answer> {
    const { meta, due, room } = shardKeys(shard);
    const limits = [OUTAGE_US, WRITTEN_US, KEPT_OUTAGES, PROOF_US].map(String);
    const argsOf = ({ epoch }: { epoch: string }) => [epoch, ...limits, this.#guard.marks.of(shard)];
    return this.#script.run(() => this.#open.link, [meta, due, room], argsOf);
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
