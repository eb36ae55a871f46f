import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { findProgram } from '../../../scripts/services/debian-packages.js';
import { freePort } from '../../../scripts/services/free-port.js';
import { SupervisedProcess } from '../../../scripts/services/supervised-process.js';
import { isHere } from '../needed.js';

const operations = join(import.meta.dirname, '../../../operations');

export interface Watched {
  /** `host:port` */
  readonly api: string;
  readonly worker: string;
  readonly evaluator: string;
  readonly token: string;
}

/**
 * A real Prometheus that monitors a service with the configuration in `operations`. Needs Debian's
 * package prometheus.
 */
export class Prometheus {
  private constructor(
    private readonly process: SupervisedProcess,
    private readonly folder: string,
    private readonly port: number,
  ) {}

  static isThere(): boolean {
    return isHere(findProgram('prometheus') && findProgram('promtool'), "Prometheus (Debian's package prometheus)");
  }

  static async start({ api, worker, evaluator, token }: Watched): Promise<Prometheus> {
    const folder = mkdtempSync(join(tmpdir(), 'assay-prometheus-'));
    const port = await freePort('127.0.0.1');
    const configuration = readFileSync(join(operations, 'prometheus.yml'), 'utf8')
      .replace('localhost:8080', api)
      .replace('localhost:9464', evaluator)
      .replace('localhost:9465', worker)
      .replaceAll('# authorization:', 'authorization:')
      // a scrape may take as long as its interval, also on a busy machine
      .replaceAll('15s', '3s');
    writeFileSync(join(folder, 'prometheus.yml'), configuration);
    writeFileSync(join(folder, 'metrics-token'), token);
    cpSync(join(operations, 'alerts.yml'), join(folder, 'alerts.yml'));
    const process_ = new SupervisedProcess({
      name: 'Prometheus',
      command: findProgram('prometheus')!,
      arguments: [
        `--config.file=${folder}/prometheus.yml`,
        `--storage.tsdb.path=${folder}/data`,
        `--web.listen-address=127.0.0.1:${port}`,
      ],
      environment: process.env,
      log: join(folder, 'prometheus.log'),
      stopSignal: 'SIGTERM',
      patience: 10_000,
    });
    const prometheus = new Prometheus(process_, folder, port);
    await process_.until(async () => (await fetch(`${prometheus.url}/-/ready`)).ok, 30_000);
    return prometheus;
  }

  get url(): string {
    return `http://127.0.0.1:${this.port}`;
  }

  /** Returns the `data` of a response of its API. */
  async ask<T>(path: string): Promise<T> {
    const answer = (await (await fetch(`${this.url}/api/v1/${path}`)).json()) as { status: string; data: T };
    if (answer.status !== 'success') throw new Error(`Prometheus: ${JSON.stringify(answer)}`);
    return answer.data;
  }

  until(condition: () => Promise<boolean>, milliseconds: number): Promise<void> {
    return this.process.until(condition, milliseconds);
  }

  async stop(): Promise<void> {
    await this.process.stop();
    rmSync(this.folder, { recursive: true, force: true });
  }
}
