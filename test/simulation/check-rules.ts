/**
 * Whether the rules were kept: the journal's log is replayed in its order through the naive model of each auction's
 * format, which must reach the same outcome at every step, and every refusal must have been correct at some point
 * between its request and its answer.
 */

import { firstSubmitted, groupsOf } from './check-answers.ts';
import type { LoggedEntry } from './check-run.ts';
import { refereeOf } from './formats/played.ts';
import type { Refusal } from './formats/referee.ts';
import type { History } from './history.ts';
import type { World } from './world.ts';

export function checkRules(world: World, history: History, logged: readonly LoggedEntry[]): void {
  const { plan, redis, trace } = world;
  const refusals = refusalsOf(world, history);
  const entries = new Map(logged.map((one) => [one.frame, one]));
  const cents = new Map(
    history.operations.flatMap(({ attempts }) =>
      attempts.map(({ command }) => [
        command.bidId,
        command.type === 'place_bid' ? command.straightCents : null,
      ]),
    ),
  );
  for (const record of plan.auctions) {
    const { auctionId } = record;
    const referee = refereeOf(plan, record, (bidId) => cents.get(bidId) ?? 0);
    let open = refusals.filter((refusal) => refusal.auctionId === auctionId);
    const test = (frame: number) => {
      open = open.filter((refusal) => {
        if (refusal.fromFrame > frame || refusal.toFrame < frame) return true;
        return !referee.momentsOf(refusal).some((atUs) => referee.isRight(refusal, atUs));
      });
    };
    const outages = [...redis.outages];
    const outlast = (at: number) => {
      for (; outages[0] !== undefined && outages[0].frame <= at; outages.shift()) {
        test(at);
        referee.outlast(outages[0]);
      }
    };
    redis.store.log.forEach((frame, at) => {
      if (trace.failure !== null) return;
      outlast(at);
      if (frame.kind === 'auction') {
        test(at);
        if (frame.auctionId === auctionId) referee.follow(frame.event);
        return;
      }
      if (frame.entry.auctionId !== auctionId) test(at);
      else
        for (const event of referee.eventsOf(entries.get(at)!.events)) {
          test(at);
          const { lotId, recordedAtUs } = frame.entry;
          const wrong = referee.replay(lotId, event, recordedAtUs);
          if (wrong !== null) trace.fail(`lot ${lotId}, ${JSON.stringify(event)}: ${wrong}`);
        }
    });
    if (trace.failure !== null) return;
    outlast(redis.store.log.length);
    test(redis.store.log.length);
    const [wrong] = open;
    if (wrong !== undefined)
      trace.fail(`operation ${wrong.id} was refused without a reason: ${JSON.stringify(wrong)}`);
  }
}

function refusalsOf({ redis }: World, history: History): Refusal[] {
  return groupsOf(history).flatMap((group) =>
    group.flatMap(({ operation: { id, auctionId, lotId }, attempt }) => {
      const { result, command } = attempt;
      if (result?.kind !== 'answer' || result.answer.kind !== 'refused') return [];
      const first = group.find((one) => one.attempt.submitted.frames === firstSubmitted(group))!.attempt
        .submitted;
      const from = result.replayed ? first : attempt.submitted;
      const to = attempt.answered!;
      const clocks = [from.clockUs, to.clockUs, ...redis.clocksAroundSteps.slice(from.steps, to.steps)];
      return [
        {
          ...{ id, auctionId, lotId, command, answer: result.answer },
          ...{ fromFrame: from.frames, toFrame: to.frames },
          ...{ fromUs: Math.min(...clocks), toUs: Math.max(...clocks) },
        },
      ];
    }),
  );
}
