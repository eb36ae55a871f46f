import { Readable } from 'node:stream';
import { predictionOf } from '@assay/contracts';
import {
  AnswersChunk,
  ChunkStored,
  CompleteAnswers,
  DatasetStarted,
  FailDataset,
  InputsFrom,
  LARGEST_ANSWER_CHUNK,
  ReportProgress,
  RunFence,
  RunOutcome,
  StoredAnswers,
  StoredAnswersQuery,
  VariantsQuery,
} from '@assay/contracts/gateway';
import { failure } from '@assay/contracts/models';
import type { TokenHolder } from '@assay/evaluation/evaluators';
import {
  Body,
  Controller,
  Get,
  HttpCode,
  HttpStatus,
  Param,
  Post,
  Put,
  Query,
  Req,
  Res,
  StreamableFile,
} from '@nestjs/common';
import { ApiBody, ApiConsumes, ApiNoContentResponse, ApiOkResponse, ApiProduces, ApiTags } from '@nestjs/swagger';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { bodyOf } from '../bodies/streamed-bodies.js';
import { Access, ApiQueries, CurrentEvaluator, Id } from '../routes.js';
import { HeldRuns } from './held-runs.service.js';
import { inputLinesFrom, linesOf } from './input-lines-from.js';
import { JSON_LINES, sendArtifact } from './streams.js';
import { UploadedAnswers } from './uploaded-answers.js';

/**
 * The routes about a run that the evaluator holds. Each request names the fence of the lease. After the
 * lease is lost, all of them are refused with the code `lease_lost` and change nothing.
 */
@ApiTags('evaluator gateway')
@Controller('evaluator/runs/:run')
export class HeldRunsController {
  constructor(
    private readonly runs: HeldRuns,
    private readonly answers: UploadedAnswers,
  ) {}

  /** Extends the lease of a run. */
  @Post('renewal')
  @HttpCode(HttpStatus.NO_CONTENT)
  @Access({ evaluator: true, cost: 'evaluator' })
  @ApiQueries(RunFence)
  @ApiNoContentResponse()
  async renew(
    @CurrentEvaluator() evaluator: TokenHolder,
    @Param('run', { schema: Id }) run: string,
    @Query({ schema: RunFence }) { fence }: RunFence,
  ): Promise<void> {
    await this.runs.renew({ evaluator, run, fence });
  }

  /** Returns the artifact as it was uploaded. A range of bytes from a position to the end can be requested. */
  @Get('artifact')
  @Access({ evaluator: true, cost: 'evaluator' })
  @ApiQueries(RunFence)
  @ApiProduces('application/octet-stream')
  @ApiOkResponse({ schema: { type: 'string', format: 'binary' } })
  async artifact(
    @CurrentEvaluator() evaluator: TokenHolder,
    @Param('run', { schema: Id }) run: string,
    @Query({ schema: RunFence }) { fence }: RunFence,
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<StreamableFile> {
    const held = await this.runs.run({ evaluator, run, fence });
    return sendArtifact(await held.artifact(), held.assignment.artifact.size, request, reply);
  }

  /**
   * Returns the inputs of a dataset as JSON Lines, from a position to the end. They contain no gold
   * outputs and no IDs.
   */
  @Get('datasets/:dataset/inputs')
  @Access({ evaluator: true, cost: 'evaluator' })
  @ApiQueries(InputsFrom)
  @ApiProduces(JSON_LINES)
  @ApiOkResponse({ schema: { type: 'string' } })
  async inputs(
    @CurrentEvaluator() evaluator: TokenHolder,
    @Param('run', { schema: Id }) run: string,
    @Param('dataset', { schema: Id }) dataset: string,
    @Query({ schema: InputsFrom }) { fence, from }: InputsFrom,
  ): Promise<StreamableFile> {
    const held = await this.runs.withDataset({ evaluator, run, fence }, dataset);
    const lines = await inputLinesFrom(held.inputs(dataset), from);
    return new StreamableFile(Readable.from(lines, { objectMode: false }), { type: JSON_LINES });
  }

  /**
   * Returns variants of inputs of a dataset, as JSON Lines: the inputs with typing errors. A run that
   * measures asks them where the dataset has too few examples to ask each only once. They are not scored.
   */
  @Get('datasets/:dataset/variants')
  @Access({ evaluator: true, cost: 'evaluator' })
  @ApiQueries(VariantsQuery)
  @ApiProduces(JSON_LINES)
  @ApiOkResponse({ schema: { type: 'string' } })
  async variants(
    @CurrentEvaluator() evaluator: TokenHolder,
    @Param('run', { schema: Id }) run: string,
    @Param('dataset', { schema: Id }) dataset: string,
    @Query({ schema: VariantsQuery }) { fence, count }: VariantsQuery,
  ): Promise<StreamableFile> {
    const held = await this.runs.withDataset({ evaluator, run, fence }, dataset);
    const lines = await linesOf(held.variants(dataset, count));
    return new StreamableFile(Readable.from(lines, { objectMode: false }), { type: JSON_LINES });
  }

  /** Returns stored answers of the model, to compare them with those of a repeated measurement. */
  @Post('datasets/:dataset/stored-answers')
  @HttpCode(HttpStatus.OK)
  @Access({ evaluator: true, cost: 'evaluator' })
  @ApiQueries(RunFence)
  @ApiOkResponse({ standardSchema: StoredAnswers })
  async storedAnswers(
    @CurrentEvaluator() evaluator: TokenHolder,
    @Param('run', { schema: Id }) run: string,
    @Param('dataset', { schema: Id }) dataset: string,
    @Query({ schema: RunFence }) { fence }: RunFence,
    @Body({ schema: StoredAnswersQuery }) { places }: StoredAnswersQuery,
  ): Promise<StoredAnswers> {
    const held = await this.runs.withDataset({ evaluator, run, fence }, dataset);
    const answers = await held.storedAnswers(dataset, places);
    const { output } = held.assignment;
    return { answers: answers && answers.map((answer) => answer && predictionOf(output, answer)) };
  }

  /** Reports that the evaluator begins a dataset. */
  @Post('datasets/:dataset/start')
  @HttpCode(HttpStatus.OK)
  @Access({ evaluator: true, cost: 'evaluator' })
  @ApiQueries(RunFence)
  @ApiOkResponse({ standardSchema: DatasetStarted })
  async start(
    @CurrentEvaluator() evaluator: TokenHolder,
    @Param('run', { schema: Id }) run: string,
    @Param('dataset', { schema: Id }) dataset: string,
    @Query({ schema: RunFence }) { fence }: RunFence,
  ): Promise<DatasetStarted> {
    const held = await this.runs.withDataset({ evaluator, run, fence }, dataset);
    return { isAsked: await held.start(dataset) };
  }

  /** Reports how many examples are answered. */
  @Post('datasets/:dataset/progress')
  @HttpCode(HttpStatus.NO_CONTENT)
  @Access({ evaluator: true, cost: 'evaluator' })
  @ApiQueries(RunFence)
  @ApiNoContentResponse()
  async progress(
    @CurrentEvaluator() evaluator: TokenHolder,
    @Param('run', { schema: Id }) run: string,
    @Param('dataset', { schema: Id }) dataset: string,
    @Query({ schema: RunFence }) { fence }: RunFence,
    @Body({ schema: ReportProgress }) progress: ReportProgress,
  ): Promise<void> {
    const held = await this.runs.withDataset({ evaluator, run, fence }, dataset);
    held.progress(dataset, progress);
  }

  /**
   * Uploads the next answers to a dataset as JSON Lines, in its order: predictions in the form of the
   * container contract, and null for an invalid one. `offset` is the number of bytes before them. A
   * chunk may be sent again.
   */
  @Put('datasets/:dataset/answers')
  @Access({ evaluator: true, cost: 'evaluator', stream: 'answers' })
  @ApiQueries(AnswersChunk)
  @ApiConsumes(JSON_LINES)
  @ApiBody({ schema: { type: 'string', format: 'binary' } })
  @ApiOkResponse({ standardSchema: ChunkStored })
  async append(
    @CurrentEvaluator() evaluator: TokenHolder,
    @Param('run', { schema: Id }) run: string,
    @Param('dataset', { schema: Id }) dataset: string,
    @Query({ schema: AnswersChunk }) { fence, offset }: AnswersChunk,
    @Req() request: FastifyRequest,
  ): Promise<ChunkStored> {
    await this.runs.expectDataset({ evaluator, run, fence }, dataset);
    const body = bodyOf(request, LARGEST_ANSWER_CHUNK);
    return { size: await this.answers.append({ claim: { runId: run, fence }, dataset }, offset, body) };
  }

  /** Completes the answers to a dataset. The service checks and counts them, stores them, and scores them. */
  @Post('datasets/:dataset/answers')
  @HttpCode(HttpStatus.NO_CONTENT)
  @Access({ evaluator: true, cost: 'evaluator' })
  @ApiQueries(RunFence)
  @ApiNoContentResponse()
  async complete(
    @CurrentEvaluator() evaluator: TokenHolder,
    @Param('run', { schema: Id }) run: string,
    @Param('dataset', { schema: Id }) dataset: string,
    @Query({ schema: RunFence }) { fence }: RunFence,
    @Body({ schema: CompleteAnswers }) body: CompleteAnswers,
  ): Promise<void> {
    const held = await this.runs.withDataset({ evaluator, run, fence }, dataset);
    await this.answers.complete({ claim: { runId: run, fence }, dataset }, held, body);
  }

  /** Reports that the model failed on a dataset. */
  @Post('datasets/:dataset/failure')
  @HttpCode(HttpStatus.NO_CONTENT)
  @Access({ evaluator: true, cost: 'evaluator' })
  @ApiQueries(RunFence)
  @ApiNoContentResponse()
  async fail(
    @CurrentEvaluator() evaluator: TokenHolder,
    @Param('run', { schema: Id }) run: string,
    @Param('dataset', { schema: Id }) dataset: string,
    @Query({ schema: RunFence }) { fence }: RunFence,
    @Body({ schema: FailDataset }) { failure: { code, message } }: FailDataset,
  ): Promise<void> {
    const held = await this.runs.withDataset({ evaluator, run, fence }, dataset);
    await held.failDataset(dataset, failure(code, message));
  }

  /** Reports how the run ended on this evaluator. The lease ends with it. */
  @Post('outcome')
  @HttpCode(HttpStatus.NO_CONTENT)
  @Access({ evaluator: true, cost: 'evaluator' })
  @ApiQueries(RunFence)
  @ApiNoContentResponse()
  async end(
    @CurrentEvaluator() evaluator: TokenHolder,
    @Param('run', { schema: Id }) run: string,
    @Query({ schema: RunFence }) { fence }: RunFence,
    @Body({ schema: RunOutcome }) outcome: RunOutcome,
  ): Promise<void> {
    await this.runs.end({ evaluator, run, fence }, outcome);
  }
}
