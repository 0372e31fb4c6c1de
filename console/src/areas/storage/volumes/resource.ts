import { volumeKind, volumes } from '@mainstay/contract/storage/volumes'
import { resource } from '../../../nav/resource'

export const volumeResource = resource({
  kind: volumeKind,
  calls: volumes,
  area: 'storage',
  words: 'volumes',
  path: 'compute/volumes',
  isTyped: true,
  menu: { in: 'storage.block', icon: 'VolumeIcon', label: 'menu.volumes', service: 'compute' },
})
