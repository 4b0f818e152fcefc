/**
 * The files in `deploy/`: what cannot be run here is compared with what it refers to. Variables, commands, paths and
 * settings exist; nothing runs as root; and what a container would run is run without one.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';
import { parse, parseAllDocuments } from 'yaml';
import { loadConfig } from '../../../../src/app/config/config.ts';
import { redisCommand } from '../../../support/redis-replicas.ts';
import { freshRedis } from '../../../support/redis-servers.ts';
import { type Service, startService } from '../../../support/service.ts';

const ROOT = fileURLToPath(new URL('../../../..', import.meta.url));
const textOf = (path: string) => readFileSync(join(ROOT, path), 'utf8');

// biome-ignore lint/suspicious/noExplicitAny: the test walks through documents of every shape.
type Yaml = any;

/** The variables that the configuration's page names. */
const VARIABLES = new Set(
  [...textOf('docs/configuration.md').matchAll(/^\| ((?:`[A-Z_]+`(?:, )?)+)/gm)].flatMap(([, names = '']) =>
    [...names.matchAll(/[A-Z_]+/g)].map(([name]) => name),
  ),
);

const COMMANDS = ['web', 'worker', 'migrate'];

function compose(): Yaml {
  return parse(textOf('deploy/compose.yaml'), { merge: true });
}

function manifests(): Yaml[] {
  return parseAllDocuments(textOf('deploy/kubernetes/rostrum.yaml')).map((document) => {
    expect(document.errors).to.deep.equal([]);
    return document.toJS();
  });
}

const ofKind = (kind: string) => manifests().filter((one) => one.kind === kind);

describe('the files to deploy with', function () {
  this.timeout(120_000);

  describe('Dockerfile', () => {
    const text = textOf('deploy/Dockerfile').replaceAll(/\\\n\s*/g, '');
    const instructions = text.split('\n').flatMap((line) => /^([A-Z]+) (.*)$/.exec(line)?.slice(1, 3) ?? []);
    const last = (name: string) => instructions[instructions.lastIndexOf(name) + 1] ?? '';
    let service: Service;

    before(async () => {
      service = await startService();
    });
    after(() => service.close());

    it('runs node itself, and not as root', () => {
      expect(last('USER')).to.equal('node');
      const words = JSON.parse(last('ENTRYPOINT'));
      expect(words[0]).to.equal('node');
      expect(words.at(-1)).to.equal('dist/src/cli.js');
      expect(JSON.parse(textOf('package.json')).bin.rostrum).to.equal(words.at(-1));
      expect(COMMANDS).to.include(JSON.parse(last('CMD'))[0]);
    });

    it('copies what is there, and what the ignore file lets in', () => {
      const let_in = textOf('deploy/Dockerfile.dockerignore').match(/(?<=^!).+$/gm) ?? [];
      for (const [, sources = ''] of text.matchAll(/^COPY (?!--from)(.+) \S+$/gm))
        for (const source of sources.split(' ')) {
          expect(existsSync(join(ROOT, source)), source).to.equal(true);
          expect(let_in, source).to.include(source.split('/')[0]);
        }
    });

    it('has a health check that tells a process that answers from one that does not', async () => {
      const [, words = ''] = /^HEALTHCHECK .*?CMD (\[.*\])$/m.exec(text) ?? [];
      const [, ...args] = JSON.parse(words) as string[];
      const run = async (port: string) => {
        const child = spawn(process.execPath, args, { env: { PORT: port }, stdio: 'ignore' });
        const [code] = await once(child, 'exit');
        return code;
      };
      expect(await run(new URL(service.url).port)).to.equal(0);
      expect(await run('1')).to.equal(1);
    });
  });

  describe('compose.yaml', () => {
    it('runs two web processes, a worker, Postgres, Redis and nginx, with variables that there are', () => {
      const { services } = compose();
      expect(Object.keys(services).sort()).to.deep.equal(
        ['migrate', 'nginx', 'postgres', 'redis', 'web1', 'web2', 'worker'].sort(),
      );
      for (const name of ['migrate', 'web1', 'web2', 'worker']) {
        const { command, environment } = services[name];
        expect(COMMANDS).to.include(command[0]);
        expect(Object.keys(environment).filter((variable) => !VARIABLES.has(variable))).to.deep.equal([]);
      }
      for (const { depends_on: others = {} } of Object.values<Yaml>(services))
        for (const other of Object.keys(others)) expect(services).to.have.property(other);
    });

    it('gives its processes an environment that they start with in production', () => {
      const { environment } = compose().services.web1;
      const filled = Object.fromEntries(
        Object.entries<string>(environment).map(([name, value]) => [
          name,
          value
            .replace(/\$\{PUBLIC_URL:\?\}/, 'https://auctions.example.com')
            .replace(/\$\{SIMULCAST_SECRETS:\?\}/, 'floor=0123456789abcdef')
            .replaceAll(/\$\{\w+:\?\}/g, '0123456789abcdef')
            .replaceAll(/\$\{\w+:-\}/g, ''),
        ]),
      );
      expect(loadConfig(filled)).to.include({ environment: 'production', host: '0.0.0.0', port: 8080 });
    });

    it('starts Redis as the journal needs it', async () => {
      const [, , , ...options] = compose().services.redis.command as string[];
      const redis = await freshRedis([], options);
      for (const [setting, value] of [
        ['appendonly', 'yes'],
        ['appendfsync', 'always'],
        ['no-appendfsync-on-rewrite', 'no'],
        ['maxmemory-policy', 'noeviction'],
      ] as const)
        expect(await redisCommand(redis, ['CONFIG', 'GET', setting]), setting).to.include(value);
      expect(options).to.include.members(['--appendfsync', 'always', '--maxmemory-policy', 'noeviction']);
      await redis.close();
    });

    it('has nginx hash on the lot, over the web processes that there are', () => {
      const nginx = textOf('deploy/nginx.conf');
      const servers = [...nginx.matchAll(/^\s+server (\w+):(\d+)/gm)].map(([, name, port]) => [name, port]);
      expect(servers).to.deep.equal([
        ['web1', '8080'],
        ['web2', '8080'],
      ]);
      expect(nginx).to.match(/hash \$lot_key consistent;/);
      const pattern = /^\s+~(\S+)\s+\$lot;$/m.exec(nginx)?.[1] ?? '';
      const lotOf = (path: string) => new RegExp(pattern).exec(path)?.groups?.['lot'];
      for (const path of ['/api/v1/lots/17/bids', '/lots/17', '/api/v1/lots/17/stream'])
        expect(lotOf(path), path).to.equal('17');
      expect(lotOf('/api/v1/auctions/17')).to.equal(undefined);
      expect(nginx.match(/[{}]/g)?.join('')).to.match(/^(\{\}|\{(\{\})*\})+$/);
    });
  });

  describe('systemd units', () => {
    const units = readdirSync(join(ROOT, 'deploy/systemd'));
    for (const name of units.filter((unit) => unit.endsWith('.service')))
      it(`${name} runs a command that there is, not as root, with variables that there are`, () => {
        const unit = textOf(`deploy/systemd/${name}`);
        const all = (key: string) =>
          [...unit.matchAll(new RegExp(`^${key}=(.*)$`, 'gm'))].map(([, value = '']) => value);
        const words = (all('ExecStart')[0] ?? '').split(' ');
        expect(words[0]).to.equal('/usr/bin/node');
        expect(words.at(-2)).to.equal('dist/src/cli.js');
        expect(COMMANDS).to.include(words.at(-1));
        expect(all('User')).to.deep.equal(['rostrum']);
        const variables = all('Environment').flatMap((line) =>
          line.split(' ').map((pair) => pair.split('=')[0]),
        );
        expect(variables.filter((variable) => !VARIABLES.has(variable ?? ''))).to.deep.equal([]);
        const others = [...all('After'), ...all('Requires'), ...all('PartOf'), ...all('WantedBy')].flatMap(
          (line) => line.split(' '),
        );
        for (const other of others.filter((one) => one.startsWith('rostrum')))
          expect(units).to.include(other);
      });
  });

  describe('Kubernetes manifests', () => {
    it('name variables that there are, and make a configuration that production starts with', () => {
      const [secret] = ofKind('Secret');
      const [map] = ofKind('ConfigMap');
      const env = { NODE_ENV: 'production', ...map.data, ...secret.stringData };
      expect(Object.keys(env).filter((variable) => !VARIABLES.has(variable))).to.deep.equal([]);
      expect(loadConfig(env)).to.include({ environment: 'production', bidDurability: 'replicated' });
    });

    it('probe what processes serve, run commands that there are, and nothing as root', () => {
      const workloads = [...ofKind('Deployment'), ...ofKind('Job')];
      expect(workloads).to.have.length(3);
      for (const { spec } of workloads) {
        for (const { args, ports = [], readinessProbe, livenessProbe, securityContext, env = [] } of spec
          .template.spec.containers) {
          expect(COMMANDS).to.include(args[0]);
          expect(securityContext).to.include({ runAsNonRoot: true, allowPrivilegeEscalation: false });
          if (args[0] === 'migrate') continue;
          expect([readinessProbe.httpGet.path, livenessProbe.httpGet.path]).to.deep.equal([
            '/readyz',
            '/healthz',
          ]);
          expect(ports[0].name).to.equal(readinessProbe.httpGet.port);
          expect(env).to.deep.include({ name: 'PORT', value: String(ports[0].containerPort) });
        }
      }
    });

    it('have Prometheus scrape all of them with the token that they ask for', () => {
      const { spec } = parse(textOf('deploy/kubernetes/prometheus.yaml'));
      const [{ port, path, authorization }] = spec.podMetricsEndpoints;
      for (const one of ofKind('Deployment')) {
        const { metadata, spec: pod } = one.spec.template;
        expect(metadata.labels).to.include(spec.selector.matchLabels);
        expect(pod.containers[0].ports.map(({ name }: Yaml) => name)).to.include(port);
      }
      const [secret] = ofKind('Secret');
      const [map] = ofKind('ConfigMap');
      expect(authorization).to.deep.equal({
        type: 'Bearer',
        credentials: { name: secret.metadata.name, key: 'METRICS_TOKEN' },
      });
      expect(loadConfig({ NODE_ENV: 'production', ...map.data, ...secret.stringData }).metricsToken).to.be.a(
        'string',
      );
      expect(path).to.equal('/metrics');
    });

    it('select the intended processes', () => {
      const labels = ofKind('Deployment').map(({ spec }) => spec.template.metadata.labels);
      for (const { spec } of ofKind('Deployment')) expect(labels).to.deep.include(spec.selector.matchLabels);
      for (const { spec } of ofKind('Service')) expect(labels).to.deep.include(spec.selector);
      for (const { spec } of ofKind('PodDisruptionBudget'))
        expect(labels).to.deep.include(spec.selector.matchLabels);
    });
  });

  describe('alerts and dashboard', () => {
    it('have the shape that Prometheus and Grafana read', () => {
      const { groups } = parse(textOf('deploy/prometheus-alerts.yaml'));
      for (const { name, rules } of groups) {
        expect(name).to.match(/^rostrum-/);
        for (const { alert, expr, labels, annotations } of rules) {
          expect(alert).to.match(/^[A-Z]\w+$/);
          expect(expr.split('(').length, expr).to.equal(expr.split(')').length);
          expect(['page', 'ticket']).to.include(labels.severity);
          expect(annotations.summary).to.be.a('string');
        }
      }
      const { panels } = JSON.parse(textOf('deploy/grafana-dashboard.json'));
      const ids = panels.map(({ id }: { id: number }) => id);
      expect(new Set(ids).size).to.equal(ids.length);
      for (const { targets, gridPos } of panels) {
        expect(gridPos.x + gridPos.w).to.be.at.most(24);
        for (const { expr } of targets) expect(expr.split('(').length, expr).to.equal(expr.split(')').length);
      }
    });
  });
});
