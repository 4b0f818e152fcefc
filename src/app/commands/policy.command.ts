/** `policy`: prints who may do what, when: the tables that the service judges by. */
import type { Command } from 'commander';
import { namesIn } from '../../../engine/objects.ts';
import { InputError } from '../../shared/input-error.ts';
import { POLICIES, policyMarkdown } from '../../shared/policy/policies.ts';
import type { Policy } from '../../shared/policy/policy.ts';
import { WHO } from '../../shared/policy/who.ts';
import { reporting } from './outcome.ts';

export function addPolicyCommand(program: Command): void {
  const command = program
    .command('policy')
    .description('print who may do what, when: for each resource, action, state and kind of person')
    .argument('[resource]', `one of ${POLICIES.map(({ resource }) => resource).join(', ')}`);
  reporting(command, async (resource?: string) => {
    const found = POLICIES.filter((table) => resource === undefined || table.resource === resource);
    if (found.length === 0) throw new InputError(`resource: there is no "${resource}"`);
    return {
      result: { who: WHO, resources: found.map(plain) },
      text: found.map((table) => policyMarkdown(table)).join('\n\n'),
    };
  });
}

/** A table with its rows from the top; the first that fits counts, and what none names is hidden. */
function plain({ resource, about, states, actions }: Policy) {
  return {
    resource,
    about,
    states,
    actions: namesIn(actions).map((action) => {
      const { does, by, rows } = actions[action] ?? { does: 'reads', by: [], rows: [] };
      const spoken = rows.map(([of, who, verdict]) => ({ states: of === 'any' ? states : of, who, verdict }));
      return { action, does, by, rows: spoken };
    }),
  };
}
