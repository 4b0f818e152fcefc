/** The sums over the processes of a family: no count ever falls, whoever is slow, stuck or gone. */
import type { ChildProcess } from 'node:child_process';
import { expect } from 'chai';
import { AggregatorRegistry, Counter, Gauge, Registry } from 'prom-client';
import { MetricsOfChildren } from '../../../../src/app/process/family-metrics.ts';
import type { Figures } from '../../../../src/app/process/process-life.ts';

/** A child that answers what it is sent, unless it is stuck. */
class FakeChild {
  readonly connected = true;
  readonly registry = new Registry();
  readonly bids = new Counter({ name: 'bids_total', help: 'b', registers: [this.registry] });
  readonly lots = new Gauge({ name: 'lots', help: 'l', registers: [this.registry] });
  stuck = false;
  found: ((all: readonly Figures[]) => void) | null = null;
  parent: MetricsOfChildren | null = null;

  send(message: { metricsWanted?: string; metricsFound?: string; all?: readonly Figures[] }): void {
    if (message.all !== undefined) this.found?.(message.all);
    const { metricsWanted: id } = message;
    if (id === undefined || this.stuck) return;
    void this.registry
      .getMetricsAsJSON()
      .then((figures) => this.parent?.hear(asChild(this), { metrics: id, figures }));
  }
}

// Cast: what the parent uses of a child process.
const asChild = (child: FakeChild) => child as unknown as ChildProcess;

describe('the metrics of several processes', () => {
  const children = new Set<FakeChild>();
  const parent = new MetricsOfChildren(() => [...children].map(asChild));

  function start(bids: number): FakeChild {
    const child = new FakeChild();
    child.parent = parent;
    child.bids.inc(bids);
    child.lots.set(1);
    children.add(child);
    return child;
  }

  async function sums(): Promise<string> {
    const [requester] = children;
    if (requester === undefined) throw new Error('no child');
    const all = await new Promise<readonly Figures[]>((resolve) => {
      requester.found = resolve;
      parent.hear(asChild(requester), { metricsOfAll: 'x' });
    });
    const text = await AggregatorRegistry.aggregate([...all]).metrics();
    return ['bids_total', 'lots'].map((name) => new RegExp(`^${name} (.*)$`, 'm').exec(text)?.[1]).join(' ');
  }

  it('have the last figures of one that does not answer', async () => {
    const [first, second] = [start(10), start(20)];
    expect(await sums()).to.equal('30 2');
    second.stuck = true;
    first.bids.inc(1);
    expect(await sums()).to.equal('31 2');
    second.stuck = false;
  });

  it('keep what one has counted that has ended, but not what it measured', async () => {
    const third = start(5);
    expect(await sums()).to.equal('36 3');
    for (const child of [third, start(7)]) {
      await sums();
      children.delete(child);
      parent.ended(asChild(child));
    }
    expect(await sums()).to.equal('43 2');
    start(1);
    expect(await sums()).to.equal('44 3');
  });
});
