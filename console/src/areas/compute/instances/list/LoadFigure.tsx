import { classes } from '../../../../lib/classes'
import { useFormat } from '../../../../i18n/use-format'
import css from './load.module.css'

/** Values at or above this percentage are highlighted. */
export const high = 90

/** A percentage with a fixed width. */
export function LoadFigure({ of }: { of: number | null }) {
  const format = useFormat()
  return (
    <bdi className={classes(css.figure, of !== null && of >= high && css.isHigh)}>
      {of === null ? '–' : format.percent(of / 100, 0)}
    </bdi>
  )
}
