import { HttpClient, type HttpHeaders } from '@angular/common/http';
import { catchError, map, type Observable, of } from 'rxjs';
import { type EarlierUpload, uploadAddress } from './artifact-upload.js';

/** Returns the unfinished upload of a model's artifact; null if there is none. */
export function earlierUpload(http: HttpClient, model: string): Observable<EarlierUpload | null> {
  const headers = { 'tus-resumable': '1.0.0' };
  return http.head(uploadAddress(model), { headers, observe: 'response' }).pipe(
    map((response) => readEarlier(response.headers)),
    catchError(() => of(null)),
  );
}

/** Reads the progress of an upload from the tus headers; null if nothing was uploaded. */
export function readEarlier(headers: Pick<HttpHeaders, 'get'>): EarlierUpload | null {
  const [size, sent] = [Number(headers.get('upload-length')), Number(headers.get('upload-offset'))];
  const { filename, modified } = metadataOf(headers.get('upload-metadata') ?? '');
  if (!(size > 0) || !(sent > 0) || filename === undefined) return null;
  return { name: filename, size, sent, modified: Number(modified) };
}

/** Returns whether `file` is the file of the unfinished upload, so that the upload can resume. */
export const isSameFile = (file: File, earlier: EarlierUpload): boolean =>
  file.name === earlier.name && file.size === earlier.size && file.lastModified === earlier.modified;

/** Parses an `upload-metadata` header: `name base64, name base64`, with values in UTF-8. */
function metadataOf(header: string): Readonly<Record<string, string>> {
  const pairs = header.split(',').map((pair) => pair.trim().split(' '));
  return Object.fromEntries(pairs.map(([name = '', value = '']) => [name, utf8(value)] as const));
}

function utf8(base64: string): string {
  try {
    return new TextDecoder().decode(Uint8Array.from(atob(base64), (character) => character.charCodeAt(0)));
  } catch {
    return '';
  }
}
