import type { Failure, PlacementProgress, PlacementState, Serving } from '@assay/contracts';
import type { Notifications } from '@assay/persistence';
import type { EntityManager } from '@mikro-orm/postgresql';
import { PLACEMENT_CHANNEL } from './placement.js';

/** A placement as its callers need to know it. */
export interface KnownPlacement {
  readonly id: string;
  readonly state: PlacementState;
  readonly specification: string;
  readonly address: string | null;
  readonly secret: string | null;
  readonly paused: boolean;
  readonly progress: PlacementProgress | null;
  readonly failure: Failure | null;
}

type PlacementRow = KnownPlacement & { readonly model: string };

/** Without a ring, a change is known after so many milliseconds. */
const KEPT_MILLISECONDS = 1000;

/** Those that are live, the ready before the paused, and these before the others; the last that was given up after them. */
const OF_MODELS = `
  select id, model_id as model, state, specification_id as specification, address, secret, paused, progress, failure
    from (select p.*, row_number() over (partition by model_id, state order by ended_at desc nulls first, copy) as place
      from placement p where p.model_id = any(?::uuid[]) and (state in ('wanted', 'starting', 'failed')
        or (state = 'ready' and lease_until > now()))) p
    where state <> 'failed' or place = 1
    order by array_position(array['ready', 'starting', 'wanted', 'failed'], state::text), paused, place`;

/** Where models in the loop are served, from the database, but asked for once a second at most: a prediction must not wait for it. */
export class PlacementDirectory {
  private readonly known = new Map<
    string,
    { readonly until: number; readonly placements: Promise<KnownPlacement[]> }
  >();
  private listening: Promise<unknown> | null = null;

  constructor(
    private readonly em: EntityManager,
    private readonly notifications: Pick<Notifications, 'subscribe'>,
  ) {}

  /** The placements of a model, those that answer first. */
  of(modelId: string): Promise<readonly KnownPlacement[]> {
    this.listening ??= this.notifications.subscribe(
      PLACEMENT_CHANNEL,
      () => this.known.clear(),
      () => this.known.clear(),
    );
    const now = performance.now();
    const known = this.known.get(modelId);
    if (known && known.until > now) return known.placements;

    const placements = this.listening.then(() => this.read([modelId])).then((rows) => rows.map(withoutModel));
    this.known.set(modelId, { until: now + KEPT_MILLISECONDS, placements });
    placements.catch(() => this.known.delete(modelId));
    return placements;
  }

  /** What was known of the model may be wrong: it is looked up anew. */
  forget(modelId: string): void {
    this.known.delete(modelId);
  }

  /** How each of the models is served; those that never were are left out. */
  async serving(modelIds: readonly string[]): Promise<ReadonlyMap<string, Serving>> {
    const servings = new Map<string, Serving>();
    for (const { model, state, paused, progress, failure } of await this.read(modelIds)) {
      if (servings.has(model)) continue;
      servings.set(model, { state, paused, ...(progress && { progress }), ...(failure && { failure }) });
    }
    return servings;
  }

  private read(modelIds: readonly string[]): Promise<PlacementRow[]> {
    return this.em.fork().execute<PlacementRow[]>(OF_MODELS, [`{${modelIds.join(',')}}`]);
  }
}

const withoutModel = ({ model: _, ...known }: PlacementRow): KnownPlacement => known;
