import { readdirSync, readFileSync } from 'node:fs';
import { mock } from 'node:test';
import { setTimeout as sleep, setImmediate as turn } from 'node:timers/promises';
import { expect } from 'chai';
import { present } from '../../../../engine/first-of.ts';
import type { Derivation } from '../../../../src/accounts/people/derivation.ts';
import { HashQueue } from '../../../../src/accounts/people/hash-queue.ts';
import { verifyPassword } from '../../../../src/accounts/people/password.ts';
import { StrangersQueues } from '../../../../src/accounts/people/strangers-queues.ts';
import type { Refusal } from '../../../../src/shared/refusal.ts';
import { quickHash } from '../../../support/browser-like.ts';

/** Work that ends on command, and records that it began. */
function hand() {
  const began: string[] = [];
  const endings: (() => void)[] = [];
  const work = (name: string) => () => {
    began.push(name);
    return new Promise<void>((resolve) => endings.push(resolve));
  };
  const finish = async () => {
    endings.shift()?.();
    await turn();
  };
  return { began, work, finish };
}

describe('The queue of password hashes', () => {
  it('works on one at a time; accounts alternate, and so do callers within one', async () => {
    const queue = new HashQueue();
    const { began, work, finish } = hand();
    const enqueue = (name: string) =>
      queue.run(work(name), { group: name.slice(0, 1), caller: name.slice(0, 2), suspicion: 0 });
    const pending = ['aa1', 'aa2', 'aa3', 'ab1', 'ac1', 'ba1', 'ba2'].map(enqueue);
    for (let n = 0; n < 7; n++) await finish();
    await Promise.all(pending);
    expect(began).to.deep.equal(['aa1', 'ba1', 'aa2', 'ba2', 'ab1', 'ac1', 'aa3']);
    expect(queue.waiting).to.equal(0);
  });

  it('holds as many as are hashed in ten seconds, and drops one of the greediest for a newcomer', async () => {
    const queue = new HashQueue();
    const { began, work, finish } = hand();
    const refusals: Refusal[] = [];
    const enqueue = (caller: string, group = 'attacked') =>
      queue
        .run(work(caller), { caller, group, suspicion: 0 })
        .catch((error: Refusal) => void refusals.push(error));
    const pending = Array.from({ length: queue.capacity + 5 }, () => enqueue('greedy'));
    await sleep(0);
    expect(queue.waiting).to.equal(queue.capacity);
    expect(refusals).to.have.length(4);
    expect(refusals[0]).to.include({ code: 'overloaded' });
    expect(refusals[0]?.retryAfterS).to.be.within(9, 11);
    pending.push(enqueue('owner'), enqueue('somebody else', 'another'));
    await sleep(0);
    expect(refusals).to.have.length(6);
    await finish();
    await finish();
    await finish();
    await finish();
    expect(began[1], 'another account is next').to.equal('somebody else');
    expect(began.slice(0, 4)).to.include('owner');
    for (let left = queue.waiting + 1; left > 0; left--) await finish();
    await Promise.all(pending);
  });

  it('is full only for those who try the account that fills it', async () => {
    const queue = new HashQueue();
    const { began, work, finish } = hand();
    const enqueue = (caller: string, group: string) =>
      queue
        .run(work(caller), { caller, group, suspicion: 0 })
        .catch(() => void began.push(`refused ${caller}`));
    const many = Array.from({ length: queue.capacity + 1 }, (_, n) => enqueue(`guesser ${n}`, 'attacked'));
    await sleep(0);
    many.push(enqueue('one more', 'attacked'), enqueue('somebody else', 'another'));
    await sleep(0);
    expect(began[1]).to.equal('refused one more');
    expect(began[2]).to.match(/^refused guesser/);
    await finish();
    expect(began.at(-1)).to.equal('somebody else');
    for (let left = queue.waiting + 1; left > 0; left--) await finish();
    await Promise.all(many);
  });

  it('prefers people from addresses without attempts over a flood, and makes nobody wait for ever', async () => {
    const queue = new HashQueue();
    const { began, work, finish } = hand();
    const enqueue = (caller: string, suspicion: number, group = 'attacked') =>
      queue.run(work(caller), { caller, group, suspicion }).catch(() => void began.push(`refused ${caller}`));
    // Each from an address of its own: none of them is greedier than the owner.
    const pending = Array.from({ length: queue.capacity + 1 }, (_, n) => enqueue(`guesser ${n}`, 3 + n));
    await sleep(0);
    pending.push(enqueue('bystander', 900, 'their own'));
    await sleep(0);
    pending.push(enqueue('owner', 0));
    await sleep(0);
    expect(began, 'who tries another account makes room for nobody').not.to.include('refused bystander');
    expect(began.at(-1), 'the most suspected makes room').to.equal(`refused guesser ${queue.capacity - 1}`);
    for (let n = 0; n < 3; n++) await finish();
    expect(began.slice(2)).to.include('owner');
    // From here on somebody less suspected comes before each turn; the first guesser of the line gets theirs all the
    // same.
    const next = began.length;
    for (let n = 0; n < 6; n++) {
      pending.push(enqueue(`newcomer ${n}`, 0));
      await sleep(0);
      await finish();
    }
    const turns = began.slice(next).filter((name) => !name.startsWith('refused'));
    expect(turns.filter((name) => name.startsWith('guesser')).length).to.be.at.least(2);
    expect(turns.filter((name) => name.startsWith('newcomer')).length).to.be.at.least(3);
    pending.push(enqueue('somebody else', 500, 'another'));
    await sleep(0);
    await finish();
    expect(began.at(-1), 'accounts take turns whatever is suspected').to.equal('somebody else');
    for (let left = queue.waiting + 1; left > 0; left--) await finish();
    await Promise.all(pending);
  });

  it('delays repeated wrong passwords of one account, and nobody else', async () => {
    const queue = new HashQueue();
    for (let n = 0; n < 40; n++) queue.noteWrong();
    const began: string[] = [];
    const atMs: number[] = [];
    const enqueue = (name: string, group: string) =>
      queue.run(
        async () => {
          began.push(name);
          atMs.push(performance.now());
          await sleep(60);
        },
        { caller: name, group, suspicion: 0 },
      );
    const pending = [enqueue('first', 'attacked'), enqueue('second', 'attacked')];
    await Promise.all(pending);
    expect((atMs[1] ?? 0) - (atMs[0] ?? 0), 'worked and rested').to.be.above(110);
    await Promise.all([enqueue('third', 'attacked'), enqueue('somebody else', 'another')]);
    expect(began).to.deep.equal(['first', 'second', 'somebody else', 'third']);
  });

  it('keeps nobody for more than ten seconds, however slow hashes have become', async () => {
    mock.timers.enable({ apis: ['setTimeout'] });
    try {
      const queue = new HashQueue();
      const { began, work, finish } = hand();
      const enqueue = (caller: string) =>
        queue
          .run(work(caller), { caller, group: 'attacked', suspicion: 0 })
          .catch(({ code }: Refusal) => void began.push(`${caller}: ${code}`));
      const slow = enqueue('slow');
      const early = [enqueue('greedy'), enqueue('greedy')];
      mock.timers.tick(6_000);
      const late = enqueue('late');
      mock.timers.tick(4_000);
      await turn();
      expect(began).to.deep.equal(['slow', 'greedy: overloaded', 'greedy: overloaded']);
      expect(queue.waiting).to.equal(1);
      await finish();
      mock.timers.tick(60_000);
      expect(began.at(-1), 'whoever had their turn is not sent away').to.equal('late');
      await finish();
      await Promise.all([slow, late, ...early]);
    } finally {
      mock.timers.reset();
    }
  });

  it('is longer the faster hashes are made', async () => {
    const queue = new HashQueue();
    const [before, requester] = [queue.capacity, { caller: 'a', group: 'a', suspicion: 0 }];
    for (let n = 0; n < 20; n++) await queue.run(async () => undefined, requester);
    expect(queue.capacity).to.be.above(before * 10);
    const failed = await queue.run(() => Promise.reject(new Error('no')), requester).catch(String);
    expect(failed).to.equal('Error: no');
    expect(await queue.run(async () => 'next', requester)).to.equal('next');
  });
});

/** Threads of this process of which the niceness is ten above its own. */
function patientThreads(): number {
  const niceness = readdirSync('/proc/self/task').map((id) =>
    Number(readFileSync(`/proc/self/task/${id}/stat`, 'utf8').split(') ').at(-1)?.split(' ')[16]),
  );
  const own = Math.min(...niceness);
  return niceness.filter((nice) => nice >= Math.min(19, own + 10)).length;
}

describe('A stranger’s password', () => {
  it('is hashed in a thread that leaves the processor to the rest once the account is guessed at', async () => {
    const hash = quickHash('a long enough password');
    const client = { known: false, group: 'somebody', ip: '192.0.2.1' } as const;
    const before = patientThreads();
    for (let n = 0; n < 9; n++) {
      expect(await verifyPassword('a long enough password', hash, client)).to.equal(true);
    }
    expect(patientThreads(), 'right ones are no guesses').to.equal(before);
    for (let n = 0; n < 9; n++) expect(await verifyPassword('another', hash, client)).to.equal(false);
    expect(await verifyPassword('a long enough password', hash, client)).to.equal(true);
    // A thread that such a thread starts is as patient, so their number is not ours to say.
    if (process.platform === 'linux') expect(patientThreads()).to.be.at.least(1);
  });
});

describe('Strangers who sign in', () => {
  /** Strangers whose hashes end on command; everything at `attacked` is wrong. */
  function strangersByHand() {
    const { began, work, finish } = hand();
    const [calm, later] = ['calm', 'later'].map((queue) => async ({ password }: Derivation) => {
      await work(`${password} ${queue}`)();
      return new Uint8Array();
    });
    const queues = new StrangersQueues(present(calm), present(later));
    const send = (name: string, group: string, ip: string, isFamiliar = false) =>
      queues
        .verify(
          { known: false, group, ip, isFamiliar: async () => isFamiliar },
          { password: name, salt: new Uint8Array(), keyBytes: 1, options: {} },
          () => !group.startsWith('attacked'),
        )
        .catch(() => void began.push(`refused ${name}`));
    return { began, finish, send };
  }

  it('are hashed at once where nobody guesses, whatever waits at other accounts, unless all accounts are tried', async () => {
    const { began, finish, send } = strangersByHand();
    const all = Array.from({ length: 20 }, (_, n) => send(`guess ${n}`, 'attacked', `20.${n}.0.1`));
    for (let n = 0; n < 12; n++) await finish();
    all.push(send('bystander', 'another', '192.0.2.2'));
    await sleep(0);
    expect(began).to.include('guess 4 calm').and.include('guess 6 later').and.not.include('guess 6 calm');
    expect(began.at(-1)).to.equal('bystander calm');
    // Somebody with the right password is not taken for a guesser.
    for (let n = 0; n < 9; n++) all.push(send('often', 'their own', '192.0.2.3'));
    while (began.filter((name) => name.startsWith('often')).length < 9) await finish();
    expect(began.filter((name) => name === 'often later').length, 'nine at once').to.be.within(3, 4);
    for (let n = 0; n < 9; n++) {
      all.push(send('again', 'their own', '192.0.2.3'));
      await sleep(0);
      for (let turns = 0; turns < 3; turns++) await finish();
    }
    expect(began.at(-1)).to.equal('again calm');
    for (let n = 0; n < 40; n++) {
      all.push(send('each once', `attacked ${n}`, `30.${n}.0.1`));
      await sleep(0);
      for (let turns = 0; turns < 3; turns++) await finish();
    }
    expect(began.at(-1)).to.equal('each once later');
  });

  it('are let in during a flood from everywhere if they come back, or come from where they have been before', async () => {
    const { began, finish, send } = strangersByHand();
    let n = 0;
    const all: Promise<unknown>[] = [];
    // Each from a network of its own: nobody tries twice.
    const guess = () => all.push(send('guess', 'attacked', `${20 + (n >> 8)}.${n++ & 255}.0.1`));
    const flood = async () => {
      while (began.at(-1) !== 'refused guess') {
        guess();
        await sleep(0);
      }
    };
    await flood();
    all.push(send('owner', 'attacked', '192.0.2.1'));
    await sleep(0);
    expect(began.at(-1), 'as anybody who comes for the first time').to.equal('refused owner');
    all.push(send('owner', 'attacked', '192.0.2.1'));
    await sleep(0);
    expect(began.at(-1), 'they have made room').to.equal('refused guess');
    all.push(send('at home', 'attacked', '198.51.100.7', true));
    const served = began.length;
    for (let turns = 0; turns < 12; turns++) {
      await finish();
      await flood();
    }
    const turns = began.slice(served).filter((name) => !name.startsWith('refused'));
    expect(turns).to.include('owner later').and.include('at home calm');
  });
});
