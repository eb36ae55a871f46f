import { computed, Injectable, signal } from '@angular/core';

/** A model that waits to be compared. */
export interface TrayModel {
  /** Of its task. */
  readonly slug: string;
  readonly id: string;
  readonly name: string;
}

/** What waits of one task: only models of the same task compare. */
export interface TrayGroup {
  readonly slug: string;
  readonly models: readonly TrayModel[];
}

/** Models that fit beside each other on a page. */
export const TRAY_ROOM = 6;

const STORED = 'compare';

/** The models that somebody picked to compare: they follow through all pages of this tab of the browser. */
@Injectable({ providedIn: 'root' })
export class CompareTray {
  private readonly picked = signal<readonly TrayModel[]>(stored());

  /** In the order in which they were picked. */
  readonly models = this.picked.asReadonly();
  readonly isFull = computed(() => this.picked().length >= TRAY_ROOM);
  readonly groups = computed<readonly TrayGroup[]>(() => {
    const slugs = [...new Set(this.picked().map(({ slug }) => slug))];
    return slugs.map((slug) => ({ slug, models: this.picked().filter((each) => each.slug === slug) }));
  });

  has(id: string): boolean {
    return this.picked().some((each) => each.id === id);
  }

  /** Does nothing where it is full, or has the model already. */
  add(model: TrayModel): void {
    if (this.isFull() || this.has(model.id)) return;
    const { slug, id, name } = model;
    this.keep([...this.picked(), { slug, id, name }]);
  }

  remove(id: string): void {
    this.keep(this.picked().filter((each) => each.id !== id));
  }

  /** Adds it, or takes it out again. */
  toggle(model: TrayModel): void {
    if (this.has(model.id)) this.remove(model.id);
    else this.add(model);
  }

  /** Takes out all that is of a task. */
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
