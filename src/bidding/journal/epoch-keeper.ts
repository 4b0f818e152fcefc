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
import {
  continuesFrom,
  hasTakenOver,
  isSame,
  readIdentities,
  type ServerIdentity,
} from '../../../adapters/redis/server-identity.ts';
import { SHARD_COUNT, shardsFor } from '../../../adapters/redis/shards.ts';
import { JournalUnavailable } from '../../../engine/actor/journal.ts';
import { present } from '../../../engine/first-of.ts';
import { LAYOUT } from '../../shared/layout.ts';
import { type ProcessTime, processTime } from '../../shared/process-time.ts';
import { readShardEpoch } from '../projection/log-fit.ts';
import { type Life, noteName, readLife, readNames } from './journal-names.ts';
import { misfitTrouble, olderTrouble, REBUILD } from './log-trouble.ts';
import type { ServerFence } from './server-fence.ts';

/** What is looked at seldom: whether Postgres and every shard still say the same. */
const THOROUGH_EVERY_MS = 5_000;

const UNCOMPARED = 'Redis is being compared with what was acknowledged';

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

  /**
   * Needs no Postgres where the servers say that they are those that were compared. Connections come back one after the
   * other: what was found before the last of them is no answer. Never throws.
   */
  async #settle(): Promise<void> {
    for (;;) {
      const { reopened } = this.#open;
      const isFromBefore = this.#checking !== null;
      const isHeld = this.#settledAt !== null && (await this.#isHeldRun().catch(() => null));
      // Out of reach: the next call asks again.
      if (isHeld === null) return;
      if (isHeld) this.#settledAt = reopened;
      else await this.recheck();
      // A check from before may have looked at another connection.
      if (reopened === this.#open.reopened && (isHeld || !isFromBefore)) return;
    }
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
    const [known, names] = [await readLife(this.#knex), await readNames(this.#knex)];
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
    const known = (await readLife(this.#knex)) ?? (await this.#begin());
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

  /** First start: Postgres stores the name and over how many shards auctions are spread; the first process decides. */
  async #begin(): Promise<Life> {
    const shards = shardsFor(this.#open.masters);
    await this.#knex('journal_meta')
      .insert({ epoch: randomUUID(), shards, layout: LAYOUT })
      .onConflict()
      .ignore();
    const life = present(await readLife(this.#knex));
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
    return present(await readLife(this.#knex));
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
    return { life: present(await readLife(this.#knex)), found };
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
      return misfitTrouble(this.#knex, this.#open, shards);
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
    return misfitTrouble(this.#knex, this.#open, shards);
  }
}
