/** The shapes of checkpoints, proofs and openings. Hashes are lower-case hex, keys and signatures base64. */
import { Type } from '@sinclair/typebox';
import { orNull, Time } from '../../shared/fields.schema.ts';

const hash = Type.String({ description: '32 bytes, hex.' });
const nullableString = orNull(Type.String());

export const CheckpointItem = Type.Object(
  {
    number: Type.Integer({ description: 'From 1, without gaps.' }),
    time: Time,
    size: Type.Integer({ description: 'Leaves of the tree.' }),
    root: hash,
    signature: Type.String({ description: 'Ed25519 over the text of the note, base64.' }),
    key_id: Type.Integer({ description: 'The key in `/.well-known/rostrum-journal.json` that signed it.' }),
    note: Type.String({ description: 'The same as a signed note (C2SP).' }),
  },
  { $id: 'Checkpoint' },
);

export const ConsistencyItem = Type.Object({
  from: CheckpointItem,
  to: CheckpointItem,
  consistency_proof: Type.Array(hash),
});

export const LotProofItem = Type.Object(
  {
    lot_id: Type.Integer(),
    head: Type.Object({ sequence: Type.Integer(), hash }),
    leaf: Type.String({ description: 'What the leaf is the hash of, in RFC 8785 form.' }),
    leaf_index: Type.Integer(),
    inclusion_proof: Type.Array(hash),
    checkpoint: CheckpointItem,
  },
  { $id: 'LotProof' },
);

export const OpeningsItem = Type.Object(
  {
    closed: Type.Boolean({ description: 'Whether the lot has closed.' }),
    terms: Type.Object(
      {
        type: Type.Union([Type.Literal('timed'), Type.Literal('simulcast')]),
        currency: Type.String(),
        increments: Type.Array(Type.Object({ from: Type.String(), increment: Type.String() })),
        soft_close: Type.Object({
          window_seconds: Type.Integer(),
          extension_seconds: Type.Integer(),
          max_extensions: orNull(Type.Integer()),
          since: orNull(Time, {
            description: 'Bids before this time were decided under other terms.',
          }),
        }),
      },
      { description: 'What a replay needs to know about the auction in addition to the journal.' },
    ),
    openings: Type.Array(
      Type.Object({
        sequence: Type.Integer(),
        kind: Type.Union([Type.Literal('reserve'), Type.Literal('ceiling')]),
        bid_id: nullableString,
        commitment: hash,
        salt: Type.String(),
        amount: Type.String({ description: 'The commitment is SHA-256 over `salt:cents`.' }),
      }),
    ),
  },
  { $id: 'Openings' },
);

export const LogKeys = Type.Object(
  {
    name: nullableString,
    hash: Type.Literal('SHA-256'),
    tree: Type.Literal('RFC 6962'),
    keys: Type.Array(
      Type.Object({
        id: Type.Integer(),
        name: Type.String(),
        algorithm: Type.Literal('Ed25519'),
        public_key: Type.String({ description: '32 bytes, base64.' }),
        verifier_key: Type.String({ description: 'In the format that verifiers of signed notes expect.' }),
        created_at: Time,
        retired_at: orNull(Time),
      }),
    ),
  },
  { $id: 'JournalKeys' },
);
