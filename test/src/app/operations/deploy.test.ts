/**
 * The files in `deploy/`: what cannot be run here is compared with what it refers to. Variables, commands, paths and
 * settings exist; nothing runs as root; and what a container would run is run without one.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { parse } from 'yaml';
import { loadConfig } from '../../../../src/app/config/config.ts';
import {
  COMMANDS,
  compose,
  filledIn,
  ofKind,
  PASSWORD,
  ROOT,
  textOf,
  VARIABLES,
  type Yaml,
} from '../../../support/deploy-files.ts';
import { redisCommand } from '../../../support/redis-replicas.ts';
import { freshRedis } from '../../../support/redis-servers.ts';
import { type Service, startService } from '../../../support/service.ts';

describe('the files to deploy with', () => {
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
            .replace(/\$\{REDIS_PASSWORD:\?\}/, () => PASSWORD)
            .replaceAll(/\$\{\w+:\?\}/g, '0123456789abcdef')
            .replaceAll(/\$\{\w+:-\}/g, ''),
        ]),
      );
      const config = loadConfig(filled);
      expect(config).to.include({ environment: 'production', host: '0.0.0.0', port: 8080 });
      expect(decodeURIComponent(new URL(config.redisUrl ?? '').password)).to.equal(PASSWORD);
    });

    it('names each image once, with its version, and ours with that of the program', () => {
      const { services, 'x-images': images } = compose();
      const { version } = JSON.parse(textOf('package.json'));
      expect(images.rostrum).to.equal(`rostrum:${version}`);
      for (const image of Object.values<string>(images)) expect(image).to.match(/^[a-z]+:\d+\.\d+[\w.-]*$/);
      for (const { image } of Object.values<Yaml>(services)) expect(Object.values(images)).to.include(image);
      const [{ newTag }] = parse(textOf('deploy/kubernetes/kustomization.yaml')).images;
      expect(newTag).to.equal(version);
      for (const { spec } of [...ofKind('Deployment'), ...ofKind('Job')])
        expect(spec.template.spec.containers.map(({ image }: Yaml) => image)).to.deep.equal(['rostrum']);
      const dockerfile = textOf('deploy/Dockerfile');
      expect(dockerfile).to.include(`-t rostrum:${version} .`);
      expect(dockerfile.match(/^FROM .*/gm)?.map((line) => line.includes('{NODE_IMAGE}'))).to.deep.equal([
        true,
        true,
      ]);
      expect(dockerfile).to.match(/^ARG NODE_IMAGE=node:\d+\.\d+\.\d+-/m);
    });

    it('keeps the addresses that nginx has learned, and calls a web process healthy when it is ready', () => {
      const { services, networks } = compose();
      const fixed = ['web1', 'web2'].map((name) => services[name].networks.rostrum.ipv4_address);
      expect(new Set(fixed).size).to.equal(2);
      const [{ subnet, ip_range: rest }] = networks.rostrum.ipam.config;
      expect([subnet, rest]).to.deep.equal(['172.28.0.0/24', '172.28.0.128/25']);
      for (const address of fixed) expect(address).to.match(/^172\.28\.0\.[1-9]\d?$/);
      for (const name of ['web1', 'web2'])
        expect(services[name].healthcheck.test.slice(-2)).to.deep.equal(['dist/src/cli.js', 'ready']);
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

    it('has nginx ask the web processes that there are', () => {
      const servers = [...textOf('deploy/nginx.conf').matchAll(/^\s+server (\w+):(\d+)/gm)];
      expect(servers.map(([, name, port]) => [name, port])).to.deep.equal([
        ['web1', '8080'],
        ['web2', '8080'],
      ]);
    });
  });

  describe('Kubernetes manifests', () => {
    it('name variables that there are, and make a configuration that production starts with', () => {
      const [secret] = ofKind('Secret');
      const [map] = ofKind('ConfigMap');
      const env = { NODE_ENV: 'production', ...map.data, ...secret.stringData };
      expect(Object.keys(env).filter((variable) => !VARIABLES.has(variable))).to.deep.equal([]);
      const filled = filledIn(env);
      for (const [name, value] of Object.entries<string>(env).filter(([, value]) =>
        value.includes('change-me'),
      ))
        expect(() => loadConfig({ ...filled, [name]: value }), name).to.throw(`${name}: got the placeholder`);
      expect(loadConfig(filled)).to.include({ environment: 'production', bidDurability: 'replicated' });
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
      expect(
        loadConfig(filledIn({ NODE_ENV: 'production', ...map.data, ...secret.stringData })).metricsToken,
      ).to.be.a('string');
      expect(path).to.equal('/metrics');
      // The job's name and its roles are those that the alerts ask for.
      for (const one of ofKind('Deployment')) {
        const { labels } = one.spec.template.metadata;
        expect(labels[spec.jobLabel]).to.equal('rostrum');
        for (const label of spec.podTargetLabels) expect(['web', 'worker']).to.include(labels[label]);
      }
    });

    it('select the intended processes', () => {
      const labels = ofKind('Deployment').map(({ spec }) => spec.template.metadata.labels);
      for (const { spec } of ofKind('Deployment')) expect(labels).to.deep.include(spec.selector.matchLabels);
      for (const { spec } of ofKind('Service')) expect(labels).to.deep.include(spec.selector);
      for (const { spec } of ofKind('PodDisruptionBudget'))
        expect(labels).to.deep.include(spec.selector.matchLabels);
    });
  });
});
