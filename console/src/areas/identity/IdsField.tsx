import type { ReactNode } from 'react'
import { FieldFault } from '../../patterns/form/FieldFault'
import { useBound } from '../../patterns/form/use-bound'

interface Choosing {
  chosen: readonly string[]
  onChoose: (item: { id: string }, isChosen: boolean) => void
}

/** Ids of several rows, a field of a form: `<IdsField name="projects">{(it) => <ProjectPicker {...it} />}</IdsField>`. */
export function IdsField({ name, children }: { name: string; children: (choosing: Choosing) => ReactNode }) {
  const { value, onChange, error } = useBound<string[]>(name)
  return (
    <div>
      {children({
        chosen: value,
        onChoose: ({ id }, isChosen) => onChange(isChosen ? [...value, id] : value.filter((it) => it !== id)),
      })}
      <FieldFault>{error}</FieldFault>
    </div>
  )
}
