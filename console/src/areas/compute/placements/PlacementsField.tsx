import { useBound } from '../../../patterns/form/use-bound'
import { PlacementPicker } from '../../../pickers/PlacementPicker'
import { FieldFault } from '../../../patterns/form/FieldFault'

/** Placements of a form, by the name of its field. */
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
