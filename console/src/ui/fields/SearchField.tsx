import { useRef, type ComponentProps, type KeyboardEvent, type ReactNode, type RefObject } from 'react'
import { classes } from '../../lib/classes'
import { CloseIcon, SearchIcon } from '../icons'
import { useUiText } from '../ui-text'
import { Kbd } from '../values/Kbd'
import css from './field.module.css'
import own from './SearchField.module.css'

export interface SearchFieldProps {
  /** Also used as the placeholder: "Search instances". */
  label: string
  value: string
  onChange: (text: string) => void
  /** Called on Enter. */
  onSubmit?: ((text: string) => void) | undefined
  /** Called when Esc or the button clears the field. */
  onClear?: (() => void) | undefined
  autoFocus?: boolean | undefined
  /** Shortcut key that focuses the field, shown while it is empty. */
  shortcut?: string | undefined
  className?: string | undefined
  /** Shown in the field before the text. */
  before?: ReactNode
  /** Additional input props, for example for autocompletion. */
  inputProps?: ComponentProps<'input'> | undefined
  ref?: RefObject<HTMLInputElement | null> | undefined
}

/** The search field above a list. Esc clears it. */
export function SearchField({
  label,
  value,
  onChange,
  onSubmit,
  onClear,
  autoFocus,
  shortcut,
  className,
  before,
  inputProps,
  ref,
}: SearchFieldProps) {
  const text = useUiText()
  const ownBox = useRef<HTMLInputElement>(null)
  const box = ref ?? ownBox

  function clear() {
    onChange('')
    onClear?.()
  }
  function onKeyDown(event: KeyboardEvent) {
    const { key, nativeEvent } = event
    // an input method uses Enter to accept a word and Esc to cancel
    if (nativeEvent.isComposing) return
    if (key === 'Enter' && onSubmit) {
      event.preventDefault()
      onSubmit(value)
    }
    if (key === 'Escape' && value !== '') {
      event.preventDefault()
      // keep a surrounding dialog or drawer open
      event.stopPropagation()
      clear()
    }
  }

  return (
    <div className={classes(css.field, own.search, className)}>
      <div className={css.box}>
        <span className={css.start}>
          <SearchIcon />
        </span>
        {before}
        <input
          type="search"
          autoFocus={autoFocus}
          autoComplete="off"
          spellCheck={false}
          onKeyDown={onKeyDown}
          {...inputProps}
          ref={box}
          className={css.input}
          aria-label={label}
          placeholder={label}
          value={value}
          onChange={({ target }) => onChange(target.value)}
        />
        {value === '' ? (
          shortcut && (
            <span className={classes(css.end, own.shortcut)} aria-hidden="true">
              <Kbd>{shortcut}</Kbd>
            </span>
          )
        ) : (
          <button
            type="button"
            tabIndex={-1}
            className={css.boxButton}
            aria-label={text('clear')}
            // keeps the focus where it is
            onPointerDown={(event) => event.preventDefault()}
            onClick={() => {
              clear()
              box.current?.focus()
            }}
          >
            <CloseIcon />
          </button>
        )}
      </div>
    </div>
  )
}
