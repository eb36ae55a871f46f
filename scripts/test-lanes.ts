import { join } from 'node:path';
import { runCommand } from './command.js';
import { secondsOf } from './spec-seconds.js';
import { specsBelow } from './test-suites.js';

/** The slow tiers, whose tests start whole services. */
export type ServiceTier = 'e2e' | 'faults';

/** What one Jest runs of a tier: those of its specs. */
export interface TestPart {
  readonly tier: ServiceTier;
  readonly specs: readonly string[];
}

/** The spec files of the tier that CI runs, as paths in the project: without those that only the release check runs. */
export function specsOf(tier: ServiceTier): readonly string[] {
  return specsBelow(join('test', tier)).filter((spec) => !spec.endsWith('.release.spec.ts'));
}

/** Services mostly wait: on two cores three lanes take less time than two. */
const LANES = 3;

/**
 * The parts that run one after another, by lane; all lanes take about the same time. Evaluators of one network wait for one another before they
 * measure, so lanes need networks of their own: without those there is one.
 */
export function lanesOf(parts: readonly TestPart[], networks: 'own' | 'common'): readonly (readonly TestPart[])[] {
  const lanes = Array.from({ length: networks === 'own' ? LANES : 1 }, () => ({
    seconds: 0,
    specs: new Set<string>(),
  }));
  const longestFirst = parts.flatMap(({ specs }) => specs).sort((one, other) => secondsOf(other) - secondsOf(one));
  for (const spec of longestFirst) {
    const shortest = lanes.reduce((least, lane) => (lane.seconds < least.seconds ? lane : least));
    shortest.specs.add(spec);
    shortest.seconds += secondsOf(spec);
  }
  return lanes
    .map((lane) => parts.map(({ tier, specs }) => ({ tier, specs: specs.filter((spec) => lane.specs.has(spec)) })))
    .map((lane) => lane.filter(({ specs }) => specs.length > 0))
    .filter((lane) => lane.length > 0);
}

/** The command in a network of its own, which has a loopback interface and nothing else. */
export function inOwnNetwork(command: string, parameters: readonly string[]): readonly [string, readonly string[]] {
  return ['unshare', ['--net', 'sh', '-c', 'ip link set lo up && exec "$0" "$@"', command, ...parameters]];
}

/** Whether this process may make networks, and can. */
export async function canMakeNetworks(): Promise<boolean> {
  const { code } = await runCommand(...inOwnNetwork('true', []));
  return code === 0;
}
