import type { Principal } from '@assay/identity';
import { UserStorageService } from '@assay/submissions/artifacts';
import { type Task, TasksService } from '@assay/tasks';
import { Injectable } from '@nestjs/common';

/** Transfers a task to another user, whose storage its datasets count against from then on. */
@Injectable()
export class TransferTask {
  constructor(
    private readonly tasks: TasksService,
    private readonly storage: UserStorageService,
  ) {}

  /** @throws DomainError `not_found`, `not_the_owner`, `unknown_user`, `storage_quota` */
  async execute(principal: Principal, slug: string, username: string): Promise<Task> {
    return this.tasks.give(principal, slug, username, (em, receiver, pass) => this.storage.give(em, receiver, pass));
  }
}
