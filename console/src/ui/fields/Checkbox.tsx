import { useId, type MouseEvent, type ReactNode } from 'react'
import { classes } from '../../lib/classes'
import { BadIcon, CheckIcon, MinusIcon } from '../icons'
import css from './Checkbox.module.css'

export interface CheckboxProps {
  isSelected?: boolean | undefined
  /** Before anybody touches it, where nothing else keeps it. */
  defaultSelected?: boolean | undefined
  /** Some of what it stands for are chosen. */
  isIndeterminate?: boolean | undefined
  isDisabled?: boolean | undefined
  /** Tab does not lead here: arrows do, as in a table. */
  excludeFromTabOrder?: boolean | undefined
  /** `isRange`: Shift was held, which in a list means all from the one before to this. */
  onChange?: ((isSelected: boolean, how: { isRange: boolean }) => void) | undefined
  onBlur?: (() => void) | undefined
  /** Without words give this, as for the selection column of a table. */
  'aria-label'?: string | undefined
  children?: ReactNode
  /** Under the words. */
  help?: ReactNode
  error?: string | undefined
  className?: string | undefined
}

/** The browser's own checkbox, under a drawn mark. */
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
          // the event under a change of a box is its click
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
