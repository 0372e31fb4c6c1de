import { volumeBackups } from '@mainstay/contract/storage/volume-backups'
import { volumeSnapshots } from '@mainstay/contract/storage/volume-snapshots'
import { volumes } from '@mainstay/contract/storage/volumes'
import type recycleBin from '../../../locales/en/recycleBin.json'
import type storage from '../../../locales/en/storage.json'
import type { ConsoleArea } from '../../nav/area'
import { route, type PageRoute } from '../../nav/route'
import { withTexts } from '../../nav/with-texts'
import { resourcePages, tab } from '../../patterns/resource/resource-pages'
import { withPickers } from '../../pickers/with-pickers'
import { imageResource } from '../compute/images/resource'
import { instanceResource } from '../compute/instances/resource'
import { instantPath, volumeBackupResource } from './backups/resource'
import { recycleBinResource } from './recycle-bin/resource'
import { snapshotResource } from './snapshots/resource'
import { volumeResource } from './volumes/resource'

declare module '../../i18n/catalogues' {
  interface Catalogues {
    recycleBin: typeof recycleBin
    storage: typeof storage
  }
}

const pages: readonly PageRoute[] = [
  ...resourcePages(volumeResource, {
    list: () => import('./volumes/VolumeListPage'),
    add: () => import('./volumes/VolumeAddForm'),
    view: withTexts('locks', () => import('./volumes/VolumePage')),
    // the tab is `overview` or `snapshots` (S1§2)
    more: [{ path: '$id/$tab', load: tab, needs: volumes.view.needs, title: 'one' }],
  }),
  route(`${volumeResource.path}/$id/clone/{-$returnRoute}`, () => import('./volumes/VolumeCloneForm'), {
    needs: volumes.clone.needs,
    texts: 'storage',
    title: 'volumes.clone',
    over: volumeResource.path,
  }),
  route(`${volumeResource.path}/$id/image-add/{-$returnRoute}`, () => import('./volumes/VolumeImageForm'), {
    needs: volumes.uploadToImage.needs,
    texts: 'storage',
    title: 'volumes.toImage',
    over: volumeResource.path,
  }),
  // opens over the image list because users reach the form from an image
  route(`${imageResource.path}/$id/create-volume/{-$returnRoute}`, () => import('./volumes/ImageVolumeForm'), {
    needs: volumes.create.needs,
    texts: 'storage',
    title: 'volumes.add',
    over: imageResource.path,
  }),

  // snapshot forms open over the snapshots of their volume
  ...(
    [
      ['edit', () => import('./snapshots/SnapshotEditForm'), volumeSnapshots.update.needs, 'snapshots.edit'],
      [
        'createImage',
        () => import('./snapshots/SnapshotImageForm'),
        volumeSnapshots.uploadToImage.needs,
        'volumes.toImage',
      ],
      ['createVolume', () => import('./snapshots/SnapshotVolumeForm'), volumes.create.needs, 'volumes.add'],
    ] as const
  ).map(([form, load, needs, title]) =>
    route(`${volumeResource.path}/$id/snapshots/$snapshotId/${form}`, load, {
      ...{ needs, texts: 'storage', title, over: `${volumeResource.path}/$id` },
    }),
  ),
  ...resourcePages(snapshotResource, {
    list: () => import('./snapshots/SnapshotListPage'),
    view: { load: () => import('./snapshots/SnapshotPage'), isAlone: true },
  }),

  ...resourcePages(volumeBackupResource, {
    list: () => import('./backups/BackupListPage'),
    add: () => import('./backups/BackupAddForm'),
    view: { load: () => import('./backups/point/BackupPage'), isAlone: true },
  }),
  // reading files and restoring virtual machines need the same permission as restoring a volume; `machineRestores` and
  // `backupFiles` are not imported, because they would add their calls to the first page
  route(`${volumeBackupResource.path}/$id/files`, () => import('./backups/files/FilesPage'), {
    needs: volumeBackups.restore.needs,
    texts: 'storage',
    title: 'backups.files',
  }),
  // recovery point forms open over the details of the recovery point
  ...(
    [
      ['restore', () => import('./backups/RestoreForm'), 'backups.restore'],
      ['restore-machine', withPickers(() => import('./backups/machine/RestoreMachineForm')), 'backups.restoreMachine'],
      ['replace-machine', () => import('./backups/machine/ReplaceMachineForm'), 'backups.replaceMachine'],
    ] as const
  ).map(([form, load, title]) =>
    route(`${volumeBackupResource.path}/$id/${form}/{-$returnRoute}`, load, {
      ...{ needs: volumeBackups.restore.needs, texts: 'storage', title, over: `${volumeBackupResource.path}/$id` },
    }),
  ),
  // the form opens over a virtual machine: over its details drawer, or over its full page
  ...(
    [
      [`${instanceResource.path}/$id`, () => import('./backups/machine/InstantForm')],
      [`${instanceResource.path}/$id/page`, () => import('./backups/machine/MachineInstantForm')],
    ] as const
  ).map(([over, load]) =>
    route(instantPath(over), load, {
      needs: volumeBackups.createInstant.needs,
      texts: 'storage',
      title: 'backups.addMany',
      over,
    }),
  ),
  // forms that open from the protection tab
  ...(
    [
      [
        'recovery-points',
        () => import('./backups/machine/TabInstantForm'),
        volumeBackups.createInstant.needs,
        'backups.addMany',
      ],
      [
        'restore/$pointId',
        withPickers(() => import('./backups/machine/TabRestoreForm')),
        volumeBackups.restore.needs,
        'backups.restoreMachine',
      ],
      [
        'replace/$pointId',
        () => import('./backups/machine/TabReplaceForm'),
        volumeBackups.restore.needs,
        'backups.replaceMachine',
      ],
    ] as const
  ).map(([form, load, needs, title]) =>
    route(`${instanceResource.path}/$id/$tab/${form}`, load, {
      ...{ needs, texts: 'storage', title, over: `${instanceResource.path}/$id/$tab` },
    }),
  ),

  ...resourcePages(recycleBinResource, {
    list: () => import('./recycle-bin/RecycleBinPage'),
    view: () => import('./recycle-bin/RecycledItemPage'),
  }),
]

/** Pages for volumes, their snapshots, their recovery points and the recycle bin. */
export const storageArea: ConsoleArea = { pages }
