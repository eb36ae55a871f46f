import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { ReadyTaskList, TaskDefinition } from '@assay/contracts/tasks';
import { Controller, Get } from '@nestjs/common';
import { ApiOkResponse, ApiTags } from '@nestjs/swagger';
import { parse } from 'yaml';
import { Environment } from '../environment.js';

@ApiTags('tasks')
@Controller('ready-tasks')
export class ReadyTasksController {
  constructor(private readonly environment: Environment) {}

  /** Returns the task definitions that come with the service, as starting points. */
  @Get()
  @ApiOkResponse({ standardSchema: ReadyTaskList })
  async list(): Promise<ReadyTaskList> {
    const folder = this.environment.readyTasks;
    const files = (await readdir(folder)).filter((file) => file.endsWith('.yaml')).sort();
    return {
      items: await Promise.all(files.map(async (file) => readyTask(await readFile(join(folder, file), 'utf8')))),
    };
  }
}

function readyTask(yaml: string): ReadyTaskList['items'][number] {
  const { slug, name, description } = TaskDefinition.parse(parse(yaml));
  return { slug, name, description, yaml };
}
