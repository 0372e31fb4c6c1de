import type { ReactNode } from 'react'
import { useT } from '../i18n/use-t'
import { classes } from '../lib/classes'
import type { Icon } from '../ui/icons'
import css from './PathLine.module.css'

export interface Hop {
  id: string
  icon: Icon
  name: ReactNode
  /** Shown below the name, such as addresses or a count. */
  detail?: ReactNode
  /** Whether this hop is the object that the page is about. */
  isOwn?: boolean
}

/** The connection from one hop to the next. */
export interface Leg {
  /** Text above and below the line. */
  over?: ReactNode
  under?: ReactNode
  /** Why the connection is broken. */
  broken?: string | null
}

/** A chain of hops. A broken connection is dashed and shows the reason. */
export function PathLine({ hops, legs, label }: { hops: readonly Hop[]; legs: readonly Leg[]; label: string }) {
  const t = useT('patterns')
  return (
    <div className={css.place}>
      <ol className={css.path} aria-label={label}>
        {hops.map(({ id, icon: HopIcon, name, detail, isOwn }, at) => {
          const leg = legs[at]
          return (
            <li key={id} className={css.item}>
              <div className={classes(css.hop, isOwn && css.own)}>
                <span className={css.name}>
                  <HopIcon /> {name}
                </span>
                {detail && <span className={css.detail}>{detail}</span>}
              </div>
              {leg && (
                <div className={classes(css.leg, leg.broken && css.broken)}>
                  <span>{leg.over}</span>
                  <span className={css.line} />
                  <span>{leg.broken ? t('path.broken', { why: leg.broken }) : leg.under}</span>
                </div>
              )}
            </li>
          )
        })}
      </ol>
    </div>
  )
}
