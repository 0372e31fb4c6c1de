import { useId, type MouseEvent, type ReactNode } from 'react'
import { classes } from '../../lib/classes'
import { BadIcon, CheckIcon, MinusIcon } from '../icons'
import css from './Checkbox.module.css'

export interface CheckboxProps {
  isSelected?: boolean | undefined
  /** Initial state, for uncontrolled use. */
  defaultSelected?: boolean | undefined
  /** Only some of the represented items are selected. */
  isIndeterminate?: boolean | undefined
  isDisabled?: boolean | undefined
  /** Removes it from the tab order, for tables with arrow key navigation. */
  excludeFromTabOrder?: boolean | undefined
  /** `isRange`: Shift was held, which in a list selects all rows from the previously clicked one to this one. */
  onChange?: ((isSelected: boolean, how: { isRange: boolean }) => void) | undefined
  onBlur?: (() => void) | undefined
  /** Required without a visible label, as in the selection column of a table. */
  'aria-label'?: string | undefined
  children?: ReactNode
  /** Shown below the label. */
  help?: ReactNode
  error?: string | undefined
  className?: string | undefined
}

/** A native checkbox with a custom check mark. */
export function Checkbox({
  isSelected,
  defaultSelected,
  isIndeterminate = false,
  isDisabled,
  excludeFromTabOrder,
  onChange,
  onBlur,
  'aria-label': label,
  children,
  help,
  error,
  className,
}: CheckboxProps) {
  const noteId = useId()
  const hasNote = help !== undefined || error !== undefined
  return (
    <div className={className}>
      <label className={css.checkbox}>
        <input
          type="checkbox"
          className={css.input}
          ref={(input) => {
            if (input) input.indeterminate = isIndeterminate
          }}
          checked={isSelected}
          defaultChecked={defaultSelected}
          disabled={isDisabled}
          {...(excludeFromTabOrder && { tabIndex: -1 })}
          aria-label={label}
          aria-invalid={error !== undefined || undefined}
          aria-describedby={hasNote ? noteId : undefined}
          // the native event of a checkbox change is a click, which has `shiftKey`
          onChange={({ target, nativeEvent }) =>
            onChange?.(target.checked, { isRange: (nativeEvent as unknown as MouseEvent).shiftKey })
          }
          onBlur={onBlur}
        />
        <span className={css.mark} aria-hidden="true">
          {isIndeterminate ? <MinusIcon /> : <CheckIcon />}
        </span>
        {children != null && <span className={css.words}>{children}</span>}
      </label>
      {hasNote && (
        <div id={noteId} className={classes(css.note, error !== undefined && css.error)}>
          {error === undefined ? (
            help
          ) : (
            <>
              <BadIcon />
              <bdi>{error}</bdi>
            </>
          )}
        </div>
      )}
    </div>
  )
}
