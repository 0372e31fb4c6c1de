import type { ReactNode } from 'react'
import { ToggleButton } from 'react-aria-components/ToggleButton'
import { ToggleButtonGroup } from 'react-aria-components/ToggleButtonGroup'
import css from './SegmentedControl.module.css'

interface Segment<Id extends string> {
  id: Id
  label: string
  /** Shown dimmed after the label. */
  detail?: ReactNode
}

interface SegmentedControlProps<Id extends string> {
  /** Accessible name of the control. */
  label: string
  items: readonly Segment<Id>[]
  /** Null selects no segment. */
  value: Id | null
  onChange: (value: Id) => void
}

/** Selects one of two to six adjacent views or values. Supports the arrow keys. */
export const SegmentedControl = <Id extends string>({ label, items, value, onChange }: SegmentedControlProps<Id>) => (
  <ToggleButtonGroup
    className={css.group ?? ''}
    aria-label={label}
    selectionMode="single"
    disallowEmptySelection={value !== null}
    selectedKeys={value === null ? [] : [value]}
    onSelectionChange={(keys) => {
      const [key] = keys
      if (key !== undefined) onChange(key as Id)
    }}
  >
    {items.map(({ id, label: name, detail }) => (
      <ToggleButton key={id} id={id} className={css.segment ?? ''}>
        <bdi>{name}</bdi>
        {detail !== undefined && <bdi className={css.detail}>{detail}</bdi>}
      </ToggleButton>
    ))}
  </ToggleButtonGroup>
)
