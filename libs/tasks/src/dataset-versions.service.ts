import type { Principal } from '@assay/identity';
import { DomainError } from '@assay/kernel';
import { EntityManager } from '@mikro-orm/postgresql';
import { Injectable } from '@nestjs/common';
import { DatasetVersion } from './dataset.js';
import type { Task } from './task.js';
import { mayReadExamples } from './tasks.service.js';

/** Every version that a dataset ever had, for those who may read it whole. */
@Injectable()
export class DatasetVersionsService {
  constructor(private readonly em: EntityManager) {}

  /** In their order. @throws DomainError `not_found` where there is no such dataset, or `principal` may not read it whole */
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
