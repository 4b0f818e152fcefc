/** Billing's table of states and moves: the page that shows it, and the API's descriptions that come from it. */
import { readFileSync } from 'node:fs';
import { expect } from 'chai';
import {
  movesFrom,
  type Resource,
  statusesOf,
  statusSchema,
} from '../../../src/shared/statuses/billing-statuses.ts';

const RESOURCES: readonly Resource[] = ['invoice', 'settlement', 'subscription', 'offer'];

function tableOf(resource: Resource): string {
  const rows = statusesOf(resource).map((from) => {
    const to = movesFrom(resource, from).join(', ');
    return `| ${from} | ${to === '' ? 'final' : to} |`;
  });
  return ['| from | to |', '|---|---|', ...rows].join('\n');
}

describe('billing’s states and moves', () => {
  it('are as docs/states.md shows them', () => {
    const page = readFileSync(new URL('../../../docs/states.md', import.meta.url), 'utf8');
    for (const resource of RESOURCES) {
      const title = `## ${resource[0]!.toUpperCase()}${resource.slice(1)}`;
      expect(page).to.include(`${title}\n\n${tableOf(resource)}\n`);
    }
  });

  it('describe the statuses of the API', () => {
    const { description } = statusSchema('offer');
    expect(description).to.equal('Moves: offered → accepted, declined, expired.');
  });
});
