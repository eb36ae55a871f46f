import { randomBytes } from 'node:crypto';
import { readFile, rm } from 'node:fs/promises';
import type { ModelCreated, SubmitModel } from '@assay/contracts/models';
import { MIB } from '../../process-memory.js';
import { costlyBundle, nullImage, packed } from '../../submissions.js';
import type { SoakListener } from './listener.js';
import type { SoakOperation } from './operations.js';
import type { SoakedService } from './soaked-service.js';
import type { SoakTally } from './watch.js';
import { uploadInPieces } from './upload-in-pieces.js';

const NOISE = 32 * MIB;
/**
 * The number of models on the board. Each further submission withdraws the oldest, so that the
 * amount of stored data stays constant.
 */
const STANDING = 10;
/** The number of clients that follow each submission in addition to the main one. */
const FOLLOWERS = 6;

type Upload = (announced: ModelCreated, path: string) => Promise<unknown>;

/** The submissions of the user ada, followed by several clients. */
export class SoakSubmissions {
  constructor(
    private readonly soak: SoakedService,
    private readonly tally: SoakTally,
    private readonly listener: SoakListener,
  ) {}

  get operations(): readonly SoakOperation[] {
    return [
      { kind: 'bundle evaluated', people: 1, pace: 20_000, act: () => this.bundle() },
      { kind: 'upload resumed', people: 1, pace: 60_000, act: () => this.pieces() },
      { kind: 'image evaluated', people: 1, pace: 240_000, act: () => this.image() },
      { kind: 'upload refused', people: 1, pace: 60_000, act: () => this.noise() },
    ];
  }

  async bundle(): Promise<void> {
    await this.evaluated('onnx', await this.newBundle(), this.whole);
  }

  private async pieces(): Promise<void> {
    const upload: Upload = async ({ upload }, path) =>
      uploadInPieces(upload, await this.soak.world.user('ada'), await readFile(path));
    await this.evaluated('onnx', await this.newBundle(), upload);
  }

  private async image(): Promise<void> {
    const image = await nullImage(this.soak.context.folder, 'hashed', `soak-${this.soak.number()}`);
    await this.evaluated('container', image, this.whole);
  }

  private async newBundle(): Promise<string> {
    const folder = await costlyBundle(this.soak.context.folder, 1, this.soak.number());
    const path = await packed(folder);
    await rm(folder, { recursive: true });
    return path;
  }

  private readonly whole: Upload = async ({ id }, file) => {
    const { world } = this.soak;
    await world.expect(202, 'PUT', `/models/${id}/artifact`, { token: await world.user('ada'), file });
  };

  /**
   * Submits an artifact and waits for its scores. All followers and the owner's webhook must
   * receive the final state.
   */
  private async evaluated(kind: SubmitModel['kind'], path: string, upload: Upload): Promise<void> {
    const { world, task, standing } = this.soak;
    const name = `model ${this.soak.number()}`;
    const token = await world.user('ada');
    const created = await world.expect(201, 'POST', `/tasks/${task}/models`, { token, body: { name, kind } });
    const { id } = created.body as ModelCreated;
    const followers = Array.from({ length: FOLLOWERS }, (_, index) =>
      this.tally.of('follower told', () => this.follow(id, index)),
    );
    await upload(created.body as ModelCreated, path);
    const { model } = await world.untilFinal(id);
    if (model.state !== 'scored') throw new Error(`${name} ${model.state}: ${JSON.stringify(model.failure)}`);
    await Promise.all([rm(path), this.listener.told(id), ...followers]);
    standing.push(id);
    if (standing.length <= STANDING) return;
    await world.expect(200, 'POST', `/models/${standing.shift()!}/withdraw`, { token });
  }

  /**
   * Follows a model until its final state. Every other follower disconnects after the first event
   * and reconnects.
   */
  private async follow(id: string, index: number): Promise<void> {
    const { world } = this.soak;
    if (index % 2 === 1) await world.untilEvent(id, () => true);
    const { events, model } = await world.untilFinal(id);
    const last = events.at(-1);
    if (last?.type !== 'state' || last.state !== 'scored' || model.state !== 'scored') {
      throw new Error(`a follower was told ${JSON.stringify(events)} of a model that is ${model.state}`);
    }
  }

  /** Uploads random bytes as an image. The upload must arrive, then fail as a model error. */
  private async noise(): Promise<void> {
    const { world, task } = this.soak;
    const name = `noise ${this.soak.number()}`;
    const id = await world.submit(task, { name, kind: 'container' }, randomBytes(NOISE));
    const { model } = await world.untilFinal(id);
    if (model.state !== 'failed' || model.failure?.fault !== 'model') {
      throw new Error(`${name} ${model.state}: ${JSON.stringify(model.failure)}`);
    }
    await this.listener.told(id);
  }
}
