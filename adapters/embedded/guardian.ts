/**
 * The guardian: a shell process in its own session, whose standard input closes when this process dies, even by
 * SIGKILL. It is sent the programs' process ids line by line and, once the pipe has closed, stops those that are left
 * within five seconds. Started by the supervisor of the pair; costs about one megabyte.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { Socket } from 'node:net';

// Its arguments are programs that run already, as name=pid. A line is "name pid"; one without a pid says that the
// program has ended. Postgres: INT is its fast shutdown, QUIT its immediate one. Every other program gets TERM.
const script = `
trap '' HUP INT TERM
entries=$*
while read -r name pid; do
  kept=
  for entry in $entries; do [ "\${entry%%=*}" = "$name" ] || kept="$kept $entry"; done
  entries=$kept
  [ -z "$pid" ] || entries="$entries $name=$pid"
done
send() {
  for entry in $entries; do
    signal=$2
    [ "\${entry%%=*}" = postgres ] && signal=$1
    kill -s "$signal" "\${entry#*=}" 2>/dev/null
  done
}
send INT TERM
tries=0
while [ $tries -lt 35 ]; do
  alive=
  for entry in $entries; do kill -s 0 "\${entry#*=}" 2>/dev/null && alive=yes; done
  [ -z "$alive" ] && exit 0
  [ $tries -eq 25 ] && send QUIT TERM
  sleep 0.1
  tries=$((tries + 1))
done
send KILL KILL
`;

/** Watches over this process on behalf of the servers. */
export interface Guardian {
  /** Says which process a program (one word) is now; undefined when it has ended. Postgres is named `postgres`. */
  watch(name: string, pid: number | undefined): void;
  /** Lets the guardian go; call it when both servers are stopped. */
  release(): void;
}

/** Starts the guardian; one that dies is started again and knows everything that the one before did. */
export function startGuardian(): Guardian {
  const pids = new Map<string, number | undefined>();
  let released = false;
  let child: ChildProcess | undefined;
  const send = (name: string, pid: number | undefined) => child?.stdin?.write(`${name} ${pid ?? ''}\n`);

  const launch = () => {
    // With its arguments it knows them from its first moment, even if this process is killed in the next.
    const running = [...pids].flatMap(([name, pid]) => (pid === undefined ? [] : [`${name}=${pid}`]));
    const next = spawn('/bin/sh', ['-c', script, 'rostrum-guardian', ...running], {
      cwd: '/',
      detached: true,
      env: { PATH: '/usr/bin:/bin' },
      stdio: ['pipe', 'ignore', 'ignore'],
    });
    // A guardian that was killed breaks the pipe: its 'exit' is where that is dealt with.
    next.stdin.on('error', () => undefined);
    next.once('error', () => undefined);
    next.once('exit', () => {
      if (!released) launch();
    });
    next.unref();
    if (next.stdin instanceof Socket) next.stdin.unref();
    child = next;
  };
  launch();

  return {
    watch(name, pid) {
      pids.set(name, pid);
      send(name, pid);
    },
    release() {
      released = true;
      for (const name of pids.keys()) send(name, undefined);
      child?.stdin?.end();
    },
  };
}
