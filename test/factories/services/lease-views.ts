import type { Assignment, LeasedRunView } from '@assay/contracts/gateway';
import type { LeasedDeploymentView } from '@assay/contracts/serving';
import { TaskLimits } from '@assay/contracts/tasks';

export const RUN = '0f9619ff-8b86-4d01-8b42-00cf4fc964ff';
export const DATASET = '1b4e28ba-2fa1-41d2-883f-0016d3cca427';

/** A lease of a run on one dataset, as the service offers it. */
export function leasedRunView(
  view: Partial<Omit<LeasedRunView, 'assignment'>> = {},
  artifact: Partial<Assignment['artifact']> = {},
): LeasedRunView {
  return {
    work: 'evaluation',
    leaseSeconds: 60,
    waitedSeconds: 0,
    unpackedLimit: TaskLimits.parse({}).unpacked,
    origin: null,
    assignment: {
      run: RUN,
      fence: 3,
      task: '2c5ea4c0-4067-41e9-8bad-9b1deb4d3b7d',
      artifact: {
        kind: 'container',
        digest: '0'.repeat(64),
        size: 10,
        image: { port: 8080, unreadable: [] },
        isArchived: false,
        ...artifact,
      },
      strictProbabilities: false,
      owners: ['3d813cbb-47fb-42ba-91df-831e1593ac29'],
      specification: {
        command: null,
        environment: {},
        limits: TaskLimits.omit({ artifact: true, unpacked: true }).parse({}),
        runtime: 'runc',
        repeatability: null,
      },
      output: { name: 'label', type: 'label', labels: ['good', 'bad'] },
      weighsCosts: true,
      isAutomatic: false,
      mayDrain: false,
      interruptions: 0,
      datasets: [
        {
          id: DATASET,
          version: '4e9a3e4c-9c1a-4d7e-8a51-5d2d8f6f1a11',
          visibility: 'public',
          isOriginal: true,
          examples: 4,
        },
      ],
    },
    ...view,
  };
}

export const DEPLOYMENT = '7d444840-9dc0-41d1-b245-5ffdce74fad2';

/** A lease of a target model, as the service offers it. */
export function leasedDeploymentView(
  view: Partial<Omit<LeasedDeploymentView, 'assignment'>> = {},
  artifact: Partial<Assignment['artifact']> = {},
): LeasedDeploymentView {
  const { artifact: admitted, owners, specification, output } = leasedRunView({}, artifact).assignment;
  const assignment = { deployment: DEPLOYMENT, fence: 2, artifact: admitted, owners, specification, output };
  return { leaseSeconds: 60, askedSeconds: null, assignment, ...view };
}
