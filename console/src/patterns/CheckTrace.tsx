import { Fragment, type ReactNode } from 'react'
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
  /** How to fix a failed check. */
  fix?: ReactNode
}

const icons = { passes: OkIcon, refused: BadIcon, unknown: HelpIcon } as const
const words = { passes: 'check.passes', refused: 'check.refused', unknown: 'check.unknown' } as const
const hidden = (chunks: ReactNode[]) => <VisuallyHidden>{chunks}</VisuallyHidden>

/** Checks in the order of evaluation, with their results. */
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
              <span>{t(words[state], { hidden, title: <Fragment key="title">{title}</Fragment> })}</span>
              {detail && <span className={css.detail}>{detail}</span>}
              {fix && <span className={css.detail}>{fix}</span>}
            </div>
          </li>
        )
      })}
    </ol>
  )
}

/** The overall result of the checks. */
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
