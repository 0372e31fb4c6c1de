import type { ReactNode } from 'react'
import { ToggleButton } from 'react-aria-components/ToggleButton'
import { ToggleButtonGroup } from 'react-aria-components/ToggleButtonGroup'
import css from './SegmentedControl.module.css'

interface Segment<Id extends string> {
  id: Id
  label: string
  /** Dimmed after the label. */
  detail?: ReactNode
}

interface SegmentedControlProps<Id extends string> {
  /** What is chosen, for screen readers. */
  label: string
  items: readonly Segment<Id>[]
  /** None where the value is another one than these. */
  value: Id | null
  onChange: (value: Id) => void
}

/** One of two to six views or values, side by side. Arrow keys walk. */
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
