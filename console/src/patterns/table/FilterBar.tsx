import { lazy, Suspense, useEffect, useEffectEvent, useId, useRef, useState, type KeyboardEvent } from 'react'
import type { List } from '../../api/use-list'
import { useT } from '../../i18n/use-t'
import { isTyping } from '../../lib/typing'
import { withTexts } from '../../nav/with-texts'
import { Button } from '../../ui/Button'
import { Chip } from '../../ui/values/Chip'
import { SearchField } from '../../ui/fields/SearchField'
import { isExcluding, ownerOf, parseTyped, typedOf, typingAt, valueLabels, type ListFilter } from './filter-text'
import css from './FilterBar.module.css'

/** Debounce delay for the search (S1§9). */
const searchDelayMs = 300

const FilterOptions = lazy(withTexts('query', () => import('./FilterOptions')))
// the chip is loaded lazily, because owner names are requested after the rows
const OwnerChip = lazy(() => import('./OwnerChip'))

interface FilterBarProps {
  list: List
  label: string
  filters: readonly ListFilter[]
}

/**
 * A search box that accepts text and filters such as `status:error`, suggests completions, and shows active filters as
 * chips.
 */
export function FilterBar({ list, label, filters }: FilterBarProps) {
  const t = useT('patterns')
  const box = useRef<HTMLInputElement>(null)
  const takeKey = useRef<(key: string) => boolean>(undefined)
  const [typed, setTyped] = useState(() => typedOf(list.search, filters))
  const [isOpen, setOpen] = useState(false)
  const [activeId, setActiveId] = useState<string>()
  const listId = useId()
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined)
  const sent = useRef(list.search)

  // the URL may change independently of the box: by the Back button, "Reset filters" or a link
  useEffect(() => {
    if (list.search === sent.current) return
    sent.current = list.search
    setTyped(typedOf(list.search, filters))
  }, [list.search, filters])
  useEffect(() => () => clearTimeout(timer.current), [])
  useEffect(() => {
    const focusBox = (event: globalThis.KeyboardEvent) => {
      if (event.key !== '/' || event.ctrlKey || event.metaKey || event.altKey || isTyping()) return
      event.preventDefault()
      box.current?.focus()
    }
    addEventListener('keydown', focusBox)
    return () => removeEventListener('keydown', focusBox)
  }, [])

  function apply(text: string, more: Record<string, string> = {}) {
    clearTimeout(timer.current)
    const { filters: found, search, unknown } = parseTyped(text, filters)
    const changes = { ...found, ...more }
    const isChanged = Object.keys(changes).length > 0
    // unknown fields stay in the box, which reports them
    if (isChanged) setTyped([search, ...unknown].join(' '))
    sent.current = search
    if (search !== list.search || isChanged || list.typed !== undefined) list.setFilters(changes, search)
    return unknown.length === 0
  }

  const { typed: asked } = list
  const take = useEffectEvent((text: string) => {
    apply(text)
    const { search, unknown } = parseTyped(text, filters)
    setTyped([search, ...unknown].join(' '))
  })
  useEffect(() => {
    if (asked === undefined) return
    const soon = setTimeout(() => take(asked))
    return () => clearTimeout(soon)
  }, [asked])

  function type(text: string) {
    setTyped(text)
    setOpen(true)
    clearTimeout(timer.current)
    // do not search for an incomplete `status:` term
    if (typingAt(text).field !== undefined) return
    timer.current = setTimeout(() => apply(text), searchDelayMs)
    if (text.endsWith(' ')) apply(text)
  }

  const active = filters.filter(({ name }) => list.filters[name] !== undefined)
  const remove = (filter: ListFilter) => list.setFilters({ [filter.name]: null })
  const completes = filters.length > 0
  const isShown = completes && isOpen

  function onKey(event: KeyboardEvent) {
    const { key } = event
    if (event.nativeEvent.isComposing || event.ctrlKey || event.metaKey || event.altKey) return
    const last = active.at(-1)
    const isTaken = () => {
      if (isOpen && !event.shiftKey && takeKey.current?.(key)) return true
      if (key === 'Escape' && (isOpen || typed === '')) {
        setOpen(false)
        if (typed === '') box.current?.blur()
        return true
      }
      if (key === 'ArrowDown' && !isOpen) {
        setOpen(true)
        return true
      }
      if (key !== 'Backspace' || typed !== '' || !last) return false
      remove(last)
      return true
    }
    if (!isTaken()) return
    event.preventDefault()
    event.stopPropagation()
  }

  const chips = active.map((filter) => {
    const text = list.filters[filter.name]!
    const value = valueLabels(filter, text)
    const plain = (
      <Chip key={filter.name} name={filter.label} onRemove={() => remove(filter)}>
        {isExcluding(filter, text) ? t('table.not', { value }) : value}
      </Chip>
    )
    const owner = ownerOf(filter)
    return owner ? (
      <Suspense key={filter.name} fallback={plain}>
        <OwnerChip of={owner} filter={filter} text={text} onRemove={() => remove(filter)} />
      </Suspense>
    ) : (
      plain
    )
  })
  return (
    <div className={css.bar} role="search" aria-label={label}>
      <SearchField
        ref={box}
        className={css.search}
        label={t('table.search')}
        shortcut="/"
        value={typed}
        onChange={type}
        onSubmit={(text) => setOpen(!apply(text))}
        onClear={() => apply('')}
        before={chips}
        // the combobox role is allowed only on a plain text input
        {...(completes && {
          inputProps: {
            type: 'text',
            role: 'combobox',
            'aria-autocomplete': 'list' as const,
            'aria-expanded': isShown,
            'aria-controls': isShown ? listId : undefined,
            'aria-activedescendant': isShown ? activeId : undefined,
            onClick: () => setOpen(true),
            onFocus: () => setOpen(true),
            onBlur: () => setOpen(false),
            // these keys are handled before the search field, which would clear or submit the text
            onKeyDownCapture: onKey,
          },
        })}
      />
      {isShown && (
        <Suspense fallback={null}>
          <FilterOptions
            id={listId}
            box={box}
            list={list}
            filters={filters}
            typed={typed}
            takeKey={takeKey}
            onActive={setActiveId}
            onType={type}
            onApply={(text, more) => {
              setOpen(!apply(text, more))
            }}
          />
        </Suspense>
      )}
      {active.length > 1 && (
        <Button variant="plain" size="small" onPress={list.reset}>
          {t('table.resetFilters')}
        </Button>
      )}
    </div>
  )
}
