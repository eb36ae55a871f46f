import { hostname } from 'node:os';
import type { ModelView } from '@assay/contracts/models';
import { DockerEngine } from '@assay/sandbox/docker';
import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { withGvisor } from '../../factories/hostile/gvisor.js';
import { hostileArchives } from './archives.js';
import { ALLOWED, DATASET, HIDDEN_DATASET, MARKERS, ProbeWorld, type Runtime } from './harness.js';
import type { LogWatch } from './log-watch.js';
import { pageCache } from './page-cache.js';
import { everyRow, oneRowPerRule, probeTable, type ProbeClass, type ProbeRow, type Verdict } from './table.js';
import { taintedLoop } from './taint.js';

jest.setTimeout(1_800_000);

/** The system calls that gVisor emulates without the host's kernel. */
const WITHIN_GVISOR = new Set(
  ['io_uring_setup', 'ptrace', 'unshare user', 'unshare network', 'chroot', 'syslog'].concat([
    'mincore',
    'fadvise64',
    'readahead',
    'io_setup',
    'io_submit',
  ]),
);

/**
 * A line of the kernel's socket lists with only loopback or unspecified addresses, or the header of
 * a list.
 */
const SOCKETS_OF_LOOPBACK =
  /^sl\s|^$|^\d+:(?: (?:0100007F|0{8}|0{32}|0{24}01000000|0{16}FFFF00000100007F):[\dA-F]{4}){2} /;

/** The maximum that the engine may store of a log: one file of 1 MiB. */
const LOG_SETTINGS = { Type: 'local', Config: { 'max-size': '1m', 'max-file': '1', compress: 'false' } };

/** The submitted models by name, with their log settings, and the ID of the honest model. */
interface Sent {
  readonly models: ReadonlyMap<string, ModelView>;
  readonly logs: LogWatch;
  readonly honest: string;
}

/**
 * The tolerance beyond a time limit, in seconds, in addition to the time that the run of an honest
 * model takes on the same machine.
 */
const SLACK = 5;

/**
 * The short form, for CI, sends the first row of each rule, all in one class. The full form (`npm
 * run test:probes`) sends each row alone, under the given runtime, and only the probes in `PROBES`
 * if that is set. The probes that look around and the archives have their own form.
 */
const { PROBES_ALONE, PROBES_RUNTIME, PROBES } = process.env;
const isChosen = ({ name }: { readonly name: string }): boolean => !PROBES || PROBES.split(' ').includes(name);
const runtime: Runtime = PROBES_RUNTIME === 'runsc' ? 'runsc' : 'runc';

const { Runtimes: runtimes = {} } = await new DockerEngine().info();
const hasGvisor = 'runsc' in runtimes;
if (runtime === 'runsc' && !hasGvisor) throw new Error('The engine has no runtime runsc.');

describe(`with ${runtime}, a model`, () => {
  let world: ProbeWorld;
  beforeAll(async () => {
    world = await ProbeWorld.start(runtime);
  });
  afterAll(() => world?.close());

  if (PROBES_ALONE === undefined) {
    probeClass({ about: 'that breaks one rule of its containment', rows: oneRowPerRule }, runtime);
    const rows = everyRow.filter(({ underGvisor }) => underGvisor);
    withGvisor(hasGvisor, () => probeClass({ about: 'that breaks a rule that gVisor enforces', rows }, 'runsc'));
  } else {
    for (const each of alone(probeTable)) probeClass(each, runtime);
  }
  if (isChosen({ name: 'archives' })) {
    const form = PROBES_ALONE === undefined ? 'short' : 'full';
    describe('that comes in an archive', () => hostileArchives({ world: () => world, hasGvisor, form }));
  }
  // only under runc, where the sandboxes share the kernel's page cache
  if (runtime === 'runc' && isChosen({ name: 'page-cache' })) {
    describe('that shares files with the model of another account', () => pageCache(() => world));
  }
  // last, because they leave models that are served
  if (isChosen({ name: 'surroundings' })) looksAround(runtime, () => world);
  if (isChosen({ name: 'taint' })) {
    describe('that has seen hidden data and is asked by people', () => taintedLoop(() => world));
  }

  /**
   * Sends the probes one after the other, and an honest model after them, so that one is uploaded
   * while another runs. Models are evaluated one at a time.
   */
  async function verdicts(rows: readonly ProbeRow[], under: Runtime): Promise<Sent> {
    const logs = await world.watchLogs();
    const ids: string[] = [];
    for (const row of rows) {
      const task = under === runtime ? row.task : await world.parityUnder(under);
      ids.push(await world.send([row.name, ...wordsOf(row, world)], task));
    }
    const honest = await world.sendHonest();
    const models = new Map<string, ModelView>();
    for (const [index, { name }] of rows.entries()) models.set(name, await world.verdict(ids[index]!));
    logs.close();
    return { models, logs, honest };
  }

  function probeClass({ about, rows }: ProbeClass, under: Runtime): void {
    const chosen = rows.filter(isChosen);
    if (chosen.length === 0) return;

    describe(about, () => {
      let sent: Sent | undefined;
      let harm: Error | null = null;
      beforeAll(async () => {
        try {
          await world.unharmed(async () => {
            sent = await verdicts(chosen, under);
            await world.verdict(sent.honest);
          });
        } catch (error) {
          harm = error as Error;
        }
      });

      it.each(chosen.map((row) => [row.name, row.does, verdictOf(row, under), row] as const))(
        '%s, which %s: %s',
        async (name, _, verdict, row) => {
          if (!sent) throw harm ?? new Error('nothing was sent');
          const model = sent.models.get(name)!;
          expect([model.state, model.failure?.code]).toEqual(
            verdict === 'scored' ? ['scored', undefined] : ['failed', verdict],
          );
          const said = `${model.failure?.message ?? ''}\n${await world.logOf(model.id)}`;
          for (const saying of sayingsOf(row, under)) expect(said).toMatch(saying);
          expect(Buffer.byteLength(said)).toBeLessThan(80_000);
          if (row.floodsLog) {
            const settings = await sent.logs.of(model.id);
            expect(settings.length).toBeGreaterThan(0);
            expect(settings).toMatchObject(settings.map(() => LOG_SETTINGS));
          }
          if (verdict === 'scored') expect((model.repeatability?.different ?? 0) > 0).toBe(row.unstable ?? false);
          const slack = SLACK + (await world.secondsOfRun(sent.honest));
          expect(await world.secondsOfRun(model.id)).toBeLessThan(deadlineOf(verdict, under) + slack);
          expect(await world.leftBy(model.id)).toEqual([]);
        },
      );

      it('leaves nothing, reaches nothing, and makes the platform no larger', () => {
        if (harm) throw harm;
      });

      it('changes no bit of what an honest model scores next', () => world.honestScoresAsBefore(sent?.honest));
    });
  }
});

/** Registers the tests of models that inspect their environment. */
function looksAround(runtime: Runtime, world: () => ProbeWorld): void {
  describe('that looks around', () => {
    const logs = new Map<string, string>();
    const models = new Map<string, ModelView>();
    let honest: string;
    beforeAll(async () => {
      await world().unharmed(async () => {
        const asked: [string, string[], string?][] = [
          ['public', ['surroundings']],
          ['public again', ['surroundings', 'again']],
          ['hidden', ['surroundings-as-answer', 'twice'], 'secrets'],
          ['taint', ['taint', 'text'], 'secrets'],
          ['answer', ['surroundings-as-answer'], 'texts'],
          ['network', ['network', ...world().forbidden]],
          ['calls', ['calls']],
        ];
        const ids = new Map<string, string>();
        for (const [key, command, task] of asked) ids.set(key, await world().send(command, task));
        honest = await world().sendHonest();
        for (const [key, id] of ids) {
          models.set(key, await world().verdict(id));
          logs.set(key, await world().logOf(id));
        }
        await world().verdict(honest);
      });
    });
    const toldBy = (key: string, about: string): string =>
      logs
        .get(key)!
        .split('\n')
        .find((line) => line.startsWith(`${about} `))!
        .slice(about.length + 1);

    it('is scored as any other', () => {
      expect([...models.values()].map(({ state }) => state)).toEqual(new Array(models.size).fill('scored'));
    });

    /**
     * Returns the answers to a dataset as the owner of the token reads them, or as anybody does
     * without one.
     */
    async function answersTo(key: string, dataset: string, token?: string): Promise<string> {
      const path = `/models/${models.get(key)!.id}/datasets/${dataset}/examples?limit=100`;
      return JSON.stringify((await world().world.call('GET', path, { token })).body);
    }

    it('finds the same where a dataset is hidden as where it is public', async () => {
      const digests = async (dataset: string) => {
        const told = await answersTo('hidden', dataset, world().world.admin);
        return new Set(Array.from(told.matchAll(/"answer":"([0-9a-f]{64})"/g), ([, digest]) => digest));
      };
      const found = await digests(HIDDEN_DATASET);
      expect(found.size).toBe(1);
      expect(found).toEqual(await digests(DATASET));
    });

    it('carries nothing of a hidden dataset into answers to a public one, nor into its log', async () => {
      const open = await answersTo('taint', DATASET);
      expect(open).toContain(MARKERS.readable);
      expect(open).not.toContain(MARKERS.hidden);
      expect(await answersTo('taint', HIDDEN_DATASET, await world().world.user('ada'))).toContain('examples_hidden');
      // the hidden data was in its answers
      expect(await answersTo('taint', HIDDEN_DATASET, world().world.admin)).toContain(MARKERS.hidden);
      expect(logs.get('taint')).toContain(MARKERS.readable);
      expect(logs.get('taint')).not.toContain(MARKERS.hidden);
    });

    it('finds the same in every request, and in every container', () => {
      expect(models.get('answer')!.repeatability).toMatchObject({ compared: 10, different: 0 });
    });

    it('finds no name of a task, dataset, user, model, run or host, and no word for being tested', () => {
      const { instance, home } = world().world;
      const told = `${toldBy('public', 'surroundings')}${logs.get('network')!.replace(/^tried .*$/gm, '')}`;
      const ids = [...models.values()].map(({ id }) => id);
      for (const word of ['parity', 'Even or odd', DATASET, instance, home, ...ids]) expect(told).not.toContain(word);
      expect(told).not.toMatch(new RegExp(`evaluat|benchmark|scored|hidden|\\b(?:ada|${hostname()})\\b`, 'i'));
    });

    it('is asked in another order than the dataset has, and in another each time', () => {
      const [first, second] = ['public', 'public again'].map((key) => JSON.parse(toldBy(key, 'order')) as string[]);
      expect(first).not.toEqual(second);
      const places = first!.map((text) => Number.parseInt(text, 10));
      expect(places).not.toEqual([...places].sort((a, b) => a - b));
    });

    it('has one interface, no route, no resolver of the host, and reaches nothing', () => {
      expect(toldBy('network', 'interfaces')).toBe('["lo"]');
      const lines = (path: string) => (JSON.parse(toldBy('network', path)) as string).trim().split('\n');
      const others = (path: string, known: RegExp) => lines(path).filter((line) => !known.test(line.trim()));
      // gVisor does not list routes; it names the interface
      expect(others('/proc/net/route', /^(Iface.*)?$|^lo\s/)).toEqual([]);
      expect(others('/proc/net/ipv6_route', /^$|\slo$/)).toEqual([]);
      expect(others('/proc/net/if_inet6', /^$|^0{31}1 .*\slo$/)).toEqual([]);
      expect(
        lines('/proc/net/dev')
          .slice(2)
          .map((line) => line.trim().split(':')[0]),
      ).toEqual(['lo']);
      // only the model's own port and the relay to it: its network contains no other sockets
      for (const path of ['tcp', 'tcp6', 'udp', 'udp6'].map((name) => `/proc/net/${name}`)) {
        expect(others(path, SOCKETS_OF_LOOPBACK)).toEqual([]);
      }
      // the relay's socket has a path, but in the relay's file system
      expect(others('/proc/net/unix', /^Num|^[^@/]*$| \/run\/(relay|assay-socket)\/s$/)).toEqual([]);
      expect(lines('/etc/resolv.conf')).toEqual(['nameserver 127.0.0.1']);
      const tried = logs
        .get('network')!
        .split('\n')
        .filter((line) => line.startsWith('tried '));
      expect(tried.length).toBe(world().forbidden.length);
      expect(tried.filter((line) => /connected$/.test(line))).toEqual([]);
    });

    it('is refused every system call that is a way out', () => {
      const calls = logs
        .get('calls')!
        .trim()
        .split('\n')
        .map((line) => line.split(': '));
      expect(calls.length).toBeGreaterThan(30);
      const emulated = runtime === 'runsc' ? WITHIN_GVISOR : new Set<string>();
      expect(calls.filter(([call, error]) => error === '0' && !emulated.has(call!))).toEqual([]);
      // EPERM by the filter, or ENOSYS so that a C library falls back to a call that is filtered
      if (runtime === 'runc') expect(calls.filter(([, error]) => error !== '1' && error !== '38')).toEqual([]);
    });

    it('changes no bit of what an honest model scores next', () => world().honestScoresAsBefore(honest));

    it('finds the same in the loop, where people ask it, as where it is evaluated', async () => {
      const { evaluated, served } = await world().logsInLoop(['surroundings']);
      expect(seenIn(served)).toEqual(seenIn(evaluated));
    });
  });
}

/**
 * Returns what a model that looks around reports. Which cores it has, and under gVisor the process
 * IDs, vary by chance; only their number is compared.
 */
function seenIn(log: string): object {
  const line = log.split('\n').find((line) => line.startsWith('surroundings '))!;
  const told = JSON.parse(line.slice('surroundings '.length)) as {
    readonly cores: string[];
    readonly processes: string[];
  };
  const { cores, processes, ...seen } = told;
  return { ...seen, processes: processes.length, cores: cores.map((list) => list.replace(/\d+/g, 'n')) };
}

function verdictOf({ verdict, gvisor }: ProbeRow, runtime: Runtime): Verdict {
  return runtime === 'runsc' ? (gvisor?.verdict ?? verdict) : verdict;
}

function sayingsOf({ says = [], gvisor }: ProbeRow, runtime: Runtime): readonly RegExp[] {
  return [runtime === 'runsc' ? (gvisor?.says ?? says) : says].flat();
}

/**
 * Returns the maximum time in seconds that the limits of the task allow a probe: all act at their
 * start or at one of the first requests.
 */
function deadlineOf(verdict: Verdict, runtime: Runtime): number {
  if (verdict === 'never_ready') return ALLOWED.unready;
  const untilAnswered = ALLOWED.start + ALLOWED.request[runtime];
  // a scored model is asked again in a second container
  return verdict === 'scored' ? 2 * untilAnswered : untilAnswered;
}

function wordsOf({ name }: ProbeRow, { canaries }: ProbeWorld): string[] {
  return name === 'redirect' ? [String(canaries.port)] : [];
}

function alone(table: readonly ProbeClass[]): ProbeClass[] {
  return table.flatMap(({ about, rows }) => rows.map((row) => ({ about: `${about}: ${row.name}`, rows: [row] })));
}
