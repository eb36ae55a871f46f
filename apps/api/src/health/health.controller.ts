import { DomainError } from '@assay/kernel';
import { EntityManager } from '@mikro-orm/postgresql';
import { Controller, Get } from '@nestjs/common';
import { ApiOkResponse, ApiTags } from '@nestjs/swagger';
import { z } from 'zod';

const Health = z.object({ status: z.literal('ok') }).meta({ id: 'Health' });
type Health = z.infer<typeof Health>;

@ApiTags('health')
@Controller('health')
export class HealthController {
  constructor(private readonly em: EntityManager) {}

  /** The process answers. */
  @Get('live')
  @ApiOkResponse({ standardSchema: Health })
  live(): Health {
    return { status: 'ok' };
  }

  /** The process can do its work: the database answers and has the schema. */
  @Get('ready')
  @ApiOkResponse({ standardSchema: Health })
  async ready(): Promise<Health> {
    try {
      await this.em.execute('select 1 from task limit 1');
      return { status: 'ok' };
    } catch {
      throw new DomainError('unavailable', 'not_ready', 'The database does not answer, or lacks the schema.');
    }
  }
}
