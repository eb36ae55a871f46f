import type { EvaluatorList, QueueStates } from '@assay/contracts/operations';
import { WorkStatisticsRepository } from '@assay/evaluation';
import { EvaluatorRepository } from '@assay/evaluation/evaluators';
import { OutboxRepository } from '@assay/persistence/outbox';
import { ArtifactRepository } from '@assay/submissions/artifacts';
import { EntityManager } from '@mikro-orm/postgresql';
import { Injectable } from '@nestjs/common';
import { type Sandbox, SandboxRepository } from './sandbox.repository.js';

type FoundImage = EvaluatorList['differingImages'][number]['found'];

const DAY_SECONDS = 86_400;
/** The most images that are shown because evaluators found something else in them. */
const MOST_IMAGES = 20;

const workOf = ({
  kind,
  id,
  task,
  model,
  does,
  since,
  leaseUntil,
}: Sandbox): EvaluatorList['items'][number]['work'][number] => ({
  kind,
  id,
  task,
  model,
  does,
  since,
  leaseUntil,
});

const found = ({ evaluator, port, protocol, unpackedBytes }: FoundImage): FoundImage => ({
  evaluator,
  port,
  protocol,
  unpackedBytes,
});

/** Reads queued and running work from the database. */
@Injectable()
export class WorkUnderWay {
  constructor(private readonly em: EntityManager) {}

  /** Returns the leased runs and the active deployments, oldest first. */
  async sandboxes(): Promise<Sandbox[]> {
    return new SandboxRepository(this.em.fork()).running();
  }

  /**
   * Returns the evaluators that were seen in the last day or hold a lease, with their work. Sorted
   * by name.
   */
  async evaluators(): Promise<EvaluatorList> {
    const seen = await new EvaluatorRepository(this.em.fork()).seenWithin(DAY_SECONDS, 'anyone');
    const present = new Map(seen.map((evaluator) => [evaluator.name, evaluator]));
    const sandboxes = await this.sandboxes();
    const differing = await new ArtifactRepository(this.em.fork()).imagesThatDiffer(MOST_IMAGES);
    const names = [...new Set([...present.keys(), ...sandboxes.map(({ evaluator }) => evaluator)])].sort();
    return {
      items: names.map((name) => {
        const presence = present.get(name);
        const work = sandboxes.filter(({ evaluator }) => evaluator === name).map(workOf);
        return {
          name,
          seenAt: presence?.lastSeenAt.toISOString() ?? null,
          isLive: presence?.isOnline === true || work.length > 0,
          leases: work.length,
          work,
        };
      }),
      differingImages: differing.map(({ digest, image, differs }) => ({
        digest,
        admitted: found({ ...image, evaluator: image.evaluator ?? null }),
        found: found(differs),
        at: differs.at,
      })),
    };
  }

  /** Returns the numbers of runs by stage, and of undelivered outbox events. */
  async queued(): Promise<Pick<QueueStates, 'runs' | 'events'>> {
    const em = this.em.fork();
    return { events: await new OutboxRepository(em).waiting(), runs: await new WorkStatisticsRepository(em).stages() };
  }
}
