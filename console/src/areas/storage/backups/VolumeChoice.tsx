import { CHOICE_LIMIT } from '@mainstay/contract/core/lists/paging'
import { volumeCanBeCaptured } from '@mainstay/contract/storage/snapshot-rules'
import { volumeKind, volumes, type Volume } from '@mainstay/contract/storage/volumes'
import { useList } from '../../../api/use-list'
import { useFormat } from '../../../i18n/use-format'
import { useT } from '../../../i18n/use-t'
import { useTypedSearch } from '../../../lib/use-typed-search'
import { useBound } from '../../../patterns/form/use-bound'
import { ComboBox } from '../../../ui/fields/ComboBox'
import { volumeStatusText } from '../volumes/volume-words'

interface VolumeChoiceProps {
  label: string
  chosen: Volume | null
  onChoose: (volume: Volume | null) => void
}

/** Searchable picker for the volume to create a recovery point of, with its virtual machine and its size. */
export function VolumeChoice({ label, chosen, onChoose }: VolumeChoiceProps) {
  const t = useT('storage')
  const format = useFormat()
  const { value, onChange, ...bound } = useBound<string | null>('volume_id')
  const { search, onSearch, isAwaited } = useTypedSearch(chosen?.name)
  const { rows, isLoading, isChanging } = useList(volumes.list, volumeKind, {
    only: { ...(search && { search }) },
    stateIn: 'memory',
    limit: CHOICE_LIMIT,
  })
  const offered = chosen && !rows.some(({ id }) => id === chosen.id) ? [chosen, ...rows] : rows

  return (
    <ComboBox
      {...bound}
      label={label}
      placeholder={t('backups.searchVolume')}
      value={value}
      onChange={(id) => {
        onChange(id)
        onChoose(offered.find((volume) => volume.id === id) ?? null)
      }}
      onSearch={onSearch}
      isLoading={isAwaited || isLoading || isChanging}
      items={offered.map((volume) => ({
        id: volume.id,
        label: volume.name,
        description: volume.attachments[0]?.server_name,
        end: format.bytes(volume.size),
        ...(!volumeCanBeCaptured(volume) && {
          disabledBecause: t('volumes.barred', { status: volumeStatusText(volume.status, t) }),
        }),
      }))}
    />
  )
}
