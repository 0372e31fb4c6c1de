import { useState, type KeyboardEvent, useContext, useLayoutEffect, useRef, type ReactNode } from 'react'
import { Button } from 'react-aria-components/Button'
import { ComboBox as AriaComboBox, ComboBoxStateContext } from 'react-aria-components/ComboBox'
import { Group } from 'react-aria-components/Group'
import { Input } from 'react-aria-components/Input'
import { ListBox } from 'react-aria-components/ListBox'
import { classes } from '../../lib/classes'
import type { Choice } from './choice'
import { ChoiceItem } from './ChoiceItem'
import { FieldLabel, FieldNote, type FieldTexts } from './field-parts'
import { TypedPick } from './TypedPick'
import { ExpandIcon } from '../icons'
import { Spinner } from '../feedback/Spinner'
import { useUiText } from '../ui-text'
import css from './field.module.css'
import list from '../list.module.css'
import { Popover } from 'react-aria-components/Popover'

const OFFSET = 4

/** The list of a combobox. Stays open and attached to the field while a scroll container around it scrolls. */
function ComboPopover({ children }: { children: ReactNode }) {
  const state = useContext(ComboBoxStateContext)
  const isOpen = state?.isOpen ?? false
  const isScrolling = useRef(false)
  const [offset, setOffset] = useState(OFFSET)
  useLayoutEffect(() => {
    if (!isOpen) return
    const onScroll = ({ target }: Event) => {
      // the list’s own scroll container does not contain the focus, so scrolling the list itself is ignored
      if (!(target instanceof Node) || !target.contains(document.activeElement)) return
      isScrolling.current = true
      setTimeout(() => (isScrolling.current = false))
      // a changed offset makes the popover recompute its position
      setOffset((before) => (before === OFFSET ? OFFSET + 0.01 : OFFSET))
    }
    addEventListener('scroll', onScroll, true)
    return () => removeEventListener('scroll', onScroll, true)
  }, [isOpen])
  return (
    <Popover
      className={list.popover ?? ''}
      offset={offset}
      isOpen={isOpen}
      onOpenChange={(wanted) => !wanted && !isScrolling.current && state?.close()}
    >
      {children}
    </Popover>
  )
}

export interface ComboBoxProps<Id extends string> extends FieldTexts {
  /** The options. With `onSearch` the caller filters them, otherwise the combobox filters by label. */
  items: readonly Choice<Id>[]
  value: Id | null
  onChange: (value: Id | null) => void
  /** Called with the typed text; the caller loads and passes new `items`. */
  onSearch?: ((typed: string) => void) | undefined
  /** The items do not match the typed text yet, so none can be selected. */
  isLoading?: boolean | undefined
  placeholder?: string | undefined
  name?: string | undefined
  isDisabled?: boolean | undefined
  isRequired?: boolean | undefined
  autoFocus?: boolean | undefined
  onBlur?: (() => void) | undefined
  className?: string | undefined
}

/** Selects one of many options by typing. */
export function ComboBox<Id extends string>(props: ComboBoxProps<Id>) {
  const { items, value, onChange, onSearch, isLoading = false, placeholder, name, onBlur, className } = props
  const text = useUiText()
  const [entered, setEntered] = useState<string | null>(null)
  const isAwaited = isLoading && onSearch !== undefined

  function enter(event: KeyboardEvent<HTMLInputElement>) {
    const { currentTarget: box, key, nativeEvent } = event
    const isOpen = box.getAttribute('aria-expanded') === 'true'
    const isMarked = box.hasAttribute('aria-activedescendant')
    if (key !== 'Enter' || nativeEvent.isComposing || !isOpen || (isMarked && !isAwaited) || box.value === '') return
    event.preventDefault()
    event.stopPropagation()
    setEntered(box.value)
  }

  return (
    <AriaComboBox
      className={classes(css.field, className)}
      value={value}
      onChange={(key) => onChange(key as Id | null)}
      {...(onSearch ? { items, onInputChange: onSearch } : { defaultItems: items })}
      {...(isAwaited && { disabledKeys: items.map(({ id }) => id) })}
      menuTrigger="focus"
      allowsEmptyCollection
      isDisabled={props.isDisabled ?? false}
      isRequired={props.isRequired ?? false}
      isInvalid={props.error !== undefined}
      validationBehavior="aria"
      {...(props.autoFocus && { autoFocus: true })}
      {...(name !== undefined && { name })}
      {...(onBlur && { onBlur })}
    >
      <FieldLabel {...props} />
      <Group className={css.box ?? ''}>
        <Input
          className={css.input ?? ''}
          onKeyDownCapture={enter}
          {...(placeholder !== undefined && { placeholder })}
        />
        {isLoading && <Spinner size={14} />}
        <Button className={css.boxButton ?? ''}>
          <ExpandIcon />
        </Button>
      </Group>
      <TypedPick items={items} isAwaited={isAwaited} entered={entered} onOver={() => setEntered(null)} />
      <FieldNote {...props} />
      <ComboPopover>
        <ListBox
          className={list.list ?? ''}
          renderEmptyState={() => <div className={list.nothing}>{text(isLoading ? 'loading' : 'noMatch')}</div>}
        >
          {(choice: Choice<Id>) => <ChoiceItem choice={choice} />}
        </ListBox>
      </ComboPopover>
    </AriaComboBox>
  )
}
