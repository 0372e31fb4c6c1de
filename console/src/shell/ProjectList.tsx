import { useState } from 'react'
import { useT } from '../i18n/use-t'
import { classes } from '../lib/classes'
import { enterDomainMode, switchProject } from '../session/sign-in'
import { isDomainMode, mayEnterDomainMode, useSession } from '../session/session'
import { CheckIcon, DomainIcon } from '../ui/icons'
import { SearchField } from '../ui/fields/SearchField'
import css from './ProjectChooser.module.css'

/** The projects to choose from; fetched when the chooser is opened. */
export default function ProjectList({ onChosen }: { onChosen: () => void }) {
  const t = useT('shell')
  const session = useSession()
  const [typed, setTyped] = useState('')
  const { projects, project } = session
  const wanted = typed.trim().toLowerCase()
  const found = projects.filter(({ name }) => name.toLowerCase().includes(wanted))
  const isInDomain = isDomainMode(session)
  const choose = (go: () => Promise<void>) => {
    onChosen()
    void go().catch(() => {})
  }
  return (
    <div className={css.panel}>
      <SearchField autoFocus label={t('chooser.search')} value={typed} onChange={setTyped} />
      <ul className={css.list}>
        {mayEnterDomainMode(session) && (
          <li>
            <button type="button" className={css.item} disabled={isInDomain} onClick={() => choose(enterDomainMode)}>
              <DomainIcon />
              <span className={css.name}>{t('chooser.domain')}</span>
              {isInDomain && <CheckIcon />}
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
                {!option.enabled && <span className={css.note}>{t('chooser.disabled')}</span>}
                {isCurrent && <span className={css.note}>{t('chooser.current')}</span>}
                {isCurrent && <CheckIcon />}
              </button>
            </li>
          )
        })}
        {found.length === 0 && <li className={css.empty}>{t('chooser.empty')}</li>}
      </ul>
    </div>
  )
}
