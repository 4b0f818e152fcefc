/**
 * A second verifier, made from the text of docs/fairness.md and docs/journal.md alone, to show that they are enough. It
 * checks chain, openings, leaf, inclusion and signature of one lot; rules are the first one's part. The numbers are those of
 * docs/fairness.md.
 */
import { createHash, createPublicKey, verify } from 'node:crypto';

// biome-ignore lint/suspicious/noExplicitAny: it reads what anybody gets from the service, as it comes.
type Json = any;

export interface Sale {
  /** `data` of every page of the journal. */
  readonly journal: Json[];
  readonly openings: Json;
  readonly proof: Json;
  readonly keys: Json[];
}

const sha256 = (...parts: (string | Buffer)[]): Buffer => {
  const hash = createHash('sha256');
  for (const part of parts) hash.update(part);
  return hash.digest();
};

function canonical(value: Json): string {
  if (Array.isArray(value)) return `[${value.map(canonical).join(',')}]`;
  if (value === null || typeof value !== 'object') return JSON.stringify(value);
  const names = Object.keys(value).sort();
  return `{${names.map((name) => `${JSON.stringify(name)}:${canonical(value[name])}`).join(',')}}`;
}

function must(holds: boolean, what: string): void {
  if (!holds) throw new Error(what);
}

/** Throws what is wrong first. */
export function checkSale({ journal, openings, proof, keys }: Sale): void {
  // 1
  let previous = '0'.repeat(64);
  for (const { hash, ...entry } of journal) {
    must(entry.previous_hash === previous, 'chain');
    previous = sha256(previous, canonical(entry)).toString('hex');
    must(hash === previous, 'hash');
  }
  // 2
  const events = journal.flatMap((entry) => entry.events);
  for (const { sequence, kind, commitment, salt, amount } of openings.openings) {
    const event = events.find((one) => one.sequence === sequence);
    must(event?.[`${kind}_commitment`] === commitment, 'commitment');
    must(sha256(`${salt}:${Number(amount.replace('.', ''))}`).toString('hex') === commitment, 'opening');
  }
  // 3
  const { head, leaf, checkpoint } = proof;
  must(journal.find(({ sequence }) => sequence === head.sequence)?.hash === head.hash, 'head');
  must(leaf === canonical({ hash: head.hash, lot_id: proof.lot_id, sequence: head.sequence }), 'leaf');
  // 4
  let hash = sha256(Buffer.from([0]), leaf);
  let [node, last] = [proof.leaf_index, checkpoint.size - 1];
  const halve = () => {
    [node, last] = [Math.floor(node / 2), Math.floor(last / 2)];
  };
  for (const text of proof.inclusion_proof) {
    const p = Buffer.from(text, 'hex');
    if (node % 2 === 1 || node === last) {
      hash = sha256(Buffer.from([1]), p, hash);
      while (node % 2 === 0 && node !== 0) halve();
    } else hash = sha256(Buffer.from([1]), hash, p);
    halve();
  }
  must(last === 0 && hash.toString('hex') === checkpoint.root, 'inclusion');
  // 5
  const text = checkpoint.note.slice(0, checkpoint.note.indexOf('\n\n') + 1);
  const [, size, root, number, time] = text.split('\n');
  must(size === String(checkpoint.size) && number === `number ${checkpoint.number}`, 'note');
  must(
    Buffer.from(root, 'base64').toString('hex') === checkpoint.root && time === `time ${checkpoint.time}`,
    'note',
  );
  const { public_key: raw } = keys.find(({ id }) => id === checkpoint.key_id);
  const key = createPublicKey({
    key: { kty: 'OKP', crv: 'Ed25519', x: Buffer.from(raw, 'base64').toString('base64url') },
    format: 'jwk',
  });
  must(verify(null, Buffer.from(text), key, Buffer.from(checkpoint.signature, 'base64')), 'signature');
}
