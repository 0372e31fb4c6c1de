import { classes } from '../../../../lib/classes'
import { useFormat } from '../../../../i18n/use-format'
import css from './load.module.css'

/** From this share on a figure stands out, percent. */
export const high = 90

/** A share in percent, in the width of any. */
export function LoadFigure({ of }: { of: number | null }) {
  const format = useFormat()
  return (
    <bdi className={classes(css.figure, of !== null && of >= high && css.isHigh)}>
      {of === null ? '–' : format.percent(of / 100, 0)}
    </bdi>
  )
}
