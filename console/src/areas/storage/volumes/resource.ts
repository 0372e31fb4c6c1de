import { volumeKind, volumes } from '@mainstay/contract/storage/volumes'
import { resource } from '../../../nav/resource'
import { VolumeIcon } from '../../../ui/icons'

export const volumeResource = resource({
  kind: volumeKind,
  calls: volumes,
  area: 'storage',
  words: 'volumes',
  path: 'compute/volumes',
  menu: { group: 'compute', icon: VolumeIcon, label: 'menu.volumes' },
})
