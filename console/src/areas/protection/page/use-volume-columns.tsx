import { read } from '@mainstay/contract/core/endpoint'
import type { BackupPlan } from '@mainstay/contract/protection/backup-plans'
import type { Volume } from '@mainstay/contract/storage/volumes'
import { useT } from '../../../i18n/use-t'
import { Link } from '../../../nav/Link'
import { CellNote, type SmallColumn } from '../../../patterns/table/SmallTable'
import { useMay } from '../../../session/may'
import { Checkbox } from '../../../ui/fields/Checkbox'
import { IconButton } from '../../../ui/IconButton'
import { DetachIcon } from '../../../ui/icons'
import { Bytes } from '../../../ui/values/Bytes'
import { volumeResource } from '../../storage/volumes/resource'
import { ServerName } from '../ServerName'

interface Choosing {
  selected: readonly string[]
  onSelect: (ids: readonly string[]) => void
  onRemove: (volume: Volume) => void
  /** Volumes can be selected and removed. */
  isChangeable: boolean
}

/** Columns for the volumes of a plan. A volume that failed in the last run has the reason below its name. */
export function useVolumeColumns(plan: BackupPlan, choosing: Choosing): readonly SmallColumn<Volume>[] {
  const t = useT('protection')
  const patterns = useT('patterns')
  const maySeeVolumes = useMay()(read('compute_volume'))
  const { selected, onSelect, onRemove, isChangeable } = choosing
  const failures = new Map(plan.last_run?.failures.map(({ volume_id, reason }) => [volume_id, reason] as const))
  const select: SmallColumn<Volume> = {
    id: 'select',
    label: t('unprotected.select'),
    render: ({ id, name }) => (
      <Checkbox
        aria-label={patterns('table.select', { name })}
        isSelected={selected.includes(id)}
        onChange={(isSelected) => onSelect(isSelected ? [...selected, id] : selected.filter((other) => other !== id))}
      />
    ),
  }
  const remove: SmallColumn<Volume> = {
    id: 'remove',
    isAtEnd: true,
    render: (volume) => (
      <IconButton
        icon={DetachIcon}
        size="small"
        label={t('volumes.removeOne', { volume: volume.name })}
        onPress={() => onRemove(volume)}
      />
    ),
  }
  return [
    ...(isChangeable ? [select] : []),
    {
      id: 'name',
      label: t('volumes.one'),
      render: ({ id, name }) => (
        <>
          {maySeeVolumes ? (
            <Link to={volumeResource.paths.view(id)} dir="auto">
              {name}
            </Link>
          ) : (
            <bdi>{name}</bdi>
          )}
          {failures.has(id) && <CellNote>{t('volumes.lastFailed', { reason: failures.get(id) })}</CellNote>}
        </>
      ),
    },
    { id: 'size', label: t('volumes.size'), isAtEnd: true, render: ({ size }) => <Bytes of={size} /> },
    {
      id: 'server',
      label: t('volumes.server'),
      render: ({ attachments: [attachment] }) => (
        <ServerName id={attachment?.server_id ?? null} name={attachment?.server_name ?? null} />
      ),
    },
    {
      id: 'policy',
      label: t('volumes.policy'),
      isWide: true,
      render: ({ storage_policy_name: name }) => <bdi>{name === '' ? '–' : name}</bdi>,
    },
    ...(isChangeable ? [remove] : []),
  ]
}
