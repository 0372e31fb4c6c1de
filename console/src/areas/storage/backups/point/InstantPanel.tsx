import { WHOLE_LIMIT } from '@mainstay/contract/core/lists/paging'
import { volumeBackupKind, volumeBackups, type VolumeBackup } from '@mainstay/contract/storage/volume-backups'
import { useList } from '../../../../api/use-list'
import { useT } from '../../../../i18n/use-t'
import { Link } from '../../../../nav/Link'
import { SmallTable } from '../../../../patterns/table/SmallTable'
import { Panel } from '../../../../ui/Panel'
import { Bytes } from '../../../../ui/values/Bytes'
import { StatusBadge } from '../../../../ui/values/StatusBadge'
import { backupStatus } from '../backup-words'
import { volumeBackupResource } from '../resource'

/** The recovery points that were created together with this one. Renders nothing if there are no others. */
export function InstantPanel({ point }: { point: VolumeBackup }) {
  const t = useT('storage')
  const { rows } = useList(volumeBackups.list, volumeBackupKind, {
    stateIn: 'memory',
    limit: WHOLE_LIMIT,
    only: { instant_id: point.instant_id },
  })
  const others = rows.filter(({ id }) => id !== point.id)
  if (others.length === 0) return null
  return (
    <Panel title={t('backups.instant')} isFlush>
      <SmallTable
        label={t('backups.instant')}
        rows={others}
        keyOf={({ id }) => id}
        columns={[
          { id: 'volume', label: t('volumes.one'), render: ({ volume_name: volume }) => <bdi>{volume}</bdi> },
          {
            id: 'name',
            label: t('backups.one'),
            // all of them have the same name, so the accessible name also contains the volume
            render: ({ id, name, volume_name: volume }) => (
              <Link
                to={volumeBackupResource.paths.view(id)}
                dir="auto"
                aria-label={t('backups.ofVolume', { name, volume })}
              >
                {name}
              </Link>
            ),
          },
          {
            id: 'status',
            label: t('volumes.status'),
            render: (one) => {
              const { tone, text, detail } = backupStatus(one, t)
              return (
                <StatusBadge tone={tone} detail={detail}>
                  {text}
                </StatusBadge>
              )
            },
          },
          {
            id: 'stored',
            label: t('backups.storedSize'),
            isAtEnd: true,
            isWide: true,
            render: ({ stored_size: size }) => (size === null ? '–' : <Bytes of={size} />),
          },
        ]}
      />
    </Panel>
  )
}
