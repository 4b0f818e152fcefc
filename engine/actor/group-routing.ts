/**
 * Which lot decides what is asked of one that is offered with others (rule 25). Every lot of a group knows by its
 * group's note which carries the bidding, and its commit checks that: so what this process knows may be behind.
 */
import { carrierOf, choiceGroupOf, isOffered, readChoiceNote } from '../auction/choice-groups.ts';
import type { Command } from '../lot/commands.ts';
import { JournalUnavailable } from './journal.ts';
import type { LotActor } from './lot-actor.ts';
import type { CommandResult } from './pending-command.ts';
import { isElsewhere } from './prepare.ts';

/** So often a command is sent on within a group of lots. */
const MAX_FOLLOWED = 300;

/** Where a command is decided that counts for all lots of a group, as far as this process knows. */
export function carrierFor({ lotId, auction }: LotActor, command: Command): number {
  const isForGroup =
    command.type === 'place_bid' ||
    command.type === 'choose_lots' ||
    (command.type === 'record_sale' && command.result === 'sold');
  if (!isForGroup || command.named !== undefined) return lotId;
  const group = choiceGroupOf(auction.record?.choiceGroups, lotId);
  const text = group === null ? undefined : auction.note(group.name);
  if (group === null || text === undefined) return lotId;
  const note = readChoiceNote(text);
  return isOffered(note, lotId) ? (carrierOf(group, note) ?? lotId) : lotId;
}

/**
 * Has the lot decide that carries the bidding of the group of the one that was named; null: that one is asked first. A
 * carrier may be over by now, which is written into its journal first, and then the lot that was named is asked again.
 * Lots of a group only ever end, so that this does.
 */
export async function followGroup(
  submit: (lotId: number, command: Command) => Promise<CommandResult>,
  named: number,
  command: Command,
  carrier: number | null,
): Promise<CommandResult> {
  let next = carrier;
  for (let tries = 0; tries < MAX_FOLLOWED; tries += 1) {
    const sentTo = next ?? named;
    const result = await submit(sentTo, sentTo === named ? command : withName(command, named));
    if (result.kind !== 'answer' || !isElsewhere(result.answer)) return result;
    if (sentTo !== named) await submit(sentTo, { type: 'advance' });
    next = sentTo === named ? (result.answer.carrier ?? null) : null;
  }
  throw new JournalUnavailable(`the group of lot ${named} changes all the time`);
}

function withName(command: Command, named: number): Command {
  const { type } = command;
  return type === 'place_bid' || type === 'choose_lots' || type === 'record_sale'
    ? { ...command, named }
    : command;
}
