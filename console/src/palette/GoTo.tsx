import { useId, useState, type KeyboardEvent } from 'react'
import { problemText } from '../api/problem-text'
import { InstanceStatus } from '../areas/compute/instances/InstanceStatus'
import { useT } from '../i18n/use-t'
import { classes } from '../lib/classes'
import type { MenuGroup } from '../nav/menu'
import { SearchIcon } from '../ui/icons'
import { Kbd } from '../ui/values/Kbd'
import type { Entry } from './entries'
import { useSections } from './use-sections'
import field from '../ui/fields/field.module.css'
import list from '../ui/list.module.css'
import css from './Palette.module.css'

const steps: Readonly<Record<string, number>> = { ArrowDown: 1, ArrowUp: -1 }

interface GoToProps {
  menu: readonly MenuGroup[]
  takeTyped?: (() => string) | undefined
  /** Called before a result is opened. */
  onDone: () => void
}

/**
 * The search field and its results. Focus stays in the field: arrow keys select a result, and Enter opens it. Does not
 * use the component library’s Autocomplete: the library’s text fields depend on it, so it would end up in the
 * first chunk of every page.
 */
export function GoTo({ menu, takeTyped, onDone }: GoToProps) {
  const t = useT('palette')
  const shell = useT('shell')
  const [typed, setTyped] = useState('')
  const [marked, setMarked] = useState<string>()
  const takeEarly = () => {
    const early = takeTyped?.() ?? ''
    setTyped((later) => early + later)
  }
  const listId = useId()
  const { sections, isAwaited, problem } = useSections(typed, { menu, onDone })
  const lines = sections.flatMap(({ entries }) => entries)
  const at = Math.max(
    0,
    lines.findIndex(({ id }) => id === marked),
  )
  const lineId = (index: number) => `${listId}-${index}`

  const press = (event: KeyboardEvent) => {
    const step = steps[event.key]
    if (event.nativeEvent.isComposing || lines.length === 0) return
    if (step !== undefined) {
      const next = (at + step + lines.length) % lines.length
      setMarked(lines[next]!.id)
      document.getElementById(lineId(next))?.scrollIntoView({ block: 'nearest' })
    } else if (event.key === 'Enter') {
      // the first result may be outdated, so Enter must not open it
      if (!isAwaited || marked !== undefined) lines[at]!.run()
    } else return
    event.preventDefault()
  }

  return (
    <div className={css.go}>
      <div className={field.box}>
        <span className={css.lens}>
          <SearchIcon />
        </span>
        <input
          className={field.input}
          type="text"
          role="combobox"
          // until the field has the focus, key presses are buffered instead of reaching the page
          onFocus={takeEarly}
          aria-label={t('label')}
          aria-expanded
          aria-controls={listId}
          aria-autocomplete="list"
          {...(lines.length > 0 && { 'aria-activedescendant': lineId(at) })}
          placeholder={t('label')}
          maxLength={255}
          autoComplete="off"
          spellCheck={false}
          // typing in this field is the purpose of the dialog
          autoFocus
          value={typed}
          onChange={({ target }) => {
            setTyped(target.value)
            setMarked(undefined)
          }}
          onKeyDown={press}
        />
      </div>
      <div className={css.results} id={listId} role="listbox" aria-label={t('results')} aria-busy={isAwaited}>
        {sections.map(({ id, label, entries }) => (
          <div key={id} role="group" aria-label={label}>
            <div className={list.heading} aria-hidden="true">
              {label}
            </div>
            {entries.map((entry) => {
              const index = lines.indexOf(entry)
              return <Line key={entry.id} id={lineId(index)} entry={entry} isMarked={index === at} />
            })}
          </div>
        ))}
      </div>
      <p className={classes(css.says, lines.length === 0 && css.alone)} role="status">
        {problem
          ? t('failed', { reason: problemText(problem, shell) })
          : lines.length === 0 && !isAwaited && t('nothing', { text: typed.trim() })}
      </p>
      <p className={css.keys} aria-hidden="true">
        <Kbd>↑</Kbd> <Kbd>↓</Kbd> {t('hint.choose')} <Kbd>Enter</Kbd> {t('hint.open')} <Kbd>Esc</Kbd> {t('hint.close')}
      </p>
    </div>
  )
}

interface LineProps {
  id: string
  entry: Entry
  isMarked: boolean
}

const Line = ({ id, entry: { label, detail, icon: LineIcon, state, run }, isMarked }: LineProps) => (
  // oxlint-disable-next-line jsx-a11y/click-events-have-key-events -- keys are handled by the search field, which marks a line
  <div
    id={id}
    role="option"
    aria-selected={isMarked}
    tabIndex={-1}
    className={classes(list.item, css.line, isMarked && css.marked)}
    onClick={run}
  >
    {LineIcon && <LineIcon />}
    <span className={list.words}>
      <bdi className={list.label}>{label}</bdi>
    </span>
    {detail && <bdi className={list.end}>{detail}</bdi>}
    {state && <InstanceStatus instance={{ ...state, fault: null }} />}
  </div>
)
