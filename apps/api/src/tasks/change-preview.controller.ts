import { ChangeTask } from '@assay/application';
import { TaskChangePreview } from '@assay/contracts/datasets';
import { Body, Controller, HttpCode, HttpStatus, Param, Post } from '@nestjs/common';
import { ApiOkResponse, ApiTags } from '@nestjs/swagger';
import { z } from 'zod';
import { Access, CurrentUser, type Principal } from '../routes.js';

/** A JSON merge patch of a task definition. */
export const TaskChange = z
  .record(z.string(), z.unknown())
  .meta({ id: 'TaskChange', description: 'Any keys of a task definition' });

@ApiTags('tasks')
@Controller('tasks/:slug/preview')
export class ChangePreviewController {
  constructor(private readonly changeTask: ChangeTask) {}

  /**
   * Returns what `PATCH /tasks/{slug}` with the same body would change. The preview shows the
   * effects on the loop and on the board, with its first models and their ranks, and what would be
   * scored again. Only the owner of the task can request it, and nothing is saved.
   */
  @Post()
  @Access({ cost: 'costly', scope: 'read' })
  @HttpCode(HttpStatus.OK)
  @ApiOkResponse({ standardSchema: TaskChangePreview })
  async preview(
    @CurrentUser() principal: Principal,
    @Param('slug') slug: string,
    @Body({ schema: TaskChange }) body: Record<string, unknown>,
  ): Promise<TaskChangePreview> {
    return this.changeTask.preview(principal, slug, body);
  }
}
