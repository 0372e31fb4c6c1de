import { useBound } from '../../../patterns/form/use-bound'
import { FieldFault } from '../../../patterns/form/FieldFault'
import { placementKind, placements, type Placement } from '@mainstay/contract/compute/placements'
import { CHOICE_LIMIT } from '@mainstay/contract/core/lists/paging'
import { useList } from '../../../api/use-list'
import { useT } from '../../../i18n/use-t'
import { PickTable } from '../../../pickers/PickTable'

interface PlacementPickerProps {
  chosen: readonly string[]
  onChoose: (placement: Placement, isChosen: boolean) => void
}

/** Picker for placements. Allows multiple selection. */
function PlacementPicker({ chosen, onChoose }: PlacementPickerProps) {
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

/** Form field for selecting placements. */
export function PlacementsField({ name }: { name: string }) {
  const { value, onChange, error } = useBound<string[]>(name)
  return (
    <div>
      <PlacementPicker
        chosen={value}
        onChoose={({ id }, isChosen) => onChange(isChosen ? [...value, id] : value.filter((it) => it !== id))}
      />
      <FieldFault>{error}</FieldFault>
    </div>
  )
}
