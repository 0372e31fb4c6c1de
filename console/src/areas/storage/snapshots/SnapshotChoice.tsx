import { CHOICE_LIMIT } from '@mainstay/contract/core/lists/paging'
import { volumeSnapshotKind, volumeSnapshots, type VolumeSnapshot } from '@mainstay/contract/storage/volume-snapshots'
import { useList } from '../../../api/use-list'
import { useFormat } from '../../../i18n/use-format'
import { useT } from '../../../i18n/use-t'
import { useTypedSearch } from '../../../lib/use-typed-search'
import { useBound } from '../../../patterns/form/use-bound'
import { ComboBox } from '../../../ui/fields/ComboBox'
import { useVolumeNames } from './use-volume-names'

interface SnapshotChoiceProps {
  label: string
  chosen: VolumeSnapshot | null
  onChoose: (snapshot: VolumeSnapshot | null) => void
}

/** Searchable picker for the snapshot to copy to a volume. Shows the volume and the creation time of each snapshot. */
export function SnapshotChoice({ label, chosen, onChoose }: SnapshotChoiceProps) {
  const t = useT('storage')
  const format = useFormat()
  const { value, onChange, ...bound } = useBound<string | null>('snapshot_id')
  const { search, onSearch, isAwaited } = useTypedSearch(chosen?.name)
  const { rows, isLoading, isChanging } = useList(volumeSnapshots.list, volumeSnapshotKind, {
    only: { status: 'available', ...(search && { search }) },
    stateIn: 'memory',
    limit: CHOICE_LIMIT,
  })
  const offered = chosen && !rows.some(({ id }) => id === chosen.id) ? [chosen, ...rows] : rows
  const volumeNames = useVolumeNames(offered.map(({ volume_id }) => volume_id))

  return (
    <ComboBox
      {...bound}
      label={label}
      placeholder={t('snapshots.search')}
      value={value}
      onChange={(id) => {
        onChange(id)
        onChoose(offered.find((snapshot) => snapshot.id === id) ?? null)
      }}
      onSearch={onSearch}
      isLoading={isAwaited || isLoading || isChanging}
      items={offered.map(({ id, name, volume_id, created_at }) => ({
        id,
        label: name,
        description: volumeNames.get(volume_id),
        end: format.dateTime(created_at),
      }))}
    />
  )
}
