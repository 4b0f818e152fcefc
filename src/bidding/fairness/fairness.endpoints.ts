/** What anyone needs to check a sale: checkpoints and their keys, proofs, and the openings of what was committed to. */

import { Type } from '@sinclair/typebox';
import type { Knex } from 'knex';
import { type Endpoint, endpoint } from '../../../adapters/http/endpoint.ts';
import { listOf, success } from '../../../adapters/http/envelope.ts';
import { Id } from '../../shared/fields.schema.ts';
import { LotParams } from '../../shared/lot-params.ts';
import { bodyOf, listBody, pagingQuery } from '../../shared/paging/page.schema.ts';
import { invalid, notFound, Refusal } from '../../shared/refusal.ts';
import { findVisibleLot } from '../../shared/visibility/read-visibility.ts';
import type { EntrySources } from '../journal/lot-entries.ts';
import { publishedKeys } from './checkpoint-keys.ts';
import { findCheckpoint, listCheckpoints, newestCheckpoint } from './checkpoints.ts';
import { CheckpointItem, ConsistencyItem, LogKeys, LotProofItem, OpeningsItem } from './fairness.schema.ts';
import { readOpenings, readReplayTerms } from './openings.ts';
import { presentCheckpoint, proveConsistency, proveLot } from './proofs.ts';

const tags = ['Fairness'];
const PUBLIC = { kind: 'public' } as const;

export function fairnessEndpoints(sources: EntrySources): Endpoint[] {
  const { knex } = sources;
  return [keys(knex), list(knex), consistency(knex), one(knex), note(knex), proof(knex), openings(sources)];
}

function keys(knex: Knex): Endpoint {
  return endpoint({
    method: 'GET',
    path: '/.well-known/rostrum-journal.json',
    operationId: 'readJournalKeys',
    summary: 'The keys that sign checkpoints, and earlier keys',
    tags,
    access: PUBLIC,
    responses: { 200: { description: 'The keys, without the response envelope.', schema: LogKeys } },
    async handle() {
      const all = await publishedKeys(knex);
      return {
        status: 200,
        body: { name: all.at(-1)?.name ?? null, hash: 'SHA-256', tree: 'RFC 6962', keys: all },
      };
    },
  });
}

function list(knex: Knex): Endpoint {
  return endpoint({
    method: 'GET',
    path: '/api/v1/checkpoints',
    operationId: 'listCheckpoints',
    summary: 'Checkpoints of all journals, the newest first',
    description:
      'A checkpoint is the signed root of a Merkle tree (RFC 6962) over the heads of the lots’ journals. ' +
      'Heads go in when ' +
      'their lot closes, and every minute while they move.',
    tags,
    access: PUBLIC,
    query: Type.Object(pagingQuery),
    responses: { 200: { description: 'A page of checkpoints.', schema: listBody(CheckpointItem) } },
    async handle({ query }) {
      const { page, per_page: perPage } = query;
      const { rows, total } = await listCheckpoints(knex, { page, perPage });
      return listOf(rows.map(presentCheckpoint), { page, perPage, total });
    },
  });
}

const Numbered = Type.Object({ number: Id });

function one(knex: Knex): Endpoint {
  return endpoint({
    method: 'GET',
    path: '/api/v1/checkpoints/{number}',
    operationId: 'getCheckpoint',
    summary: 'One checkpoint',
    tags,
    access: PUBLIC,
    params: Numbered,
    responses: { 200: { description: 'The checkpoint.', schema: bodyOf(CheckpointItem) } },
    async handle({ params }) {
      return success(presentCheckpoint(await requireCheckpoint(knex, params.number)));
    },
  });
}

function note(knex: Knex): Endpoint {
  return endpoint({
    method: 'GET',
    path: '/api/v1/checkpoints/latest/note',
    operationId: 'getLatestCheckpointNote',
    notFound: true,
    summary: 'The newest checkpoint as a signed note, as transparency logs serve it',
    tags,
    access: PUBLIC,
    responses: {
      200: {
        description: 'A C2SP signed note.',
        schema: Type.String(),
        contentType: 'text/plain; charset=utf-8',
      },
    },
    async handle() {
      const newest = await newestCheckpoint(knex);
      if (newest === null) throw notFound('There is no checkpoint yet.');
      return { status: 200, raw: newest.note, contentType: 'text/plain; charset=utf-8' };
    },
  });
}

function consistency(knex: Knex): Endpoint {
  return endpoint({
    method: 'GET',
    path: '/api/v1/checkpoints/consistency',
    operationId: 'proveConsistency',
    notFound: true,
    summary: 'Prove that one checkpoint extends an earlier one',
    description: '`from` and `to` are numbers of checkpoints; the proof is that of RFC 6962 §2.1.2.',
    tags,
    access: PUBLIC,
    query: Type.Object({
      from: Id,
      to: Id,
    }),
    responses: { 200: { description: 'The proof.', schema: bodyOf(ConsistencyItem) } },
    async handle({ query }) {
      if (query.from > query.to) throw invalid({ to: ['The to must not be before the from.'] });
      const from = await requireCheckpoint(knex, query.from);
      const to = await requireCheckpoint(knex, query.to);
      return success({
        from: presentCheckpoint(from),
        to: presentCheckpoint(to),
        consistency_proof: await proveConsistency(knex, from, to),
      });
    },
  });
}

async function requireCheckpoint(knex: Knex, number: number) {
  const found = await findCheckpoint(knex, number);
  if (found === null) throw notFound('There is no such checkpoint.');
  return found;
}

function proof(knex: Knex): Endpoint {
  return endpoint({
    method: 'GET',
    path: '/api/v1/lots/{lot}/proof',
    operationId: 'proveLot',
    summary: 'Prove that the head of a lot’s journal is in the newest checkpoint',
    description: 'The head covers the whole journal up to it. 404 until a checkpoint includes the lot.',
    tags,
    access: PUBLIC,
    params: LotParams,
    responses: { 200: { description: 'The head and its inclusion proof.', schema: bodyOf(LotProofItem) } },
    async handle({ params, principal }) {
      if ((await findVisibleLot(knex, params.lot, principal)) === null)
        throw notFound('There is no such lot.');
      const found = await proveLot(knex, params.lot);
      if (found === null) throw notFound('No checkpoint includes this lot yet; the next one will.');
      return success(found);
    },
  });
}

function openings(sources: EntrySources): Endpoint {
  return endpoint({
    method: 'GET',
    path: '/api/v1/lots/{lot}/journal/openings',
    operationId: 'readOpenings',
    summary: 'Salts and amounts of the commitments that decided a lot',
    description:
      'Once the lot is over: its reserves, and each ceiling that was beaten. What nobody has beaten stays ' +
      'closed. With ' +
      '`mine` (or `mine=true`) and a token: one’s own commitments, at any time.',
    tags,
    access: PUBLIC,
    params: LotParams,
    query: Type.Object({ mine: Type.Optional(Type.Boolean({ 'x-flag': true })) }),
    responses: { 200: { description: 'The openings, by sequence.', schema: bodyOf(OpeningsItem) } },
    async handle({ params, query, principal }) {
      const lotId = params.lot;
      const auctionId = await findVisibleLot(sources.knex, lotId, principal);
      if (auctionId === null) throw notFound('There is no such lot.');
      if (query.mine === true && principal === null) throw new Refusal('unauthenticated');
      const ownerId = query.mine === true ? (principal?.userId ?? null) : null;
      const terms = await readReplayTerms(sources.knex, auctionId);
      return success({ ...(await readOpenings(sources, { auctionId, lotId }, ownerId)), terms });
    },
  });
}
