import type { ReactNode } from 'react'
import { useT } from '../i18n/use-t'
import { classes } from '../lib/classes'
import { BadIcon, HelpIcon, OkIcon } from '../ui/icons'
import { VisuallyHidden } from '../ui/VisuallyHidden'
import css from './CheckTrace.module.css'

export type CheckState = 'passes' | 'refused' | 'unknown'

export interface Check {
  id: string
  state: CheckState
  title: ReactNode
  detail?: ReactNode
  /** The step that helps. */
  fix?: ReactNode
}

const icons = { passes: OkIcon, refused: BadIcon, unknown: HelpIcon } as const
const words = { passes: 'check.passes', refused: 'check.refused', unknown: 'check.unknown' } as const

/** Checks in the order in which they are made, each with what came of it. */
export function CheckTrace({ checks, label }: { checks: readonly Check[]; label: string }) {
  const t = useT('patterns')
  return (
    <ol className={css.trace} aria-label={label}>
      {checks.map(({ id, state, title, detail, fix }) => {
        const StateIcon = icons[state]
        return (
          <li key={id} className={classes(css.check, css[state])}>
            <span className={css.icon}>
              <StateIcon />
            </span>
            <div className={css.words}>
              <span>
                <VisuallyHidden>{t(words[state])}: </VisuallyHidden>
                {title}
              </span>
              {detail && <span className={css.detail}>{detail}</span>}
              {fix && <span className={css.detail}>{fix}</span>}
            </div>
          </li>
        )
      })}
    </ol>
  )
}

/** What all checks together say. */
export function Verdict({ state, title, children }: { state: CheckState; title: string; children?: ReactNode }) {
  const StateIcon = icons[state]
  return (
    <div className={classes(css.verdict, css[state])} role="status">
      <StateIcon />
      <div>
        <strong className={css.answer}>{title}</strong>
        {children && <div>{children}</div>}
      </div>
    </div>
  )
}
