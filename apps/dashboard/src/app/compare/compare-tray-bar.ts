import { Component, inject } from '@angular/core';
import { MatButton, MatIconButton } from '@angular/material/button';
import { RouterLink } from '@angular/router';
import { Icon } from '../ui/index.js';
import { CompareTray, type TrayGroup, type TrayModel } from './compare-tray.js';

/** The models selected for comparison, at the bottom of every page. */
@Component({
  selector: 'app-compare-tray-bar',
  imports: [Icon, MatButton, MatIconButton, RouterLink],
  templateUrl: './compare-tray-bar.html',
  styleUrl: './compare-tray-bar.scss',
})
export class CompareTrayBar {
  protected readonly tray = inject(CompareTray);

  protected removal({ name }: TrayModel): string {
    return $localize`Take ${name}:model: out of the comparison`;
  }

  protected idsOf(group: TrayGroup): string {
    return group.models.map(({ id }) => id).join(',');
  }
}
