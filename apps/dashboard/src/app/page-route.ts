import type { Type } from '@angular/core';
import type { Route } from '@angular/router';

/** A page in a route table. Its component loads when the page is first opened. */
export const pageRoute = (path: string, title: string, loadComponent: () => Promise<Type<unknown>>): Route => ({
  path,
  title,
  loadComponent,
});
