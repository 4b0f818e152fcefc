import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { loadConfig } from '../../../../src/app/config/config.ts';
import { ConfigError, type Environment } from '../../../../src/app/config/environment-reader.ts';

describe('the configuration', () => {
  let folder: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'rostrum-config-'));
  });
  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  const load = (env: Environment = {}) => loadConfig({ DATA_DIR: folder, ...env });

  it('has defaults for everything', () => {
    const config = load({ PORT: '', DATABASE_URL: ' ' });
    expect(config).to.deep.include({
      environment: 'development',
      host: '127.0.0.1',
      port: 8080,
      portGiven: false,
      databaseUrl: null,
      redisUrl: null,
      rateLimitPerMinute: 60,
      mediaStorage: { kind: 'file', folder: join(folder, 'media') },
      trustProxy: [],
      webhookAllowLoopback: false,
      allowWeakDurability: false,
      logLevel: 'info',
    });
    expect(config.webhookRetrySchedule).to.deep.equal([
      0, 5, 300, 1800, 7200, 18000, 36000, 50400, 72000, 86400,
    ]);
  });

  it('generates development secrets once and keeps them private', () => {
    const first = load();
    const file = join(folder, 'secrets.json');
    expect(statSync(file).mode & 0o777).to.equal(0o600);
    expect(first.secretsFile).to.equal(file);
    expect(load().appSecrets).to.deep.equal(first.appSecrets);
    const mixed = load({ APP_SECRET: 'mine' });
    expect(mixed.appSecrets).to.deep.equal(['mine']);
    expect(mixed.paymentWebhookSecret).to.equal(first.paymentWebhookSecret);
    expect(readFileSync(file, 'utf8')).to.include(first.paymentWebhookSecret);
  });

  it('reads its input', () => {
    const config = load({
      PORT: '0',
      APP_SECRET: 'new, old',
      PAYMENT_WEBHOOK_SECRET: 'p',
      SIMULCAST_SECRETS: 'floor-one=a=b,two=c',
      MEDIA_STORAGE: 's3://bucket/some/where?endpoint=http://127.0.0.1:9000',
      TRUST_PROXY: '10.0.0.1, fd00::/8',
      WEBHOOK_RETRY_SCHEDULE: '0,0.5,2',
      WEBHOOK_ALLOW_LOOPBACK: '1',
      REDIS_URL: 'redis-cluster://127.0.0.1:7000,127.0.0.1:7001',
    });
    expect(config).to.deep.include({
      port: 0,
      portGiven: true,
      appSecrets: ['new', 'old'],
      secretsFile: null,
      mediaStorage: {
        kind: 's3',
        bucket: 'bucket',
        prefix: 'some/where',
        endpoint: 'http://127.0.0.1:9000',
        region: 'us-east-1',
      },
      trustProxy: ['10.0.0.1', 'fd00::/8'],
      webhookRetrySchedule: [0, 0.5, 2],
      webhookAllowLoopback: true,
    });
    expect([...config.simulcastSecrets]).to.deep.equal([
      ['floor-one', 'a=b'],
      ['two', 'c'],
    ]);
    expect(load({ SECURITY_CONTACT: 'safe@example.com' }).securityContact).to.equal(
      'mailto:safe@example.com',
    );
    expect(load({ SECURITY_CONTACT: 'https://example.com/report' }).securityContact).to.equal(
      'https://example.com/report',
    );
    expect(load({}).securityContact).to.equal(null);
    expect(load({ MEDIA_STORAGE: 'file:/srv/media' }).mediaStorage).to.deep.equal({
      kind: 'file',
      folder: '/srv/media',
    });
  });

  const WRONG: [string, string][] = [
    ['PORT', 'http'],
    ['PORT', '65536'],
    ['PORT', '-1'],
    ['PORT', '80.5'],
    ['NODE_ENV', 'live'],
    ['DATABASE_URL', 'mysql://host/db'],
    ['DATABASE_URL', 'localhost'],
    ['REDIS_URL', 'http://host'],
    ['REDIS_URL', 'redis-cluster://host'],
    ['RATE_LIMIT_PER_MINUTE', 'many'],
    ['APP_SECRET', 'new,,old'],
    ['SIMULCAST_SECRETS', 'floor'],
    ['SIMULCAST_SECRETS', 'floor='],
    ['SIMULCAST_SECRETS', 'a=1,a=2'],
    ['MEDIA_STORAGE', 'ftp://x'],
    ['MEDIA_STORAGE', 'file:'],
    ['MEDIA_STORAGE', 's3://bucket?endpoint=nowhere'],
    ['TRUST_PROXY', 'everybody'],
    ['PUBLIC_URL', 'example.com'],
    ['SECURITY_CONTACT', 'the porter'],
    ['SECURITY_CONTACT', 'http://example.com'],
    ['SECURITY_CONTACT', 'javascript:alert(1)'],
    ['WEBHOOK_RETRY_SCHEDULE', '0,soon'],
    ['WEBHOOK_ALLOW_LOOPBACK', 'maybe'],
    ['LOG_LEVEL', 'loud'],
    ['SMTP_URL', 'https://mail.example.com'],
    ['MAIL_FROM', 'nobody'],
  ];
  for (const [name, value] of WRONG) {
    it(`refuses ${name}=${value} in one sentence that names it`, () => {
      expect(() => load({ [name]: value })).to.throw(ConfigError, new RegExp(`^${name}: got .* it takes `));
    });
  }

  it('says how an accepted address begins', () => {
    for (const name of ['DATABASE_URL', 'REDIS_URL', 'MEDIA_STORAGE', 'SMTP_URL']) {
      expect(() => load({ [name]: 'gopher://me:secret@host' }), name).to.throw(/got .*"gopher:".* it takes /);
    }
  });

  it('never shows an address with its password', () => {
    for (const [name, value] of [
      ['DATABASE_URL', 'mysql://me:secret@host/db'],
      ['REDIS_URL', 'redis-sentinel://:secret@host'],
      ['SMTP_URL', 'mail://me:secret@host'],
      ['MEDIA_STORAGE', 's3://bucket?endpoint=ftp://me:secret@host'],
      ['MEDIA_STORAGE', 'https://me:secret@host/bucket'],
      ['MAP_TILE_URL', 'https://tiles.example.com/{z}/{x}?key=secret'],
      ['PUBLIC_URL', 'ftp://me:secret@host'],
      ['CHECKPOINT_WEBHOOK', 'ftp://me:secret@host'],
      ['OTEL_EXPORTER_OTLP_ENDPOINT', 'ftp://me:secret@host'],
    ] as const) {
      expect(() => load({ [name]: value }), name).to.throw(/^(?!.*secret).*$/);
    }
  });

  it('does not take the placeholder of an example for a secret or a password in production', () => {
    const own = {
      NODE_ENV: 'production',
      PUBLIC_URL: 'https://auctions.example.com',
      APP_SECRET: '0123456789abcdef',
      PAYMENT_WEBHOOK_SECRET: '0123456789abcdef',
      SIMULCAST_SECRETS: 'floor=0123456789abcdef',
    };
    load(own);
    for (const [name, value] of [
      ['APP_SECRET', '0123456789abcdef,change-me-to-32-random-characters'],
      ['PAYMENT_WEBHOOK_SECRET', 'CHANGEME_CHANGEME_CHANGEME'],
      ['SIMULCAST_SECRETS', 'floor=please-replace-me-soon'],
      ['METRICS_TOKEN', 'your-secret-token-here'],
      ['DATABASE_URL', 'postgres://rostrum:change-me@host/rostrum'],
      ['REDIS_URL', 'redis-sentinel://:change_me@a:1/main'],
      ['SMTP_URL', 'smtps://me:placeholder@mail.example.com'],
    ] as const) {
      expect(() => load({ ...own, [name]: value }), name).to.throw(
        ConfigError,
        `${name}: got the placeholder of an example, but it takes a value of your own in production`,
      );
      load({ [name]: value });
    }
  });

  it('requires secrets and its own address in production, and generates none', () => {
    const given = {
      APP_SECRET: 'x'.repeat(32),
      PAYMENT_WEBHOOK_SECRET: 'p'.repeat(16),
      SIMULCAST_SECRETS: `floor=${'s'.repeat(16)}`,
      PUBLIC_URL: 'https://auctions.example',
    };
    const inProduction = (env: Environment) => load({ NODE_ENV: 'production', ...given, ...env });
    expect(inProduction({}).secretsFile).to.equal(null);
    for (const name of Object.keys(given)) {
      expect(() => inProduction({ [name]: undefined })).to.throw(ConfigError, name);
    }
    const short = {
      APP_SECRET: [`${'x'.repeat(15)}`, `${'x'.repeat(16)},old`],
      PAYMENT_WEBHOOK_SECRET: ['p'.repeat(15)],
      METRICS_TOKEN: ['m'.repeat(15)],
      CHECKPOINT_WEBHOOK_SECRET: ['c'.repeat(15)],
      SIMULCAST_SECRETS: [`floor=${'s'.repeat(15)}`, `floor=${'s'.repeat(16)},two=short`],
    };
    for (const [name, values] of Object.entries(short)) {
      for (const value of values) {
        expect(() => inProduction({ [name]: value })).to.throw(
          ConfigError,
          new RegExp(`^${name}: .*16 characters`),
        );
      }
    }
    expect(() => statSync(join(folder, 'secrets.json'))).to.throw('ENOENT');
  });

  it('says that the file of the made-up secrets is damaged', () => {
    writeFileSync(join(folder, 'secrets.json'), '{');
    expect(() => load()).to.throw(/^DATA_DIR: .*secrets\.json is damaged/);
  });
});
