import { readdirSync, readFileSync } from 'node:fs';
import { join, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';
import { endpoint } from '../../../../adapters/http/endpoint.ts';
import { codesOf } from '../../../../adapters/http/openapi-answers.ts';
import { HTTP_ERRORS, Problem } from '../../../../adapters/http/problem.ts';
import { JournalUnavailable, LotMissing, Overloaded } from '../../../../engine/actor/journal.ts';
import { ERROR_TABLE, REFUSAL_ANSWERS } from '../../../../src/app/web/refusal-answers.ts';
import { ENGINE_REFUSALS } from '../../../../src/bidding/refusals.ts';
import { POLICIES } from '../../../../src/shared/policy/policies.ts';
import { REFUSALS, Refusal } from '../../../../src/shared/refusal.ts';

const ROOT = fileURLToPath(new URL('../../../../', import.meta.url));
/** Where codes occur without being thrown: their messages, their statuses. */
const TABLES = ['src/shared/refusal.ts', 'src/app/web/refusal-answers.ts'];

function sources(folder: string): Map<string, string> {
  const files = readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' });
  return new Map(
    files
      .filter((file) => file.endsWith('.ts'))
      .map((file) => [
        `${folder}/${file.split(sep).join('/')}`,
        readFileSync(join(ROOT, folder, file), 'utf8'),
      ]),
  );
}

const SRC = sources('src');
const ADAPTER = sources('adapters/http');

/** The codes that `pattern` captures, outside of the tables. */
function thrown(files: ReadonlyMap<string, string>, pattern: RegExp): Set<string> {
  const codes = new Set<string>();
  for (const [path, text] of files) {
    if (TABLES.includes(path)) continue;
    for (const [, code] of text.matchAll(pattern)) if (code !== undefined) codes.add(code);
  }
  return codes;
}

describe('the table of refusals', () => {
  const refused = new Set([
    // Some have a class of their own.
    ...thrown(SRC, /\b(?:new Refusal|super)\(\s*'(\w+)'/g),
    // Codes of the floor are handed on by name.
    ...thrown(SRC, /\bcode === '(platform_not_allowed|not_simulcast|ambiguous_lot)'/g),
    ...Object.values(ENGINE_REFUSALS),
    // The tables of who may do what name the code of each refusal.
    ...POLICIES.flatMap(({ actions }) =>
      Object.values(actions).flatMap(({ rows }) => rows.map(([, , verdict]) => verdict)),
    ).filter((verdict) => verdict !== 'allowed' && verdict !== 'hidden'),
  ]);

  it('has every code that is used, and a status and a message for each', () => {
    for (const code of refused) {
      if (code === null) continue;
      expect(Object.hasOwn(REFUSALS, code) || Object.hasOwn(HTTP_ERRORS, code), code).to.equal(true);
    }
    for (const [code, { status, message }] of Object.entries(ERROR_TABLE)) {
      expect(status, code).to.be.within(400, 503);
      expect(message, code).to.match(/^[A-Z].*[.]$/);
    }
  });

  it('has no code that is never used', () => {
    const byName = new Set(['not_found', 'forbidden', 'overloaded', 'journal_unavailable']);
    const dead = Object.keys(REFUSALS).filter((code) => !refused.has(code) && !byName.has(code));
    expect(dead).to.deep.equal([]);
    // Requests that are no HTTP are answered beside the pipeline.
    const unframed = thrown(ADAPTER, /(?:\b(?:HPE|ERR)_\w+:|\[error\.code \?\? ''\] \?\?) '(\w+)'/g);
    const http = new Set([...thrown(ADAPTER, /\brefuse\(\s*'(\w+)'/g), ...unframed]);
    expect(Object.keys(HTTP_ERRORS).filter((code) => !http.has(code) && !refused.has(code))).to.deep.equal(
      [],
    );
  });

  it('is the only place where a status is said', () => {
    const sayers = [...SRC].filter(([, text]) => /\bnew Problem\(/.test(text)).map(([path]) => path);
    // A part of a file that is not there is a matter of the protocol.
    expect(sayers.sort()).to.deep.equal([
      'src/app/web/refusal-answers.ts',
      'src/media/media-files.endpoints.ts',
    ]);
  });

  it('knows no auction words in the HTTP adapter', () => {
    const own = Object.keys(REFUSALS).filter((code) => !['not_found', 'forbidden'].includes(code));
    const words = new RegExp(`'(${own.join('|')})'`);
    expect([...ADAPTER].filter(([, text]) => words.test(text)).map(([path]) => path)).to.deep.equal([]);
  });
});

describe('a refusal over HTTP', () => {
  const answer = (error: unknown) => REFUSAL_ANSWERS.problemOf(error);

  it('has its status, code, message and remedy', () => {
    const detail = { data: { allowed: [] }, errors: { status: ['No.'] } };
    const problem = answer(new Refusal('invalid_transition', detail));
    expect(problem).to.include({
      status: 409,
      code: 'invalid_transition',
      message: REFUSALS.invalid_transition,
    });
    expect(problem).to.deep.include({ ...detail, headers: {} });
    expect(answer(new Refusal('validation_failed', { message: 'So.' }))).to.include({
      status: 422,
      message: 'So.',
    });
  });

  it('has no code where the status is enough', () => {
    expect(answer(new Refusal('not_found'))).to.include({ status: 404, code: null, message: 'Not found.' });
    expect(answer(new Refusal('others_invoice'))).to.include({ status: 403, code: null });
  });

  it('says when to try again, and that it was refused before', () => {
    expect(answer(new Refusal('rate_limited', { retryAfterS: 7 }))?.headers).to.deep.equal({
      'Retry-After': '7',
    });
    expect(answer(new Refusal('overloaded'))?.headers).to.deep.equal({ 'Retry-After': '1' });
    const replayed = answer(new Refusal('lot_closed', { replayed: true }))?.headers;
    expect(replayed).to.deep.equal({ 'Idempotency-Replayed': 'true' });
  });

  it('is described for whatever changes something, where another request was faster', () => {
    const described = (method: 'GET' | 'DELETE') =>
      codesOf(
        endpoint({
          ...{ method, path: '/api/v1/lots/{lot}', operationId: 'lot', summary: 'A lot', tags: [] },
          ...{ access: { kind: 'public' }, responses: {}, handle: async () => ({ status: 204 }) },
        }),
        ERROR_TABLE,
      );
    for (const sqlState of ['23505', '40P01', '40001']) {
      const code = answer(Object.assign(new Error(), { code: sqlState }))?.code;
      expect(described('DELETE')).to.include(code);
      expect(described('GET')).not.to.include(code);
    }
  });

  it('is what faults of the engine become, and nothing else does', () => {
    expect(answer(new Overloaded('full'))).to.include({ status: 503, code: 'overloaded' });
    for (const fault of [new JournalUnavailable('no'), new LotMissing(7)]) {
      expect(answer(fault)).to.include({ status: 503, code: 'journal_unavailable' });
    }
    const own = new Problem(416, null, 'No such part.');
    expect(answer(own)).to.equal(own);
    for (const bug of [new Error('lot_closed'), { status: 409, code: 'lot_closed' }, 'lot_closed', null]) {
      expect(answer(bug)).to.equal(null);
    }
  });
});
