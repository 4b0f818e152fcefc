/**
 * Watches that the Redis at hand is the one that Postgres knows: same life, and not older than what was projected
 * from it. A journal that starts its life gets its name here; one that returned empty or older stays closed until
 * somebody rebuilds it. Where a replica has taken over the name is changed, so that the server it replaced takes no
 * bids when it returns; a Postgres put back from before that takes the name up from Redis.
 */
import { randomUUID } from 'node:crypto';
import type { Knex } from 'knex';
import { laterName, renameEpoch, shardEpochs, writeEpoch } from '../../../adapters/redis/epoch.ts';
import type { Fence, JournalGuard } from '../../../adapters/redis/guarded-script.ts';
import type { OpenLink } from '../../../adapters/redis/link.ts';
import { Marks } from '../../../adapters/redis/marks.ts';
import { readIdentities, type ServerIdentity } from '../../../adapters/redis/server-identity.ts';
import { SHARD_COUNT, shardsFor } from '../../../adapters/redis/shards.ts';
import { JournalUnavailable } from '../../../engine/actor/journal.ts';
import { present } from '../../../engine/first-of.ts';
import { type ProcessTime, processTime } from '../../shared/process-time.ts';
import { type LogMisfit, readLogFits, readShardEpoch } from '../projection/log-fit.ts';
import { noteName, readNames } from './journal-names.ts';
import type { ServerFence } from './server-fence.ts';

/** `written`: every shard has carried the name, so one that does not has lost it. */
interface Life {
  readonly epoch: string;
  readonly written: boolean;
  /** The name before the last failover. */
  readonly previous_epoch: string | null;
  /** The servers that held the journal at the last check; null: there was none. */
  readonly servers: readonly string[] | null;
  /** Over how many shards new auctions are spread; null in journals from before there was a choice. */
  readonly shards: number | null;
}

/** What is looked at seldom: whether Postgres and every shard still say the same. */
const THOROUGH_EVERY_MS = 5_000;

const REBUILD = 'run `rostrum journal rebuild`';
const UNCOMPARED = 'Redis is being compared with what was acknowledged';

const COLUMNS = ['epoch', 'written', 'previous_epoch', 'servers', 'shards'] as const;

export class EpochKeeper implements JournalGuard {
  #epoch: string | null = null;
  #trouble = 'the journal has not been checked yet';
  #current: Fence | null = null;
  #checking: Promise<void> | null = null;
  /** The servers at the last check, and when that was. */
  #ids: readonly string[] | null = null;
  #checkedMs = Number.NEGATIVE_INFINITY;
  #watchedShard = 0;
  /**
   * How often connections had been opened again when what they lead to was last found to be what was compared; null: a
   * call has met something else.
   */
  #settledAt: number | null = null;
  #settling: Promise<void> | null = null;
  readonly #knex: Knex;
  readonly #open: OpenLink;
  readonly fence: ServerFence | null;
  readonly #time: ProcessTime;

  /** Without a `fence` it only looks: nothing can be written then. */
  constructor(knex: Knex, open: OpenLink, fence: ServerFence | null = null) {
    this.#knex = knex;
    this.#open = open;
    this.fence = fence;
    this.#time = fence?.time ?? processTime;
  }

  get marks(): Marks {
    return this.fence?.marks ?? new Marks();
  }

  get isSettled(): boolean {
    return this.#checking === null && this.#leadsToCompared;
  }

  get #leadsToCompared(): boolean {
    return this.#settledAt === this.#open.reopened;
  }

  async settled(): Promise<Fence> {
    if (!this.#leadsToCompared) {
      this.#settling ??= this.#settle().finally(() => {
        this.#settling = null;
      });
      await this.#settling;
    }
    if (this.#fenceOfNow === null) await this.recheck();
    if (!this.#leadsToCompared) throw new JournalUnavailable(this.trouble ?? UNCOMPARED);
    return this.current();
  }

  /** Needs no Postgres where the servers say that they are those that were compared. Never throws. */
  async #settle(): Promise<void> {
    const { reopened } = this.#open;
    const isHeld = this.#settledAt !== null && (await this.#isHeldRun().catch(() => null));
    // Out of reach: the next call asks again.
    if (isHeld === null) return;
    if (isHeld) this.#settledAt = reopened;
    else await this.recheck();
  }

  /** Whether the servers that calls go to are those of the number that is held. */
  async #isHeldRun(): Promise<boolean> {
    const runs = (await readIdentities(this.#open)).map(({ runId }) => runId).sort();
    const held = this.fence?.held ?? null;
    return held !== null && isSame(held.runs, runs);
  }

  current(): Fence {
    const current = this.#fenceOfNow;
    if (current === null) throw new JournalUnavailable(this.trouble ?? UNCOMPARED);
    return current;
  }

  get #fenceOfNow(): Fence | null {
    const current = this.trouble === null ? this.#current : null;
    return current?.number === this.fence?.held?.number ? current : null;
  }

  /** The journal's name, null while it is not known to be the right one. A failover and a rebuild change it. */
  get name(): string | null {
    return this.trouble === null ? this.#epoch : null;
  }

  /** What is wrong, or null. */
  get trouble(): string | null {
    if (this.#epoch === null) return this.#trouble;
    return this.fence !== null && this.fence.held === null ? UNCOMPARED : null;
  }

  /** Whether this Redis holds a foreign journal, which must not be overwritten without consent. */
  async isForeign(): Promise<boolean> {
    const [known, names] = [await this.#known(), await readNames(this.#knex)];
    return (
      known !== null &&
      (await shardEpochs(this.#open)).some(
        (found) => found !== null && found !== known.epoch && !names.has(found),
      )
    );
  }

  /**
   * Checks again where something may have changed: other servers, or another name in one of the shards, which take
   * turns; and every few seconds in any case. Throws what Postgres or Redis throw.
   */
  async watch(): Promise<void> {
    // A Postgres that is away takes nothing from what this process may write.
    const keptUp = this.fence?.keepUp().catch(() => undefined);
    const isDue = this.#time.nowMs() - this.#checkedMs >= THOROUGH_EVERY_MS;
    const looksTheSame = this.#epoch !== null && !isDue && (await this.#looksTheSame(this.#epoch));
    if (!looksTheSame || this.trouble !== null || !this.#leadsToCompared) await this.check();
    await keptUp;
  }

  async recheck(): Promise<void> {
    this.#settledAt = null;
    await (this.#checking ?? this.check()).catch(() => undefined);
  }

  async #looksTheSame(epoch: string): Promise<boolean> {
    this.#watchedShard = (this.#watchedShard + 1) % SHARD_COUNT;
    const [identities, found] = await Promise.all([
      readIdentities(this.#open),
      readShardEpoch(this.#open, this.#watchedShard),
    ]);
    return found === epoch && isSame(this.#ids, identities.map(({ id }) => id).sort());
  }

  /** Checks everything again, one check after the other. Throws what Postgres or Redis throw. */
  async check(): Promise<void> {
    while (this.#checking !== null) await this.#checking.catch(() => undefined);
    this.#checking = this.#checkNow().finally(() => {
      this.#checking = null;
    });
    await this.#checking;
  }

  async #checkNow(): Promise<void> {
    const { reopened } = this.#open;
    const known = (await this.#known()) ?? (await this.#begin());
    const { life, found } = await this.#followName(await this.#followServers(known));
    let trouble = await this.#compare(life, found);
    if (this.fence !== null) {
      if (trouble === null) trouble = await this.#takeFence(this.fence, life.epoch, reopened);
      else if (this.fence.held !== null) await this.fence.release();
    }
    this.#checkedMs = this.#time.nowMs();
    this.#trouble = trouble ?? '';
    this.#epoch = trouble === null ? life.epoch : null;
    const number = this.fence?.held?.number ?? null;
    if (this.#current?.epoch !== life.epoch || this.#current.number !== number)
      this.#current = number === null ? null : { epoch: life.epoch, number };
  }

  /** Compares the servers where they are not known to be those of the fence that is held. */
  async #takeFence(fence: ServerFence, epoch: string, reopened: number): Promise<string | null> {
    const isCompared = (await this.#isHeldRun()) && this.#settledAt !== null;
    const older = isCompared ? null : await fence.take(epoch);
    if (older !== null) return olderTrouble(older);
    this.#settledAt = reopened;
    return null;
  }

  async #known(): Promise<Life | null> {
    return (await this.#knex('journal_meta').first<Life | undefined>(COLUMNS)) ?? null;
  }

  /** First start: Postgres stores the name and over how many shards auctions are spread; the first process decides. */
  async #begin(): Promise<Life> {
    const shards = shardsFor(this.#open.masters);
    await this.#knex('journal_meta')
      .insert({ epoch: randomUUID(), shards, bids_share_rows: true })
      .onConflict()
      .ignore();
    const life = present(await this.#known());
    await noteName(this.#knex, life.epoch);
    return life;
  }

  /** Where a replica has taken over, the first process to notice chooses a new name, recorded before it is used. */
  async #followServers(life: Life): Promise<Life> {
    const { epoch, servers } = life;
    const identities = await readIdentities(this.#open);
    const ids = identities.map(({ id }) => id).sort();
    this.#ids = ids;
    if (isSame(servers, ids) || identities.some(({ isMaster }) => !isMaster)) return life;
    if (!(await this.#carriesName(life, identities))) return life;
    const changes: { servers: string[]; epoch?: string; previous_epoch?: string } = hasTakenOver(
      servers,
      identities,
    )
      ? { servers: ids, epoch: randomUUID(), previous_epoch: epoch }
      : { servers: ids };
    if (changes.epoch !== undefined) await noteName(this.#knex, changes.epoch);
    await this.#knex('journal_meta').where({ epoch }).update(changes);
    return present(await this.#known());
  }

  /**
   * Whether these servers have a say. One that was replaced carries the name from before and has none. One that took
   * over from a server that was still changing its name carries the old name too, and gets the name here.
   */
  async #carriesName(
    { epoch, previous_epoch: previous, servers }: Life,
    identities: readonly ServerIdentity[],
  ): Promise<boolean> {
    const found = await shardEpochs(this.#open);
    if (found.every((one) => one === null || one === epoch)) return true;
    const isRenaming = found.every((one) => one === epoch || (one === previous && one !== null));
    if (!isRenaming || !continuesFrom(servers, identities)) return false;
    await renameEpoch(this.#open, epoch);
    return true;
  }

  /** Postgres was put back from before a failover: its journal has since continued under another name. */
  async #followName(life: Life): Promise<{ life: Life; found: readonly (string | null)[] }> {
    const { epoch } = life;
    const found = await shardEpochs(this.#open);
    const later = found.every((one) => one === epoch) ? null : await laterName(this.#open, epoch);
    if (later === null) return { life, found };
    const servers = (await readIdentities(this.#open)).map(({ id }) => id).sort();
    await noteName(this.#knex, later);
    await this.#knex('journal_meta')
      .where({ epoch })
      .update({ epoch: later, previous_epoch: epoch, servers, written: true });
    return { life: present(await this.#known()), found };
  }

  async #compare(
    { epoch, written, previous_epoch: previous, servers, shards }: Life,
    found: readonly (string | null)[],
  ): Promise<string | null> {
    const isMoving = found.some((one) => one === previous && one !== null);
    const identities = isMoving ? await readIdentities(this.#open) : [];
    const ids = identities.map(({ id }) => id).sort();
    if (isMoving && isSame(servers, ids) && found.every((one) => one === previous || one === epoch)) {
      await renameEpoch(this.#open, epoch);
      return this.#misfitTrouble(shards);
    }
    if (isMoving)
      return `this Redis has been replaced in a failover: connect the one that took over, or ${REBUILD}`;
    const others = found.filter((other) => other !== null && other !== epoch);
    if (others.length > 0) {
      const names = await readNames(this.#knex);
      if (others.every((other) => other !== null && names.has(other)))
        return `Redis is older than this life of the journal: ${REBUILD}`;
      return 'Redis holds a different journal: give this deployment its own Redis, or run `rostrum journal rebuild`';
    }
    if (found.some((own) => own === null)) {
      if (written) return 'Redis is empty: run `rostrum journal rebuild`';
      await writeEpoch(this.#open, epoch);
    }
    if (!written) await this.#knex('journal_meta').where({ epoch }).update({ written: true });
    return this.#misfitTrouble(shards);
  }

  async #misfitTrouble(shardCount: number | null): Promise<string | null> {
    const known: number[] = await this.#knex('projection_positions').pluck('shard');
    const shards = [...new Set([...known, ...Array.from({ length: shardCount ?? 0 }, (_, shard) => shard)])];
    const fits = await readLogFits(this.#knex, this.#open, shards);
    const shardsThatAre = (misfit: LogMisfit): number[] =>
      [...fits].flatMap(([shard, fit]) => {
        if (fit instanceof Error) throw fit;
        return fit.misfit === misfit ? [shard] : [];
      });
    const older = shardsThatAre('older');
    if (older.length > 0) return olderTrouble(older);
    const behind = shardsThatAre('gap');
    if (behind.length === 0) return null;
    return (
      `Postgres is older than what the journal still has (shards ${behind.join(', ')}): ` +
      'restore a newer one, or run `rostrum journal bridge`'
    );
  }
}

function olderTrouble(shards: readonly number[]): string {
  return `Redis is older than what was acknowledged from it (shards ${shards.join(', ')}): ${REBUILD}`;
}

function isSame(servers: readonly string[] | null, ids: readonly string[]): boolean {
  return servers !== null && servers.length === ids.length && servers.every((id, at) => id === ids[at]);
}

/** Whether each server was there at the last check, or has taken over from one that was. */
function continuesFrom(servers: readonly string[] | null, identities: readonly ServerIdentity[]): boolean {
  const isKnown = (id: string | null) => id !== null && (servers ?? []).includes(id);
  return identities.every(({ id, previousId }) => isKnown(id) || isKnown(previousId));
}

/** A server that only started again continues with its own disk; one that took over continues with another's. */
function hasTakenOver(servers: readonly string[] | null, identities: readonly ServerIdentity[]): boolean {
  if (servers === null) return false;
  return identities.some(({ id, previousId }) => previousId !== null && !servers.includes(id));
}
