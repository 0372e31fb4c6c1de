import type { ReactNode } from 'react'
import { FieldFault } from '../../patterns/form/FieldFault'
import { useBound } from '../../patterns/form/use-bound'
import css from './IdsField.module.css'

interface Choosing {
  chosen: readonly string[]
  onChoose: (item: { id: string }, isChosen: boolean) => void
}

interface IdsFieldProps {
  name: string
  /** Among other fields; a form of this one alone says it by its title. */
  label?: string
  children: (choosing: Choosing) => ReactNode
}

/** Ids of several rows, a field of a form: `<IdsField name="projects">{(it) => <ProjectPicker {...it} />}</IdsField>`. */
export function IdsField({ name, label, children }: IdsFieldProps) {
  const { value, onChange, error } = useBound<string[]>(name)
  return (
    <div>
      {label !== undefined && <p className={css.label}>{label}</p>}
      {children({
        chosen: value,
        onChoose: ({ id }, isChosen) => onChange(isChosen ? [...value, id] : value.filter((it) => it !== id)),
      })}
      <FieldFault>{error}</FieldFault>
    </div>
  )
}
