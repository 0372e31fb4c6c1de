import type { VolumeBackup } from '@mainstay/contract/storage/volume-backups'
import { useFormat } from '../../../../i18n/use-format'
import { useT } from '../../../../i18n/use-t'
import { useDelayed } from '../../../../lib/use-delayed'
import { SmallTable } from '../../../../patterns/table/SmallTable'
import { SkeletonRows } from '../../../../ui/feedback/Skeleton'
import { Bytes } from '../../../../ui/values/Bytes'
import { Mono } from '../../../../ui/values/Mono'
import { StatusBadge } from '../../../../ui/values/StatusBadge'
import { backupStatus, consistencyText } from '../backup-words'
import { FormPart } from '../FormPart'
import { whyNotRestorable } from './instant'
import css from './InstantVolumes.module.css'

interface InstantVolumesProps {
  points: readonly VolumeBackup[]
  isLoading: boolean
}

/** The volumes that are restored with a virtual machine, and whether all of them can be. */
export function InstantVolumes({ points, isLoading }: InstantVolumesProps) {
  const t = useT('storage')
  const format = useFormat()
  const isLate = useDelayed(isLoading)
  const [first] = points
  const size = format.bytes(points.reduce((sum, point) => sum + point.size, 0))
  return (
    <FormPart title={t('backups.machine.volumes')}>
      {!first && isLate && <SkeletonRows rows={2} columns={3} />}
      {first && (
        <>
          <div className={css.table}>
            <SmallTable
              label={t('backups.machine.volumes')}
              rows={points}
              keyOf={({ id }) => id}
              columns={[
                { id: 'volume', label: t('volumes.one'), render: ({ volume_name: name }) => <bdi>{name}</bdi> },
                {
                  id: 'device',
                  label: t('backups.machine.device'),
                  isWide: true,
                  render: ({ device }) => (device === null ? '–' : <Mono>{device}</Mono>),
                },
                { id: 'status', label: t('volumes.status'), render: (point) => <PointStatus point={point} /> },
                { id: 'size', label: t('volumes.size'), isAtEnd: true, render: (point) => <Bytes of={point.size} /> },
              ]}
            />
          </div>
          <p className={css.note}>
            {t('backups.machine.volumesCount', { count: points.length, size })}{' '}
            {whyNotRestorable(points, t) === undefined && t('backups.machine.complete', { count: points.length })}{' '}
            {consistencyText(first, t)}
          </p>
        </>
      )}
    </FormPart>
  )
}

function PointStatus({ point }: { point: VolumeBackup }) {
  const t = useT('storage')
  if (point.damaged_by !== null) return <StatusBadge tone="bad">{t('backups.damaged')}</StatusBadge>
  const { tone, text, detail } = backupStatus(point, t)
  return (
    <StatusBadge tone={tone} detail={detail}>
      {text}
    </StatusBadge>
  )
}
