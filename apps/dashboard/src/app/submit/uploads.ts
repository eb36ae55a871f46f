import { Injectable, signal } from '@angular/core';
import { Subject } from 'rxjs';
import { ArtifactUpload, type EarlierUpload } from './artifact-upload.js';

/** The uploads of this window, by model: they go on while other pages are looked at. */
@Injectable({ providedIn: 'root' })
export class Uploads {
  private readonly known = signal<ReadonlyMap<string, ArtifactUpload>>(new Map());
  private readonly arrivals = new Subject<string>();

  /** Ids of models whose artifacts have arrived. */
  readonly arrived = this.arrivals.asObservable();

  /** Undefined: none was begun in this window. */
  of(model: string | undefined): ArtifactUpload | undefined {
    return model === undefined ? undefined : this.known().get(model);
  }

  begin(model: string, file: File, earlier: EarlierUpload | null): void {
    this.of(model)?.leave();
    const upload = new ArtifactUpload(file, model, earlier, () => this.arrivals.next(model));
    this.known.update((known) => new Map(known).set(model, upload));
    upload.start();
  }
}
