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
  /** Omitted if this is the only field in a form, in which case the form title describes it. */
  label?: string
  children: (choosing: Choosing) => ReactNode
}

/**
 * Form field for selecting the IDs of several rows: `<IdsField name="projects">{(it) => <ProjectPicker {...it}
 * />}</IdsField>`.
 */
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
