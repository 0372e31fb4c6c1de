import { facets, type Facets } from '@mainstay/contract/core/lists/facets'
import { useEffect, useImperativeHandle, useState, type ReactNode, type RefObject } from 'react'
import { Popover } from 'react-aria-components/Popover'
import { call } from '../../api/call'
import type { List } from '../../api/use-list'
import { useFormat } from '../../i18n/use-format'
import { useT } from '../../i18n/use-t'
import { classes } from '../../lib/classes'
import { useDebounced } from '../../lib/use-debounced'
import { SearchIcon } from '../../ui/icons'
import { Kbd } from '../../ui/values/Kbd'
import { VisuallyHidden } from '../../ui/VisuallyHidden'
import OwnerName from '../owners/OwnerName'
import { completionOf, type FilterOption } from './filter-options'
import { findFilter, ownerOf, typingAt, withValue, type ListFilter } from './filter-text'
import css from './FilterOptions.module.css'

interface FilterOptionsProps {
  /** ID of the listbox. */
  id: string
  box: RefObject<HTMLInputElement | null>
  list: Pick<List, 'kind' | 'question' | 'filters'>
  filters: readonly ListFilter[]
  typed: string
  /** Set by this component. Handles a key pressed in the box; returns false to let the box handle it. */
  takeKey: RefObject<((key: string) => boolean) | undefined>
  onActive: (id: string | undefined) => void
  onType: (text: string) => void
  /** Applies the filters and search words in the typed text, plus additional filters. */
  onApply: (text: string, more?: Record<string, string>) => void
}

/** The values of a filter among rows that match the other filters; undefined if the server does not return any. */
function useFacets(list: FilterOptionsProps['list'], filter: ListFilter | undefined, word: string) {
  const prefix = useDebounced(filter?.options ? '' : word, 150)
  const { [filter?.name ?? '']: _own, ...others } = list.question
  const kind = list.kind.name
  const question = filter && JSON.stringify({ ...others, field: filter.name, prefix, limit: filter.options ? 100 : 12 })
  const [answer, setAnswer] = useState<{ field: string; values: Facets | undefined }>()
  const field = filter?.name
  useEffect(() => {
    if (question === undefined || field === undefined) return
    const stop = new AbortController()
    call(facets.values, { params: { kind }, query: JSON.parse(question) as never }, { signal: stop.signal }).then(
      // a late response to an aborted request must not replace the next one
      (values) => stop.signal.aborted || setAnswer({ field, values }),
      // values are only suggestions; without them, the user can still type a value
      () => stop.signal.aborted || setAnswer({ field, values: undefined }),
    )
    return () => stop.abort()
  }, [kind, field, question])
  return answer?.field === field ? answer?.values : undefined
}

/** Delays status text, so that screen readers announce it after a pause instead of at every keystroke. */
function useTold(text: string): string {
  const [told, setTold] = useState('')
  useEffect(() => {
    const timer = setTimeout(() => setTold(text), 400)
    return () => clearTimeout(timer)
  }, [text])
  return told
}

/** Suggestions for the filter box: fields, then values with counts. The focus stays in the box. */
export default function FilterOptions(props: FilterOptionsProps) {
  const { id, box, list, filters, typed, takeKey, onActive, onType, onApply } = props
  const t = useT('query')
  const { field, word, before, isExcluded } = typingAt(typed)
  const filter = field === undefined ? undefined : findFilter(filters, field)
  const values = useFacets(list, filter, word)
  const { unknown, options } = completionOf(typed, filters, list.filters, values)
  const [at, setAt] = useState<{ typed: string; option: string }>()
  const told = useTold(t('count', { count: options.length }))
  const active = at?.typed === typed ? options.findIndex((option) => option.id === at.option) : -1
  const optionId = (option: FilterOption) => `${id}-${option.id}`
  const activeId = active < 0 ? undefined : optionId(options[active]!)
  useEffect(() => {
    onActive(activeId)
    if (activeId) document.getElementById(activeId)?.scrollIntoView({ block: 'nearest' })
  }, [activeId, onActive])

  function pick(option: FilterOption) {
    switch (option.sort) {
      case 'field':
        return onType(`${before}${word.startsWith('-') ? '-' : ''}${option.filter.name}:`)
      case 'value': {
        const { name } = option.filter
        return onApply(before, { [name]: withValue(option.filter, list.filters[name], option.value, isExcluded) })
      }
      case 'exclude':
        return onType(`${before}-${field}:${word}`)
      case 'contains':
        return onApply(before, { [option.filter.name]: option.word })
      case 'search':
        return onApply(typed)
    }
  }
  useImperativeHandle(takeKey, () => (key) => {
    if (key === 'ArrowDown' || key === 'ArrowUp') {
      const step = key === 'ArrowDown' ? 1 : -1
      const next = active < 0 && step < 0 ? options.length - 1 : (active + step + options.length) % options.length
      if (options[next]) setAt({ typed, option: options[next].id })
      return true
    }
    const isDone = key === 'Tab' && typed.trim() !== ''
    const option = options[active] ?? (isDone ? options.find(({ sort }) => sort !== 'search') : undefined)
    if (!option || (key !== 'Enter' && !isDone)) return false
    pick(option)
    return true
  })

  const heading = filter ? filter.label : t('fields')
  return (
    <Popover
      className={css.popover ?? ''}
      triggerRef={box}
      isOpen
      isNonModal
      placement="bottom start"
      offset={8}
      // the box controls when it closes
      onOpenChange={() => {}}
    >
      {/* oxlint-disable-next-line jsx-a11y/no-noninteractive-element-interactions -- a press must not move the focus from the search field */}
      <section aria-label={heading} className={css.parts} onMouseDown={(event) => event.preventDefault()}>
        {unknown !== undefined && (
          <p className={css.note} role="alert">
            {t('noField', { name: unknown })}
          </p>
        )}
        <p className={css.heading} aria-hidden="true">
          {heading}
        </p>
        <div id={id} role="listbox" aria-label={heading} className={css.list}>
          {options.map((option, index) => (
            // oxlint-disable-next-line jsx-a11y/click-events-have-key-events -- keys are handled by the search field
            <div
              key={option.id}
              id={optionId(option)}
              role="option"
              tabIndex={-1}
              aria-selected={index === active}
              className={classes(css.option, index === active && css.active)}
              onClick={() => pick(option)}
            >
              <Words option={option} />
            </div>
          ))}
        </div>
        <VisuallyHidden>
          <span role="status">{told}</span>
        </VisuallyHidden>
        {filter && !filter.options && values && !options.some(({ sort }) => sort === 'value') && (
          <p className={css.note} role="status">
            {t('noValues')}
          </p>
        )}
        <div className={css.foot}>
          <p>{t('help')}</p>
          <p className={css.keys}>
            <span>
              <Kbd>↑</Kbd> <Kbd>↓</Kbd> {t('choose')}
            </span>
            <span>
              <Kbd>Enter</Kbd> {t('add')}
            </span>
            <span>
              <Kbd>Tab</Kbd> {t('complete')}
            </span>
          </p>
        </div>
      </section>
    </Popover>
  )
}

function Words({ option }: { option: FilterOption }): ReactNode {
  const t = useT('query')
  const format = useFormat()
  switch (option.sort) {
    case 'field':
      return (
        <>
          <span className={css.words}>{option.filter.label}</span>
          <code className={css.end} dir="ltr">
            {option.filter.name}:
          </code>
        </>
      )
    case 'value': {
      const owner = ownerOf(option.filter)
      return (
        <>
          <span className={css.words}>
            {owner ? (
              <OwnerName of={owner} id={option.value} />
            ) : (
              <bdi>{option.label === '' ? t('none') : option.label}</bdi>
            )}
          </span>
          {typeof option.count === 'number' && <span className={css.end}>{format.number(option.count)}</span>}
        </>
      )
    }
    case 'exclude':
      return <span className={css.words}>{t('exclude', { field: option.filter.label })}</span>
    case 'contains':
      return <span className={css.words}>{t('contains', { field: option.filter.label, text: option.word })}</span>
    case 'search':
      return (
        <>
          <SearchIcon />
          <span className={css.words}>{t('search', { text: option.word })}</span>
        </>
      )
  }
}
