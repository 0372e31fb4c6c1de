import { placementKind, placements, type Placement } from '@mainstay/contract/compute/placements'
import { CHOICE_LIMIT } from '@mainstay/contract/core/paging'
import { useList } from '../api/use-list'
import { useT } from '../i18n/use-t'
import { PickTable } from './PickTable'

export interface PlacementPickerProps {
  chosen: readonly string[]
  onChoose: (placement: Placement, isChosen: boolean) => void
}

/** Several of those that one may choose. */
export function PlacementPicker({ chosen, onChoose }: PlacementPickerProps) {
  const t = useT('compute')
  const list = useList(placements.list, placementKind, { stateIn: 'memory', limit: CHOICE_LIMIT })
  return (
    <PickTable
      label={t('placements.many')}
      list={list}
      chosen={chosen}
      onChoose={onChoose}
      isMultiple
      empty={t('placements.empty')}
      columns={[
        { id: 'name', label: t('placements.name'), render: ({ name }) => name },
        { id: 'description', label: t('placements.description'), isWide: true, render: (it) => it.description || '–' },
      ]}
    />
  )
}
