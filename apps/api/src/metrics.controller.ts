import { Metrics } from '@assay/observability';
import { Controller, Get, Res } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import type { FastifyReply } from 'fastify';

@ApiExcludeController()
@Controller('metrics')
export class MetricsController {
  constructor(private readonly metrics: Metrics) {}

  /** For Prometheus; at the root, outside of the versioned API. */
  @Get()
  async expose(@Res() reply: FastifyReply): Promise<void> {
    const { contentType, body } = await this.metrics.expose();
    await reply.header('content-type', contentType).send(body);
  }
}
