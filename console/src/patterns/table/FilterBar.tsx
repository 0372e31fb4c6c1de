import { useEffect, useRef, useState } from 'react'
import type { List } from '../../api/use-list'
import { useT } from '../../i18n/use-t'
import { Button } from '../../ui/Button'
import { Checkbox } from '../../ui/fields/Checkbox'
import { Chip } from '../../ui/values/Chip'
import { FilterIcon } from '../../ui/icons'
import { LazyPopover } from '../LazyPopover'
import { SearchField } from '../../ui/fields/SearchField'
import { TextField } from '../../ui/fields/TextField'
import { parseTyped, valueLabels, valuesOf, writeValues, type ListFilter } from './filter-text'
import css from './FilterBar.module.css'

/** S1§9. */
const searchDelayMs = 300

interface FilterBarProps {
  list: List
  label: string
  filters: readonly ListFilter[]
}

const isTypingElsewhere = () =>
  document.activeElement instanceof HTMLElement &&
  (document.activeElement.isContentEditable || /^(INPUT|TEXTAREA|SELECT)$/.test(document.activeElement.tagName))

/** One line: a box that takes words and `status:error`, and the filters that are on, as chips. */
export function FilterBar({ list, label, filters }: FilterBarProps) {
  const t = useT('patterns')
  const box = useRef<HTMLInputElement>(null)
  const [typed, setTyped] = useState(list.search)
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined)
  const sent = useRef(list.search)

  // the address may change under the box: Back, "Reset filters", a link
  useEffect(() => {
    if (list.search === sent.current) return
    sent.current = list.search
    setTyped(list.search)
  }, [list.search])
  useEffect(() => () => clearTimeout(timer.current), [])
  useEffect(() => {
    const focusBox = (event: KeyboardEvent) => {
      if (event.key !== '/' || event.ctrlKey || event.metaKey || event.altKey || isTypingElsewhere()) return
      event.preventDefault()
      box.current?.focus()
    }
    addEventListener('keydown', focusBox)
    return () => removeEventListener('keydown', focusBox)
  }, [])

  function apply(text: string) {
    clearTimeout(timer.current)
    const { filters: found, search } = parseTyped(text, filters)
    if (Object.keys(found).length > 0) setTyped(search)
    sent.current = search
    if (search !== list.search || Object.keys(found).length > 0) list.setFilters(found, search)
  }

  function type(text: string) {
    setTyped(text)
    clearTimeout(timer.current)
    // `status:` is not a word to look for yet
    if (/:\S*$/.test(text) && Object.keys(parseTyped(text, filters).filters).length > 0) return
    timer.current = setTimeout(() => apply(text), searchDelayMs)
    if (text.endsWith(' ')) apply(text)
  }

  const active = filters.filter(({ name }) => list.filters[name] !== undefined)
  return (
    <div className={css.bar} role="search">
      <SearchField
        ref={box}
        className={css.search}
        label={t('table.search', { what: label })}
        shortcut="/"
        value={typed}
        onChange={type}
        onSubmit={apply}
        onClear={() => apply('')}
      />
      {filters.length > 0 && <FilterMenu list={list} filters={filters} />}
      {active.map((filter) => (
        <Chip key={filter.name} name={filter.label} onRemove={() => list.setFilters({ [filter.name]: null })}>
          {valueLabels(filter, list.filters[filter.name] ?? '')}
        </Chip>
      ))}
      {active.length > 1 && (
        <Button variant="plain" size="small" onPress={list.reset}>
          {t('table.resetFilters')}
        </Button>
      )}
    </div>
  )
}

function FilterMenu({ list, filters }: Omit<FilterBarProps, 'label'>) {
  const t = useT('patterns')
  return (
    <LazyPopover
      label={t('table.filters')}
      placement="bottom start"
      trigger={
        <Button icon={FilterIcon} className={css.filterButton}>
          {t('table.filters')}
        </Button>
      }
    >
      <div className={css.menu}>
        {filters.map((filter) => (
          <FilterPart key={filter.name} list={list} filter={filter} />
        ))}
        <p className={css.hint}>{t('table.filterHint', { example: `${filters[0]?.name}:…` })}</p>
      </div>
    </LazyPopover>
  )
}

function FilterPart({ list, filter }: { list: List; filter: ListFilter }) {
  const values = valuesOf(filter, list.filters[filter.name])
  const set = (next: readonly string[]) => list.setFilters({ [filter.name]: writeValues(filter, next) })
  if (!filter.options) return <TextFilter filter={filter} value={values.join(', ')} onSet={set} />
  return (
    <fieldset className={css.part}>
      <legend>{filter.label}</legend>
      {filter.options.map(({ value, label }) => (
        <Checkbox
          key={value}
          isSelected={values.includes(value)}
          onChange={(on) => set(on ? [...values, value] : values.filter((other) => other !== value))}
        >
          {label}
        </Checkbox>
      ))}
    </fieldset>
  )
}

function TextFilter(props: { filter: ListFilter; value: string; onSet: (values: readonly string[]) => void }) {
  const { filter, value, onSet } = props
  const [text, setText] = useState(value)
  const commit = () => text !== value && onSet(text.trim() === '' ? [] : text.split(',').map((it) => it.trim()))
  return (
    <TextField
      label={filter.label}
      value={text}
      onChange={setText}
      onBlur={commit}
      onKeyDown={({ key }) => key === 'Enter' && commit()}
    />
  )
}
