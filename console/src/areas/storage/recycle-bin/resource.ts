import { recycleBin, recycledItemKind } from '@mainstay/contract/storage/recycle-bin'
import { resource } from '../../../nav/resource'

export const recycleBinResource = resource({
  kind: recycledItemKind,
  calls: recycleBin,
  area: 'recycleBin',
  words: 'items',
  called: 'recycleBin',
  path: 'compute/recycle-bin',
  menu: { in: 'protection', icon: 'RecycleIcon', label: 'menu.recycleBin', service: 'recycle_bin' },
})
