import { expect } from '@jest/globals';
import type { EvaluatorProtocol } from './evaluator-protocol.js';
import { FLOOR, MEASURES, VERSION_1 } from './version-1.js';

const { sends, reads } = VERSION_1;
const COSTS = { ...MEASURES, cpu_time: 0.004, throughput_spread: 2.5, short: true };

/** The second version: several models at the same time on a host, and measurements that give way to people. */
export const VERSION_2: EvaluatorProtocol = {
  version: 2,
  sends: {
    ...sends,
    presence: { ...sends.presence, protocol: 2, slots: 8 },
    lease: (stage) => ({
      protocol: 2,
      waitSeconds: 0,
      stage,
      ...(stage === 'evaluation' && { free: { cpus: 7, memoryBytes: 17_179_869_184 } }),
    }),
    deploymentLease: { ...sends.deploymentLease, protocol: 2 },
    answers: (uploaded) => ({ ...sends.answers(uploaded), measures: COSTS }),
    finished: { ...sends.finished, measures: { ...COSTS, floor: FLOOR } },
    others: [...sends.others, ['interrupted', { kind: 'interrupted' }, 'queued']],
    deploymentStates: [{ state: 'starting', step: 'image' }, { state: 'starting', step: 'start' }, { state: 'ready' }],
  },
  liveQuery: '?protocol=2',
  reads: {
    ...reads,
    registration: { ...reads.registration, protocols: expect.arrayContaining([2]) },
    presence: { ...reads.presence, protocols: expect.arrayContaining([2]) },
    evaluation: {
      run: {
        ...reads.evaluation.run,
        assignment: {
          ...reads.evaluation.run.assignment,
          isAutomatic: expect.any(Boolean),
          mayDrain: expect.any(Boolean),
          interruptions: expect.any(Number),
        },
      },
    },
  },
};
