import type { Principal } from '@assay/identity';
import { DomainError } from '@assay/kernel';
import { EntityManager } from '@mikro-orm/postgresql';
import { Injectable } from '@nestjs/common';
import { DatasetVersion } from './dataset.js';
import type { Task } from '../task.js';
import { mayReadExamples } from '../tasks.service.js';

/** Reads all versions of a dataset, including retired ones, for users who may read its gold. */
@Injectable()
export class DatasetVersionsService {
  constructor(private readonly em: EntityManager) {}

  /**
   * Returns the versions in ascending order.
   * @throws DomainError `not_found` if the dataset does not exist or `principal` may not read its
   * gold
   */
  async readable(principal: Principal | null, task: Task, name: string): Promise<DatasetVersion[]> {
    const versions = await this.em.find(
      DatasetVersion,
      { dataset: { task, name, perturbation: null } },
      { populate: ['dataset'], orderBy: { number: 'asc' } },
    );
    const [first] = versions;
    if (first && mayReadExamples(principal, task, first.dataset)) return versions;
    throw DomainError.notFound('dataset');
  }

  async readableVersion(
    principal: Principal | null,
    task: Task,
    name: string,
    number: number,
  ): Promise<DatasetVersion> {
    const version = (await this.readable(principal, task, name)).find((each) => each.number === number);
    if (version) return version;
    throw DomainError.notFound('dataset version');
  }
}
