import { volumeBackupKind, volumeBackups } from '@mainstay/contract/storage/volume-backups'
import { resource } from '../../../nav/resource'

export const volumeBackupResource = resource({
  kind: volumeBackupKind,
  calls: volumeBackups,
  area: 'storage',
  words: 'backups',
  called: 'volumeBackups',
  path: 'compute/recovery-points',
  menu: { in: 'protection', icon: 'RecoveryIcon', label: 'menu.recoveryPoints', service: 'compute' },
})

/**
 * Path of the form that creates recovery points of all volumes of a virtual machine. `place` is the path of the page
 * over which it opens: the details of the virtual machine, or its full page.
 */
export const instantPath = (place: string) => `${place}/recovery-points`

/** Path of the form that restores a virtual machine as a new one. `tab`: the tab of its details over which it opens. */
export const restoreMachinePath = (tab: string, pointId: string) => `${tab}/restore/${encodeURIComponent(pointId)}`

/** Path of the form that replaces the volumes of a virtual machine. `tab`: see `restoreMachinePath`. */
export const replaceMachinePath = (tab: string, pointId: string) => `${tab}/replace/${encodeURIComponent(pointId)}`
