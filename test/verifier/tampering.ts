/** What somebody could do to a journal that is handed out: each change with the entry that has to be named. */
import { createHash, generateKeyPairSync } from 'node:crypto';
import { canonicalJson } from '../../engine/canonical.ts';
import { leafText } from '../../src/bidding/fairness/checkpoints.ts';
import {
  checkpointText,
  rawPublicKey,
  signedNote,
  signText,
} from '../../src/bidding/fairness/signed-note.ts';
import { hashLeaf } from '../support/leaf-hash.ts';
import type { Bundle, PublicEntry } from './random-journals.ts';

export interface Tampered {
  readonly what: string;
  readonly journal: PublicEntry[];
  /** The sequences that may be named: the entry that was changed, as it reads now or as it did. */
  readonly named: readonly (number | null)[];
}

const copy = (journal: readonly PublicEntry[]): PublicEntry[] => structuredClone([...journal]);

/** Every field of every entry changed, one at a time; hashes are left as they were. */
export function* changedFields(journal: readonly PublicEntry[]): Iterable<Tampered> {
  for (const [index, entry] of journal.entries()) {
    for (const path of pathsOf(entry)) {
      const changed = copy(journal);
      const target = changed[index] as PublicEntry;
      change(target, path);
      yield {
        what: `${path.join('.')} of entry ${entry.sequence}`,
        journal: changed,
        named: [entry.sequence, target.sequence],
      };
    }
  }
}

/** Every entry left out, doubled, or changed for its neighbour. */
export function* movedEntries(journal: readonly PublicEntry[]): Iterable<Tampered> {
  for (let index = 0; index < journal.length; index++) {
    const sequence = journal[index]?.sequence ?? null;
    const next = journal[index + 1]?.sequence ?? null;
    const without = journal.toSpliced(index, 1);
    // With its newest entries gone, a journal is whole in itself: the checkpoint knows better.
    yield { what: `without entry ${sequence}`, journal: copy(without), named: [next] };
    const doubled = journal.toSpliced(index, 0, journal[index] as PublicEntry);
    yield { what: `entry ${sequence} twice`, journal: copy(doubled), named: [sequence] };
    if (next === null) continue;
    const swapped = journal
      .with(index, journal[index + 1] as PublicEntry)
      .with(index + 1, journal[index] as PublicEntry);
    yield { what: `entries ${sequence} and ${next} swapped`, journal: copy(swapped), named: [next] };
  }
}

/**
 * The same changes by an operator that rehashes the rest: only the checkpoint reveals it, and the rules where they can.
 */
export function rewritten(journal: readonly PublicEntry[]): PublicEntry[] {
  let previous = '0'.repeat(64);
  return journal.map(({ hash: _hash, ...entry }) => {
    const next = { ...entry, previous_hash: previous };
    previous = createHash('sha256')
      .update(previous + canonicalJson(next))
      .digest('hex');
    return { ...next, hash: previous };
  });
}

type Path = readonly (string | number)[];

function pathsOf(value: unknown, path: Path = []): Path[] {
  if (value === null || typeof value !== 'object') return [path];
  const inner = Object.entries(value).flatMap(([key, one]) =>
    pathsOf(one, [...path, Array.isArray(value) ? Number(key) : key]),
  );
  return inner.length === 0 ? [path] : inner;
}

function change(entry: PublicEntry, path: Path): void {
  let holder: Record<string | number, unknown> = entry as unknown as Record<string, unknown>;
  for (const key of path.slice(0, -1)) holder = holder[key] as Record<string | number, unknown>;
  const last = path.at(-1) as string | number;
  const value = holder[last];
  if (typeof value === 'number') holder[last] = value + 1;
  else if (typeof value === 'boolean') holder[last] = !value;
  else if (value === '') holder[last] = 'x';
  else if (typeof value === 'string')
    holder[last] = value.replace(/.$/, (char) => (char === '0' ? '1' : '0'));
  else if (Array.isArray(value)) holder[last] = ['not_the_leader'];
  else holder[last] = '1.00';
}

const pair = generateKeyPairSync('ed25519');
const publicKey = rawPublicKey(pair.privateKey);

export const CHECKPOINT_KEYS = [{ id: 1, public_key: publicKey.toString('base64') }];

/** A checkpoint as the house signs it. */
export function signedCheckpoint(number: number, size: number, root: Buffer) {
  const time = '2026-07-12T10:00:00.000000Z';
  const text = checkpointText({ origin: 'test/journal', size, root, number, time });
  const signature = signText(text, pair.privateKey);
  const note = signedNote(text, 'test/journal', publicKey, signature);
  const signed = { key_id: 1, signature: signature.toString('base64'), note };
  return { number, time, size, root: root.toString('hex'), ...signed };
}

/** A checkpoint that holds nothing but the head of this journal, and its key. */
export function provedIn(bundle: Bundle, lotId: number) {
  const { sequence, hash } = bundle.journal.at(-1) as PublicEntry;
  const leaf = leafText({ lot_id: lotId, sequence, hash });
  return {
    keys: CHECKPOINT_KEYS,
    proof: {
      lot_id: lotId,
      head: { sequence, hash },
      leaf,
      leaf_index: 0,
      inclusion_proof: [],
      checkpoint: signedCheckpoint(1, 1, hashLeaf(Buffer.from(leaf))),
    },
  };
}
