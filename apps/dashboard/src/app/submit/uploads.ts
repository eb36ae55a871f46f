import { Injectable, signal } from '@angular/core';
import { Subject } from 'rxjs';
import { ArtifactUpload, type EarlierUpload } from './artifact-upload.js';

/** The uploads of this window, by model. They continue while the user visits other pages. */
@Injectable({ providedIn: 'root' })
export class Uploads {
  private readonly known = signal<ReadonlyMap<string, ArtifactUpload>>(new Map());
  private readonly arrivals = new Subject<string>();

  /** Emits the id of a model when its artifact is uploaded completely. */
  readonly arrived = this.arrivals.asObservable();

  /** Returns the upload of a model; undefined if none was started in this window. */
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
