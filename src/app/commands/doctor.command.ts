/** `doctor`: checks everything that a deployment gets wrong, and says for each that it is fine, or what to do. */
import Table from 'cli-table3';
import type { Command } from 'commander';
import { InputError } from '../../shared/input-error.ts';
import { type Config, loadConfig } from '../config/config.ts';
import type { Finding } from '../doctor/finding.ts';
import { findServers } from './command-servers.ts';
import { reporting } from './outcome.ts';

export function addDoctorCommand(program: Command): void {
  const command = program
    .command('doctor')
    .description('check a deployment for common mistakes; exits 1 if anything needs attention');
  reporting(command, async () => {
    const findings = await examineAll();
    const wrong = findings.filter(({ ok }) => !ok).length;
    const summary = wrong === 0 ? 'Everything is fine.' : `${wrong} to fix.`;
    return {
      result: { ok: wrong === 0, findings },
      text: `${tableOf(findings)}\n${summary}`,
      exitCode: wrong === 0 ? 0 : 1,
    };
  });
}

/** A configuration that cannot be read is the first thing to mend, and the only one that can be reported. */
async function examineAll(): Promise<Finding[]> {
  let config: Config;
  try {
    config = loadConfig();
  } catch (error) {
    if (!(error instanceof InputError)) throw error;
    return [{ name: 'configuration', ok: false, found: error.message, todo: 'Change the environment.' }];
  }
  const servers = await findServers(config);
  try {
    const { examine } = await import('../doctor/examine.ts');
    const found = `${config.environment}; every variable is valid`;
    return [{ name: 'configuration', ok: true, found }, ...(await examine(config, servers))];
  } finally {
    await servers.close();
  }
}

function tableOf(findings: readonly Finding[]): string {
  const table = new Table({
    head: ['', 'looked at', 'found', 'to do'],
    colWidths: [6, 22, 46, 44],
    wordWrap: true,
    style: { head: [], border: [] },
  });
  for (const { ok, name, found, todo } of findings) table.push([ok ? 'fine' : 'DO', name, found, todo ?? '']);
  return table.toString();
}
