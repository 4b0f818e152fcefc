/**
 * What stands around the processes on a host: nginx, systemd and Prometheus. Each program checks its own files where it is
 * installed.
 */
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { parse } from 'yaml';
import {
  COMMANDS,
  failureOf,
  has,
  lotKeys,
  ofKind,
  ROOT,
  textOf,
  VARIABLES,
  type Yaml,
} from '../../../support/deploy-files.ts';

describe('the files to run a host with', () => {
  describe('nginx', () => {
    const snippet = () => parse(textOf('deploy/kubernetes/ingress-nginx.yaml')).data['http-snippet'];
    const sources = {
      'nginx.conf': () => textOf('deploy/nginx.conf'),
      'nginx-tls.conf': () => textOf('deploy/nginx-tls.conf'),
      'ingress-nginx.yaml': snippet,
    };

    for (const [name, text] of Object.entries(sources))
      it(`sends pages and API of one lot to one process by ${name}`, () => {
        const lotOf = lotKeys(text());
        for (const path of [
          '/api/v1/lots/17/bids',
          '/api/v1/lots/17/stream',
          '/api/v1/seller/lots/17',
          '/lots/17',
          '/lots/17/bid',
          '/seller/lots/17/status',
        ])
          expect(lotOf(path), path).to.equal('17');
        for (const path of ['/api/v1/auctions/17', '/lots', '/api/v1/bids'])
          expect(lotOf(path), path).to.equal(undefined);
      });

    it('hashes on the key of its map, in the Ingress too', () => {
      for (const name of ['nginx.conf', 'nginx-tls.conf'])
        expect(textOf(`deploy/${name}`)).to.match(/hash \$lot_key consistent;/);
      const [ingress] = ofKind('Ingress');
      const [, variable] = /^map \$uri (\$\w+) \{/m.exec(snippet()) ?? [];
      expect(ingress.metadata.annotations['nginx.ingress.kubernetes.io/upstream-hash-by']).to.equal(variable);
      const [{ hosts }] = ingress.spec.tls;
      expect(hosts).to.deep.equal(ingress.spec.rules.map(({ host }: Yaml) => host));
    });

    it('passes on what the service needs to know', () => {
      for (const name of ['nginx.conf', 'nginx-tls.conf'])
        for (const header of [
          'Host $host',
          'X-Forwarded-For $proxy_add_x_forwarded_for',
          'X-Forwarded-Proto $scheme',
        ])
          expect(textOf(`deploy/${name}`), name).to.include(`proxy_set_header ${header};`);
    });

    it('accepts the files', function () {
      // Neither is part of a bare machine; what the files say is checked above without them.
      if (!has('nginx') || !has('openssl')) this.skip();
      const folder = mkdtempSync(join(tmpdir(), 'rostrum-nginx-'));
      const file = (name: string) => join(folder, name);
      const pair = ['-keyout', file('privkey.pem'), '-out', file('fullchain.pem')];
      const subject = ['-subj', '/CN=auctions.example.com', '-days', '1'];
      expect(
        failureOf('openssl', 'req', '-x509', '-newkey', 'rsa:2048', '-nodes', ...pair, ...subject),
      ).to.equal('');
      for (const [name, text] of Object.entries(sources)) {
        // The names of containers lead nowhere here.
        const here = text()
          .replaceAll('/etc/ssl/rostrum', folder)
          .replaceAll(/web[12]:/g, '127.0.0.1:');
        writeFileSync(file(name), `pid ${file('pid')};\nerror_log stderr;\nevents {}\nhttp {\n${here}}\n`);
        expect(failureOf('nginx', '-t', '-q', '-c', file(name)), name).to.equal('');
      }
      rmSync(folder, { recursive: true });
    });
  });

  describe('systemd units', () => {
    const units = readdirSync(join(ROOT, 'deploy/systemd'));

    it('start after a reboot, whatever comes late, and stop with nothing else', () => {
      for (const name of units) {
        const unit = textOf(`deploy/systemd/${name}`);
        // Units that are enabled have to be wanted by what a boot starts.
        expect(unit, name).to.match(/^\[Install\]\nWantedBy=multi-user\.target$/m);
        // A requirement that fails at boot is never tried again, and a restart of it restarts what requires it.
        expect(unit, name).to.not.match(/^(Requires|Requisite|BindsTo|PartOf)=/m);
        expect(unit, name).to.match(/^StartLimitIntervalSec=0$/m);
        expect(unit, name).to.match(/^Restart=(always|on-failure)$/m);
      }
      for (const name of ['rostrum-web@.service', 'rostrum-worker@.service']) {
        const unit = textOf(`deploy/systemd/${name}`);
        expect(unit).to.match(/^ExecStartPost=\/usr\/bin\/node dist\/src\/cli\.js ready --wait$/m);
        expect(unit).to.match(/^TimeoutStartSec=infinity$/m);
      }
    });

    it('are units to systemd', function () {
      // A container has no systemd; what the units say is checked above without it.
      if (!has('systemd-analyze')) this.skip();
      const folder = mkdtempSync(join(tmpdir(), 'rostrum-units-'));
      for (const name of units) {
        const text = textOf(`deploy/systemd/${name}`).replaceAll('/usr/bin/node', process.execPath);
        writeFileSync(join(folder, name.replace('@.', '@8080.')), text);
      }
      const files = readdirSync(folder).map((name) => join(folder, name));
      expect(failureOf('systemd-analyze', 'verify', ...files)).to.equal('');
      rmSync(folder, { recursive: true });
    });

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

  describe('alerts and dashboard', () => {
    it('ask for the job and the roles that the scrape configuration has', () => {
      const { scrape_configs: jobs, rule_files: files } = parse(textOf('deploy/prometheus.yaml'));
      expect(files).to.deep.equal(['prometheus-alerts.yaml']);
      const [{ job_name: job, static_configs: targets }] = jobs;
      const roles = targets.map(({ labels }: Yaml) => labels.role);
      const asked = (label: string) =>
        ['prometheus-alerts.yaml', 'grafana-dashboard.json'].flatMap((name) => [
          ...new Set(
            [...textOf(`deploy/${name}`).matchAll(new RegExp(`\\b${label}=\\\\?"(\\w+)`, 'g'))].map(
              ([, value]) => value,
            ),
          ),
        ]);
      expect(new Set(asked('job'))).to.deep.equal(new Set([job]));
      expect(new Set(asked('role'))).to.deep.equal(new Set(roles));
    });

    it('are accepted by Prometheus, and fire when they should, also when nothing is there any more', function () {
      // Prometheus is not part of a bare machine; which metrics the rules name is checked above without it.
      if (!has('promtool')) this.skip();
      const folder = mkdtempSync(join(tmpdir(), 'rostrum-alerts-'));
      const rules = join(ROOT, 'deploy/prometheus-alerts.yaml');
      expect(failureOf('promtool', 'check', 'rules', rules)).to.equal('');
      const config = join(ROOT, 'deploy/prometheus.yaml');
      expect(failureOf('promtool', 'check', 'config', '--syntax-only', config)).to.equal('');
      const up = 'up{job="rostrum",instance="127.0.0.1:8080",role="web"}';
      const result = (value: string) =>
        `rostrum_webhook_deliveries_total{job="rostrum",role="worker",result="${value}"}`;
      const test = {
        rule_files: [rules],
        evaluation_interval: '15s',
        tests: [
          {
            interval: '15s',
            input_series: [
              // It answers for five minutes, is away for five, and is then no target any more.
              { series: up, values: '1x19 0x19 _x80' },
              { series: result('exhausted'), values: '0x60 1x60' },
            ],
            promql_expr_test: [
              ['4m', 'NoWebProcess', false],
              ['4m', 'NoWorker', true],
              ['8m', 'ProcessDown', true],
              ['8m', 'NoWebProcess', true],
              ['20m', 'ProcessDown', false],
              ['20m', 'NoWebProcess', true],
              ['20m', 'WebhooksGivenUp', true],
            ].map(([at, alert, fires]) => ({
              expr: `count(ALERTS{alertname="${alert}",alertstate="firing"})`,
              eval_time: at,
              exp_samples: fires ? [{ labels: '{}', value: 1 }] : [],
            })),
          },
        ],
      };
      const file = join(folder, 'alerts.json');
      writeFileSync(file, JSON.stringify(test));
      expect(failureOf('promtool', 'test', 'rules', file)).to.equal('');
      rmSync(folder, { recursive: true });
    });

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
