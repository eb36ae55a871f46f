import { computed, Injectable, signal } from '@angular/core';

/** A model selected for comparison. */
export interface TrayModel {
  /** The slug of its task. */
  readonly slug: string;
  readonly id: string;
  readonly name: string;
}

/** The selected models of one task. Only models of the same task can be compared. */
export interface TrayGroup {
  readonly slug: string;
  readonly models: readonly TrayModel[];
}

/** The number of models that fit next to each other on a page. */
export const TRAY_ROOM = 6;

const STORED = 'compare';

/** The models selected for comparison. They are stored for the browser tab, across all pages. */
@Injectable({ providedIn: 'root' })
export class CompareTray {
  private readonly picked = signal<readonly TrayModel[]>(stored());

  /** The models in the order of their selection. */
  readonly models = this.picked.asReadonly();
  readonly isFull = computed(() => this.picked().length >= TRAY_ROOM);
  readonly groups = computed<readonly TrayGroup[]>(() => {
    const slugs = [...new Set(this.picked().map(({ slug }) => slug))];
    return slugs.map((slug) => ({ slug, models: this.picked().filter((each) => each.slug === slug) }));
  });

  has(id: string): boolean {
    return this.picked().some((each) => each.id === id);
  }

  /** Does nothing if the tray is full or already has the model. */
  add(model: TrayModel): void {
    if (this.isFull() || this.has(model.id)) return;
    const { slug, id, name } = model;
    this.keep([...this.picked(), { slug, id, name }]);
  }

  remove(id: string): void {
    this.keep(this.picked().filter((each) => each.id !== id));
  }

  /** Adds the model, or removes it if it was selected. */
  toggle(model: TrayModel): void {
    if (this.has(model.id)) this.remove(model.id);
    else this.add(model);
  }

  /** Removes all models of a task. */
  clear(slug: string): void {
    this.keep(this.picked().filter((each) => each.slug !== slug));
  }

  private keep(models: readonly TrayModel[]): void {
    this.picked.set(models);
    sessionStorage.setItem(STORED, JSON.stringify(models));
  }
}

function stored(): readonly TrayModel[] {
  try {
    const models: unknown = JSON.parse(sessionStorage.getItem(STORED) ?? '[]');
    return Array.isArray(models) ? models.filter(isTrayModel).slice(0, TRAY_ROOM) : [];
  } catch {
    return [];
  }
}

const isTrayModel = (value: unknown): value is TrayModel =>
  typeof value === 'object' &&
  value !== null &&
  ['slug', 'id', 'name'].every((key) => typeof (value as Record<string, unknown>)[key] === 'string');
