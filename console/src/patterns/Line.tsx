import type { ReactNode } from 'react'
import css from './lines.module.css'

interface LineProps {
  name: ReactNode
  badge?: ReactNode
  notes: readonly ReactNode[]
  action?: ReactNode
}

/** One session or token: its name, notes below it, and an action at the end. */
export const Line = ({ name, badge, notes, action }: LineProps) => (
  <li className={css.line}>
    <div className={css.words}>
      <span className={css.name}>
        <bdi>{name}</bdi>
        {badge}
      </span>
      <span className={css.notes}>
        {notes.map((note, at) => (
          <span key={at}>{note}</span>
        ))}
      </span>
    </div>
    <div className={css.action}>{action}</div>
  </li>
)
