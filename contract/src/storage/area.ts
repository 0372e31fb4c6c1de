import { DEFAULT_STORAGE_POLICY, domainQuotas, quota, quotaKind, quotas } from '../compute/quotas'
import { area } from '../core/area'
import { backupDays } from './backup-days'
import { backupFiles } from './backup-files'
import { recycleBin, recycledItemKind } from './recycle-bin'
import { storagePolicies, storagePolicyKind } from './storage-policies'
import { storageTolerances } from './tolerances'
import { volumeBackupKind, volumeBackups } from './volume-backups'
import { volumeSnapshotKind, volumeSnapshots } from './volume-snapshots'
import { volumeKind, volumes } from './volumes'

export const storageArea = area({
  name: 'storage',
  title: 'volumes',
  engine: {
    inEveryCloud: true,
    quotas: {
      volumes: quota({
        of: 'volume',
        recycled: 'derived.volumes',
        unit: 'things',
        at: 'storage.volumes',
        words: 'volumes',
      }),
      storage: quota({
        of: 'volume',
        sum: 'size',
        recycled: 'derived.storage',
        also: { of: 'volume_snapshot', sum: 'size' },
        unit: 'bytes',
        at: `storage.storage_policies.${DEFAULT_STORAGE_POLICY}`,
        words: 'storage',
      }),
      volumes_backups: quota({
        of: 'volume_backup',
        sum: 'stored_size',
        unit: 'bytes',
        at: 'storage.volumes_backups',
        words: 'recovery points',
      }),
    },
  },
  resources: {
    // quotas also cover instances, but any engine that serves instances also serves their volumes
    quotas: { kind: quotaKind, calls: quotas },
    domainQuotas: { calls: domainQuotas },
    volumes: { kind: volumeKind, calls: volumes },
    volumeSnapshots: { kind: volumeSnapshotKind, calls: volumeSnapshots },
    volumeBackups: { kind: volumeBackupKind, calls: volumeBackups },
    backupDays: { calls: backupDays },
    backupFiles: { calls: backupFiles },
    storagePolicies: { kind: storagePolicyKind, calls: storagePolicies },
    recycleBin: { kind: recycledItemKind, calls: recycleBin },
  },
  tolerances: storageTolerances,
})
