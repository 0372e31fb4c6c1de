import { useEffect, useState } from 'react'
import { useT } from '../i18n/use-t'
import { classes } from '../lib/classes'
import { useDebounced } from '../lib/use-debounced'
import { changePlace } from '../session/change-place'
import { enterDomainMode, reloadProjects, switchProject } from '../session/sign-in'
import { isDomainMode, mayEnterDomainMode, useSession } from '../session/session'
import { CheckIcon, DomainIcon } from '../ui/icons'
import { SearchField } from '../ui/fields/SearchField'
import css from './ProjectChooser.module.css'

/** Delay between the last keystroke and the request, in milliseconds (S1§2). */
const fetchDelayMs = 300

/** The projects to choose from, loaded when the chooser opens. */
export default function ProjectList({ onChosen }: { onChosen: () => void }) {
  const t = useT('shell')
  const patterns = useT('patterns')
  const session = useSession()
  const [typed, setTyped] = useState('')
  const { projects, project, panel } = session
  const isOperator = panel?.panel === 'admin'
  const wanted = typed.trim().toLowerCase()
  const found = projects.filter(({ name }) => name.toLowerCase().includes(wanted))
  // reload on each search, because the project may be new
  const asked = useDebounced(wanted, fetchDelayMs)
  useEffect(() => {
    if (asked !== '') void reloadProjects().catch(() => {})
  }, [asked])
  const isOutside = isDomainMode(session)
  const choose = (go: () => Promise<void>) => {
    onChosen()
    changePlace(go)
  }
  return (
    <div className={css.panel}>
      <SearchField autoFocus label={patterns('chooser.search')} value={typed} onChange={setTyped} />
      <ul className={css.list}>
        {(isOperator || mayEnterDomainMode(session)) && (
          <li>
            <button type="button" className={css.item} disabled={isOutside} onClick={() => choose(enterDomainMode)}>
              <DomainIcon />
              <span className={css.name}>{t(isOperator ? 'chooser.everything' : 'chooser.domain')}</span>
              {isOutside && <CheckIcon />}
            </button>
          </li>
        )}
        {found.map((option) => {
          const isCurrent = option.id === project?.id
          return (
            <li key={option.id}>
              <button
                type="button"
                className={classes(css.item, isCurrent && css.current)}
                disabled={isCurrent || !option.enabled}
                aria-current={isCurrent}
                onClick={() => choose(() => switchProject(option))}
              >
                <span className={css.name}>{option.name}</span>
                {!option.enabled && <span className={css.note}>{patterns('chooser.disabled')}</span>}
                {isCurrent && <span className={css.note}>{patterns('chooser.current')}</span>}
                {isCurrent && <CheckIcon />}
              </button>
            </li>
          )
        })}
        {found.length === 0 && <li className={css.empty}>{patterns('chooser.empty')}</li>}
      </ul>
    </div>
  )
}
