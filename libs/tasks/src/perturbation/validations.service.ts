import { createHash } from 'node:crypto';
import type { Readable } from 'node:stream';
import type { Perturbation } from '@assay/contracts/metrics';
import { type Principal } from '@assay/identity';
import { type Actor, AuditLog } from '@assay/identity/audit';
import { DomainError } from '@assay/kernel';
import { Outbox } from '@assay/persistence/outbox';
import { BLOB_STORE, type BlobStore } from '@assay/storage';
import { EntityManager } from '@mikro-orm/postgresql';
import { Inject, Injectable } from '@nestjs/common';
import { z } from 'zod';
import { type AppliedTransform, auditedDataset, Dataset, DatasetVersion } from '../datasets/dataset.js';
import { badLine, recordsOf } from '../examples/dataset-records.js';
import { inputsOf } from '../examples/example.js';
import { lineGroups } from '../examples/line-groups.js';
import { lockTask, ownsTask, type Task } from '../task.js';

/** Variants of each transform that people are asked to check. */
const SAMPLE = 100;

/** The largest number of verdicts in one upload. */
const MOST_VERDICTS = 100_000;

const Verdict = z.strictObject({
  id: z.union([z.string().max(1000), z.number()]).transform(String),
  kept: z.boolean(),
});

type Fields = Readonly<Record<string, unknown>>;

/** Records human verdicts on perturbed versions: whether the label of a variant still holds. */
@Injectable()
export class PerturbationValidations {
  constructor(
    private readonly em: EntityManager,
    @Inject(BLOB_STORE) private readonly blobs: BlobStore,
  ) {}

  /**
   * Returns the perturbed versions of a dataset that `principal` may read.
   * @throws DomainError `not_found`, also for a hidden dataset, so that nobody learns that it
   * exists
   */
  async readable(principal: Principal | null, task: Task, name: string): Promise<DatasetVersion[]> {
    const dataset = await this.em.findOne(Dataset, { task, name, perturbation: null });
    if (!dataset || (dataset.visibility === 'hidden' && !ownsTask(principal, task))) {
      throw DomainError.notFound('dataset');
    }
    return this.ofDataset(this.em, task, name);
  }

  /**
   * Returns the perturbed version of one kind that `principal` may read.
   * @throws DomainError `not_found`
   */
  async readableOf(principal: Principal | null, task: Task, name: string, kind: Perturbation): Promise<DatasetVersion> {
    return versionOf(await this.readable(principal, task, name), kind);
  }

  /**
   * Returns the perturbed version of that kind without an access check.
   * @throws DomainError `not_found`
   */
  async ofKind(task: Task, name: string, kind: Perturbation, em = this.em): Promise<DatasetVersion> {
    return versionOf(await this.ofDataset(em, task, name), kind);
  }

  /** Returns the active version of each kind, or the proposed one if none is active. */
  private async ofDataset(em: EntityManager, task: Task, name: string): Promise<DatasetVersion[]> {
    const versions = await em.find(
      DatasetVersion,
      { dataset: { task, original: { name }, perturbation: { $ne: null } }, status: ['active', 'proposed'] },
      { populate: ['dataset', 'original'], orderBy: { dataset: { name: 'asc' }, status: 'asc', number: 'desc' } },
    );
    return versions.filter(({ dataset }, place) => versions.findIndex((each) => each.dataset === dataset) === place);
  }

  /**
   * Returns a sample as JSON Lines: up to 100 variants of each transform, the first by hash, each
   * with the inputs of its original.
   */
  async sample(task: Task, version: DatasetVersion): Promise<string> {
    const byTransform = new Map<string, Fields[]>();
    for await (const fields of this.records(version.content)) {
      const transform = String(fields['transform']);
      const sampled = byTransform.get(transform) ?? [];
      byTransform.set(transform, sampled);
      sampled.push(fields);
      if (sampled.length > 10 * SAMPLE) shrink(sampled, version.digest);
    }
    for (const sampled of byTransform.values()) shrink(sampled, version.digest);
    const variants = [...byTransform.values()].flat();
    const originals = await this.originals(
      task,
      version,
      new Set(variants.map((fields) => String(fields['input_id']))),
    );
    return variants
      .map((fields) => JSON.stringify({ ...fields, original: originals.get(String(fields['input_id'])) ?? null }))
      .map((line) => `${line}\n`)
      .join('');
  }

  /**
   * Stores verdicts (JSON Lines of `{id, kept}`), which replace the earlier ones. If they change
   * the counts, the task's scores become stale.
   * @throws DomainError `not_found`, `bad_line`, `unknown_variant`; nothing is stored then
   */
  async record(actor: Actor, task: Task, name: string, kind: Perturbation, source: Readable): Promise<DatasetVersion> {
    const { examples } = await this.ofKind(task, name, kind, this.em.fork());
    const verdicts = await readVerdicts(source, examples);
    return this.em.transactional(async (em) => {
      await lockTask(em, task);
      const version = await this.ofKind(task, name, kind, em);
      const transforms = await this.counted(version, verdicts);
      if (JSON.stringify(transforms) !== JSON.stringify(version.transforms)) {
        const subject = auditedDataset(task, version.dataset);
        const changes = { from: { transforms: version.transforms }, to: { transforms } };
        AuditLog.record(em, actor, { action: 'dataset.changed', subject, ...changes });
        version.transforms = transforms;
        Outbox.add(em, 'scores.stale', { taskId: task.id });
      }
      return version;
    });
  }

  private async counted(
    version: DatasetVersion,
    verdicts: ReadonlyMap<string, PlacedVerdict>,
  ): Promise<readonly AppliedTransform[]> {
    const missing = new Set(verdicts.keys());
    const validated = new Map<string, number>();
    const kept = new Map<string, number>();
    for await (const fields of this.records(version.content)) {
      const id = String(fields['id']);
      const verdict = verdicts.get(id);
      if (!verdict) continue;
      missing.delete(id);
      const transform = String(fields['transform']);
      validated.set(transform, (validated.get(transform) ?? 0) + 1);
      if (verdict.kept) kept.set(transform, (kept.get(transform) ?? 0) + 1);
    }
    const [unknown] = missing;
    if (unknown !== undefined) {
      const why = `"${unknown.slice(0, 200)}" is not a variant of this perturbed version`;
      throw badLine(verdicts.get(unknown)!.place, why, 'unknown_variant');
    }
    return (version.transforms ?? []).map((transform) => ({
      ...transform,
      validated: validated.get(transform.name) ?? 0,
      kept: kept.get(transform.name) ?? 0,
    }));
  }

  private async originals(task: Task, version: DatasetVersion, ids: ReadonlySet<string>): Promise<Map<string, object>> {
    const found = new Map<string, object>();
    if (!version.original) return found;
    for await (const fields of this.records(version.original.content)) {
      const id = String(fields['id']);
      if (ids.has(id)) found.set(id, inputsOf(task.definition, fields));
    }
    return found;
  }

  private async *records(content: string): AsyncGenerator<Fields> {
    for await (const lines of lineGroups(this.blobs.open(content))) {
      for (const line of lines) if (line !== '') yield JSON.parse(line) as Fields;
    }
  }
}

function versionOf(versions: readonly DatasetVersion[], kind: Perturbation): DatasetVersion {
  const version = versions.find(({ dataset }) => dataset.perturbation === kind);
  if (!version) throw DomainError.notFound('perturbed version of the dataset');
  return version;
}

interface PlacedVerdict {
  readonly kept: boolean;
  /** The line number, from 1. */
  readonly place: number;
}

/** @param variants number of variants, which bounds the number of verdicts that are read */
async function readVerdicts(source: Readable, variants: number): Promise<ReadonlyMap<string, PlacedVerdict>> {
  const verdicts = new Map<string, PlacedVerdict>();
  const most = Math.min(variants, MOST_VERDICTS);
  for await (const { place, record } of recordsOf(source)) {
    const parsed = Verdict.safeParse(record);
    if (!parsed.success) throw badLine(place, 'is not of the form {"id", "kept": true or false}');
    const { id, kept } = parsed.data;
    if (verdicts.has(id)) throw badLine(place, `the id "${id}" already occurs on an earlier line`);
    if (verdicts.size === most) {
      throw badLine(place, `there are too many verdicts: the limit is ${most}, for ${variants} variants`);
    }
    verdicts.set(id, { kept, place });
  }
  return verdicts;
}

/** Reduces `variants` to the first `SAMPLE` by the hash of their id. */
function shrink(variants: Fields[], digest: string): void {
  const hashOf = (fields: Fields) =>
    createHash('sha256')
      .update(JSON.stringify([digest, 'validation', fields['id']]))
      .digest('hex');
  const hashed = variants.map((fields) => ({ fields, hash: hashOf(fields) }));
  hashed.sort((one, other) => (one.hash < other.hash ? -1 : 1));
  variants.splice(0, variants.length, ...hashed.slice(0, SAMPLE).map(({ fields }) => fields));
}
