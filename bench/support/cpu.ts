/**
 * The processor time that a process has used, this one or another, in microseconds. Rates on a busy machine tell of
 * the machine; processor time per unit of work depends on the work alone.
 */
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';

/** What the kernel counts `utime` and `stime` in, per second. */
let ticksPerSecond = 0;

/** User and system time of a running process so far, in µs, to the kernel's tick (10 ms mostly). Linux only. */
export function cpuOfProcessUs(pid: number): number {
  const fields = statOf(pid);
  // The 14th and 15th of all: utime and stime.
  return ((Number(fields[11]) + Number(fields[12])) * 1_000_000) / ticksOfSecond();
}

/** The process that started another. Linux only. */
export function parentOf(pid: number): number {
  return Number(statOf(pid)[1]);
}

/** The same for a process, those that it started and still run, and those that have ended. Linux only. */
export function cpuOfFamilyUs(pid: number): number {
  const fields = statOf(pid);
  const endedUs = ((Number(fields[13]) + Number(fields[14])) * 1_000_000) / ticksOfSecond();
  return childrenOf(pid).reduce((sum, child) => sum + cpuOfChildUs(child), cpuOfProcessUs(pid) + endedUs);
}

/** Of one that ends at this moment nothing is counted yet. */
function cpuOfChildUs(pid: number): number {
  try {
    return cpuOfProcessUs(pid);
  } catch {
    return 0;
  }
}

/** The processes that one has started and that still run. Linux only. */
export function childrenOf(pid: number): number[] {
  return readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').split(' ').filter(Boolean).map(Number);
}

/** The fields of `/proc/<pid>/stat` from the third on. */
function statOf(pid: number): string[] {
  const text = readFileSync(`/proc/${pid}/stat`, 'utf8');
  // The name, in parentheses, may hold spaces.
  return text.slice(text.lastIndexOf(')') + 2).split(' ');
}

function ticksOfSecond(): number {
  ticksPerSecond ||= Number(execFileSync('getconf', ['CLK_TCK'], { encoding: 'utf8' }));
  return ticksPerSecond;
}

/** User and system time of this process so far, all its threads, in µs. */
export function ownCpuUs(): number {
  const { user, system } = process.cpuUsage();
  return user + system;
}

/** A process' resident memory in bytes. Linux only. */
export function residentBytes(pid: number): number {
  const kib = /VmRSS:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1];
  return Number(kib ?? Number.NaN) * 1024;
}
