import type { ReactNode } from 'react'
import { Link } from '../../../nav/Link'
import { classes } from '../../../lib/classes'
import { clamp } from '../../../lib/numbers'
import { toneIcons, type Tone } from '../../../ui/tone'
import tones from '../../../ui/tone.module.css'
import css from './Tiles.module.css'

export interface Tile {
  label: string
  value: ReactNode
  note?: string | undefined
  /** Page with the details. */
  to: string
  /** Shown as an icon before the label. */
  tone?: Tone | undefined
  /** Used share of a limited amount, from 0 to 1, shown as a bar. */
  share?: number | undefined
}

/** The main numbers of a page, each a link to the page with the details. */
export const Tiles = ({ label, tiles }: { label: string; tiles: readonly Tile[] }) => (
  <ul className={css.tiles} aria-label={label}>
    {tiles.map((tile) => {
      const ToneIcon = tile.tone && toneIcons[tile.tone]
      return (
        <li key={tile.label}>
          <Link to={tile.to} className={classes(css.tile, tile.tone && tones[tile.tone])}>
            <span className={css.label}>
              {ToneIcon && <ToneIcon />}
              {tile.label}
            </span>
            <strong className={css.value}>
              <bdi>{tile.value}</bdi>
            </strong>
            {tile.share !== undefined && (
              <span className={css.track} aria-hidden>
                <span className={css.used} style={{ inlineSize: `${clamp(tile.share, 0, 1) * 100}%` }} />
              </span>
            )}
            {tile.note !== undefined && <bdi className={css.note}>{tile.note}</bdi>}
          </Link>
        </li>
      )
    })}
  </ul>
)
