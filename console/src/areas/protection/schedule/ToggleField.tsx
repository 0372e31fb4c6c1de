import { useId, type ReactNode } from 'react'
import { ToggleButton } from 'react-aria-components/ToggleButton'
import { ToggleButtonGroup } from 'react-aria-components/ToggleButtonGroup'
import { classes } from '../../../lib/classes'
import { FieldFault } from '../../../patterns/form/FieldFault'
import css from './ToggleField.module.css'

export interface Toggle {
  id: number
  label: string
  /** Shown dimmed below the label. */
  detail?: string | undefined
  /** The accessible name, if it differs from the label. */
  name?: string | undefined
}

interface ToggleFieldProps {
  label: string
  /** Accessible name of the toggle that selects everything: "All months". `allLabel` is the visible one. */
  allName: string
  allLabel: string
  items: readonly Toggle[]
  value: readonly number[]
  onChange: (value: number[]) => void
  help?: ReactNode
  error?: string | undefined
  isDisabled: boolean
  /** Arranges the toggles in columns of this width, in pixels. */
  width: number
}

/** Selects any of a few numbers that have names, such as weekdays. Supports the arrow keys. */
export function ToggleField(props: ToggleFieldProps) {
  const { label, allName, allLabel, items, value, onChange, help, error, isDisabled, width } = props
  const id = useId()
  const isAll = value.length === items.length
  return (
    <div className={css.field} data-invalid={error !== undefined || undefined}>
      <div className={css.head}>
        <span id={id} className={css.label}>
          {label}
        </span>
        <ToggleButton
          className={classes(css.toggle, css.all)}
          aria-label={allName}
          isSelected={isAll}
          isDisabled={isDisabled}
          onChange={(isChosen) => onChange(isChosen ? items.map((item) => item.id) : [])}
        >
          {allLabel}
        </ToggleButton>
      </div>
      <ToggleButtonGroup
        className={css.toggles ?? ''}
        style={{ gridTemplateColumns: `repeat(auto-fill, minmax(${width}px, 1fr))` }}
        aria-labelledby={id}
        {...(help !== undefined && { 'aria-describedby': `${id}-help` })}
        selectionMode="multiple"
        selectedKeys={value}
        isDisabled={isDisabled}
        onSelectionChange={(keys) => onChange([...keys].map(Number).toSorted((a, b) => a - b))}
      >
        {items.map(({ id: number, label: text, detail, name }) => (
          <ToggleButton
            key={number}
            id={number}
            className={css.toggle ?? ''}
            {...(name !== undefined && { 'aria-label': name })}
          >
            <bdi>{text}</bdi>
            {detail !== undefined && <bdi className={css.detail}>{detail}</bdi>}
          </ToggleButton>
        ))}
      </ToggleButtonGroup>
      {help !== undefined && (
        <p id={`${id}-help`} className={css.help}>
          {help}
        </p>
      )}
      <FieldFault>{error}</FieldFault>
    </div>
  )
}
