import { runCommand } from './command.js';

/** The slow tiers, whose tests start whole services. */
export type ServiceTier = 'e2e' | 'faults';

/** What one Jest runs of a tier. */
export interface TestPart {
  readonly tier: ServiceTier;
  /** Which of the tier's specs, as Jest's own option says it. Undefined: all. */
  readonly shard?: string;
}

/**
 * The parts that run one after another, by lane. Services mostly wait, so that two lanes take half the time of one; but evaluators of one
 * network wait for one another before they measure, so lanes need networks of their own.
 */
export function lanesOf(tiers: readonly ServiceTier[], networks: 'own' | 'common'): readonly (readonly TestPart[])[] {
  const lanes: readonly (readonly TestPart[])[] =
    networks === 'own'
      ? [[{ tier: 'e2e', shard: '1/2' }], [{ tier: 'e2e', shard: '2/2' }, { tier: 'faults' }]]
      : [[{ tier: 'e2e' }, { tier: 'faults' }]];
  return lanes.map((parts) => parts.filter(({ tier }) => tiers.includes(tier))).filter((parts) => parts.length > 0);
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
