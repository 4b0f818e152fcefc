/**
 * The verifier and the engine: it accepts what the engine wrote, and detects changes. It is plain JavaScript without
 * types on purpose: anybody who checks a sale downloads this one file. `VERIFIER_RUNS=10000 VERIFIER_TAMPERED=1000` for
 * a long run.
 */
import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect } from 'chai';
import * as fc from 'fast-check';
import { hashNode } from '../../src/bidding/fairness/merkle-tree.ts';
import { importsOf } from '../architecture/rules.ts';
import { hashLeaf } from '../support/leaf-hash.ts';
import { type Bundle, bundles, type PublicEntry } from './random-journals.ts';
import {
  CHECKPOINT_KEYS,
  changedFields,
  movedEntries,
  provedIn,
  rewritten,
  signedCheckpoint,
  type Tampered,
} from './tampering.ts';

interface Result {
  readonly ok: boolean;
  readonly steps: string[];
  readonly fault: { readonly sequence: number | null; readonly message: string } | null;
}

const run = promisify(execFile);
const file = new URL('../../verifier/verify.mjs', import.meta.url);
interface Verifier {
  verify(bundle: unknown): Promise<Result>;
  verifyReceipt(bundle: unknown, receipt: { bid: string; hash: string }): Promise<Result>;
  checkConsistency(older: unknown, newer: unknown, path: readonly string[]): void;
  verifyCheckpoints(
    one: unknown,
    other: unknown,
    by: { keys: unknown; proof?: readonly string[] | undefined },
  ): Promise<Result & { contradiction: boolean }>;
}

const RUNS = Number(process.env['VERIFIER_RUNS'] ?? 400);
const TAMPERED = Number(process.env['VERIFIER_TAMPERED'] ?? 8);

const journals = (count: number): { bundle: Bundle; lotId: number }[] =>
  fc
    .sample(bundles, { numRuns: count, seed: 18 })
    .flatMap((lots) => lots.map((bundle, index) => ({ bundle, lotId: index + 1 })));

describe('the verifier', function () {
  this.timeout(1_800_000);
  let verifier: Verifier;

  before(async () => {
    verifier = await import(file.href);
  });

  it('imports nothing of ours, and no package', () => {
    const outside = importsOf(readFileSync(file, 'utf8')).filter((name) => name !== 'node:fs/promises');
    expect(outside).to.deep.equal([]);
  });

  it('shows its usage, and exits 2, if something is missing or cannot be read', async () => {
    const address = 'http://127.0.0.1:9';
    const receipt = ['receipt', '--bid', 'b', '--hash', 'h'];
    const wrong = [[], [address], receipt, [...receipt, address], ['receipt', '--bid', 'b', address, '1']];
    const asked = [...wrong, ['checkpoints', 'one.json'], ['there-is-none.json'], [address, '1']];
    const codes = await Promise.all(
      asked.map(async (args) => {
        const { code, stderr } = await run(process.execPath, [fileURLToPath(file), ...args]).then(
          () => ({ code: 0, stderr: '' }),
          (error: { code: number; stderr: string }) => error,
        );
        expect(stderr, args.join(' ')).to.match(
          wrong.includes(args) ? /^usage: verify\.mjs ADDRESS LOT/ : /./,
        );
        return code;
      }),
    );
    expect(codes).to.deep.equal(asked.map(() => 2));
  });

  it('agrees with the engine on random histories', async () => {
    await fc.assert(
      fc.asyncProperty(bundles, async (lots) => {
        for (const bundle of lots) {
          const result = await verifier.verify(bundle);
          if (!result.ok)
            throw new Error(`${JSON.stringify(result.fault)}\n${JSON.stringify(bundle, null, 1)}`);
          // Without openings it still follows the chain and what is public.
          expect(
            (await verifier.verify({ journal: bundle.journal, terms: bundle.openings.terms })).fault,
          ).to.equal(null);
        }
      }),
      { numRuns: RUNS },
    );
  });

  it('follows the head into a signed checkpoint, and names the receipt', async () => {
    for (const { bundle, lotId } of journals(4)) {
      const proved = { ...bundle, ...provedIn(bundle, lotId) };
      const { ok, steps } = await verifier.verify(proved);
      expect(ok).to.equal(true);
      expect(steps.join()).to.include('Checkpoint 1').and.include('signature');
      const entry = bundle.journal.find(({ events }) => events.some(({ type }) => type === 'bid_placed'));
      const bid = entry?.events.find(({ type }) => type === 'bid_placed')?.['bid_id'];
      if (entry === undefined || typeof bid !== 'string') continue;
      expect((await verifier.verifyReceipt(proved, { bid, hash: entry.hash })).ok).to.equal(true);
      expect((await verifier.verifyReceipt(proved, { bid: 'another', hash: entry.hash })).ok).to.equal(false);
      expect((await verifier.verifyReceipt(proved, { bid, hash: entry.hash.replace(/./, 'x') })).ok).to.equal(
        false,
      );
    }
  });

  it('names the entry of every single field that is changed, and of entries left out, doubled, swapped', async () => {
    for (const { bundle, lotId } of journals(TAMPERED)) {
      const proved = provedIn(bundle, lotId);
      const tampered: Tampered[] = [...changedFields(bundle.journal), ...movedEntries(bundle.journal)];
      for (const { what, journal, named } of tampered) {
        const { ok, fault } = await verifier.verify({ ...bundle, ...proved, journal });
        expect(ok, what).to.equal(false);
        expect(named, `${what}: ${fault?.message}`).to.include(fault?.sequence ?? null);
      }
    }
  });

  it('detects an operator that rehashes its changes, by the checkpoint', async () => {
    for (const { bundle, lotId } of journals(TAMPERED)) {
      const proved = provedIn(bundle, lotId);
      for (const { what, journal } of changedFields(bundle.journal)) {
        if (/hash|sequence/.test(what)) continue;
        const { ok } = await verifier.verify({ ...bundle, ...proved, journal: rewritten(journal) });
        expect(ok, what).to.equal(false);
      }
    }
  });

  it('finds errors of a rewritten journal by the rules alone', async () => {
    for (const { bundle } of journals(TAMPERED)) {
      for (const { what, journal } of brokenRules(bundle.journal)) {
        const { ok } = await verifier.verify({ ...bundle, journal: rewritten(journal) });
        expect(ok, what).to.equal(false);
      }
    }
  });

  it('does not take another signature, root, opening or key', async () => {
    const { bundle, lotId } = journals(1)[0] as { bundle: Bundle; lotId: number };
    const { proof, keys } = provedIn(bundle, lotId);
    const other = { ...provedIn(bundle, lotId + 1).proof, lot_id: lotId };
    const { checkpoint } = proof;
    const forged = [
      { proof: { ...proof, checkpoint: { ...checkpoint, signature: other.checkpoint.signature } }, keys },
      { proof: { ...proof, checkpoint: { ...checkpoint, root: other.checkpoint.root } }, keys },
      { proof: { ...proof, checkpoint: { ...checkpoint, size: 2 } }, keys },
      { proof, keys: [{ id: 1, public_key: Buffer.alloc(32, 7).toString('base64') }] },
      { proof, keys: [] },
    ];
    for (const one of forged) expect((await verifier.verify({ ...bundle, ...one })).ok).to.equal(false);
    const opened = journals(20).find((one) => one.bundle.openings.openings.length > 0)?.bundle as Bundle;
    const [first, ...rest] = opened.openings.openings;
    for (const wrong of [{ amount: '1.23' }, { salt: 'x' }, { sequence: 1_000 }]) {
      const openings = { ...opened.openings, openings: [{ ...first, ...wrong }, ...rest] };
      expect((await verifier.verify({ ...opened, openings })).ok).to.equal(false);
    }
  });

  it('proves that two checkpoints contradict each other, and accepts none without a signature', async () => {
    const root = (digit: string) => digit.repeat(64);
    expect(() =>
      verifier.checkConsistency({ size: 3, root: root('a') }, { size: 3, root: root('b') }, []),
    ).to.throw('two roots');
    expect(() =>
      verifier.checkConsistency({ size: 2, root: root('a') }, { size: 3, root: root('b') }, [root('c')]),
    ).to.throw('does not contain');
    const leaves = ['a', 'b', 'c', 'd'].map((one) => hashLeaf(Buffer.from(one)));
    const [a, b, c, d] = leaves as [Buffer, Buffer, Buffer, Buffer];
    const [two, three, forked] = [hashNode(a, b), hashNode(hashNode(a, b), c), hashNode(hashNode(a, b), d)];
    const second = signedCheckpoint(2, 2, two);
    const third = signedCheckpoint(3, 3, three);
    const path = [c.toString('hex')];
    const judge = (one: object, other: object, proof: string[] | undefined = path) =>
      verifier.verifyCheckpoints(one, other, { keys: CHECKPOINT_KEYS, proof });
    const proved = { ok: false, contradiction: true };
    expect(await judge(second, third)).to.include({ ok: true, contradiction: false });
    expect(await judge(third, second)).to.include({ ok: true, contradiction: false });
    // The operator has shown others a different third tree, or has reverted to before one that it signed.
    expect(await judge(third, signedCheckpoint(3, 3, forked))).to.include(proved);
    expect(await judge(third, signedCheckpoint(4, 3, forked))).to.include(proved);
    expect(await judge(second, signedCheckpoint(2, 3, three))).to.include(proved);
    expect(await judge(third, signedCheckpoint(4, 2, two))).to.include(proved);
    // What was not proved is no contradiction yet, and what nobody has signed proves nothing.
    expect(await judge(second, third, [])).to.include({ ok: false, contradiction: false });
    expect(await judge(second, signedCheckpoint(3, 3, forked))).to.include({
      ok: false,
      contradiction: false,
    });
    const forged = { ...signedCheckpoint(3, 3, forked), signature: third.signature };
    expect(await judge(third, forged)).to.include({ ok: false, contradiction: false });
  });
});

/** Changes that break a rule, wherever a journal has what they change. */
function* brokenRules(journal: readonly PublicEntry[]): Iterable<{ what: string; journal: PublicEntry[] }> {
  const kinds: readonly [string, (event: Record<string, unknown>, entry: PublicEntry) => boolean][] = [
    [
      'another winner',
      (event) => event['type'] === 'lot_closed' && event['reason'] === 'time' && rename(event),
    ],
    [
      'another hammer price',
      (event) => event['type'] === 'lot_closed' && event['reason'] === 'time' && raise(event, 'hammer_price'),
    ],
    ['another end than its group has', (event) => event['reason'] === 'group' && later(event)],
    ['a count that jumps', (event) => event['type'] === 'bid_placed' && count(event)],
    [
      'a bid before the start',
      (event, entry) => event['type'] === 'bid_placed' && event['channel'] !== 'floor' && early(entry),
    ],
  ];
  for (const [what, apply] of kinds) {
    for (let index = 0; index < journal.length; index++) {
      const changed = structuredClone([...journal]);
      const entry = changed[index] as PublicEntry;
      if (entry.events.some((event) => apply(event, entry)))
        yield { what: `${what} at ${entry.sequence}`, journal: changed };
    }
  }
}

function later(event: Record<string, unknown>): boolean {
  const movedMs = Date.parse(String(event['end_time'])) + 60_000;
  event['end_time'] = `${new Date(movedMs).toISOString().slice(0, -1)}000Z`;
  return true;
}

function rename(event: Record<string, unknown>): boolean {
  if (event['winner'] === null) return false;
  event['winner'] = { alias: 'somebody else', paddle_number: '9' };
  return true;
}

function raise(event: Record<string, unknown>, field: string): boolean {
  if (typeof event[field] !== 'string') return false;
  event[field] = `9${event[field]}`;
  return true;
}

function count(event: Record<string, unknown>): boolean {
  event['bid_count'] = Number(event['bid_count']) + 1;
  return true;
}

function early(entry: PublicEntry): boolean {
  entry.recorded_at = '2026-07-12T09:59:59.999999Z';
  return true;
}
