/** What can be lost, and what the operator types then. */
import type { Deployment } from './deployment.ts';

export interface Loss {
  readonly name: string;
  /** What is kept for bad days, taken under bids. */
  readonly copy: (deployment: Deployment) => Promise<void>;
  readonly damage: (deployment: Deployment) => Promise<void>;
  readonly repair: (deployment: Deployment) => Promise<void>;
  /** Bids of after the copy are all there in the end. */
  readonly keepsAll: boolean;
  /** Every lot's journal is whole, as anybody outside can check. */
  readonly keepsChains: boolean;
}

const backUp = async (deployment: Deployment) => {
  await deployment.must('backup', deployment.backupFolder);
};

/** Postgres is restored from the backup, and Redis is unchanged. */
async function postgresAlone(deployment: Deployment): Promise<void> {
  await deployment.untilReadyz(/^503/);
  await deployment.stopProcesses();
  const { said } = await deployment.type('restore', deployment.backupFolder);
  if (!said.includes('--only postgres')) throw new Error(`it does not say what to type: ${said}`);
  await deployment.must('restore', deployment.backupFolder, '--only', 'postgres');
  await deployment.startProcesses();
}

export const LOSSES: readonly Loss[] = [
  {
    name: 'Redis lost, Postgres kept',
    copy: backUp,
    async damage(deployment) {
      await deployment.untilProjected();
      await deployment.loseRedis();
    },
    async repair(deployment) {
      await deployment.untilReadyz(/journal rebuild/);
      await deployment.must('journal', 'rebuild');
    },
    keepsAll: true,
    keepsChains: true,
  },
  {
    name: 'Postgres lost, Redis kept',
    copy: backUp,
    damage: (deployment) => deployment.losePostgres(),
    repair: postgresAlone,
    keepsAll: true,
    keepsChains: true,
  },
  {
    name: 'both restored from the backup',
    copy: backUp,
    async damage(deployment) {
      await deployment.losePostgres();
      await deployment.loseRedis();
    },
    async repair(deployment) {
      await deployment.untilReadyz(/^503/);
      await deployment.stopProcesses();
      await deployment.must('restore', deployment.backupFolder);
      await deployment.startProcesses();
    },
    keepsAll: false,
    keepsChains: true,
  },
  {
    name: 'Redis older than Postgres',
    copy: (deployment) => deployment.copyRedis(),
    async damage(deployment) {
      await deployment.untilProjected();
      await deployment.putRedisBack();
    },
    async repair(deployment) {
      await deployment.untilReadyz(/older than what was acknowledged.*journal rebuild/);
      await deployment.must('journal', 'rebuild');
    },
    keepsAll: true,
    keepsChains: true,
  },
  {
    name: 'Postgres older, and the journal was trimmed',
    copy: backUp,
    async damage(deployment) {
      await deployment.untilProjected();
      await deployment.trimLogs();
      await deployment.losePostgres();
    },
    async repair(deployment) {
      await postgresAlone(deployment);
      await deployment.untilReadyz(/journal bridge/);
      await deployment.stopProcesses();
      await deployment.must('journal', 'bridge');
      await deployment.startProcesses();
    },
    keepsAll: false,
    keepsChains: false,
  },
];
