import { useT } from '../../../../i18n/use-t'
import { classes } from '../../../../lib/classes'
import { cellStates, stateText } from './machine-words'
import css from './ProtectionGrid.module.css'

/** The meaning of the cells. */
export function StateLegend() {
  const t = useT('storage')
  return (
    <ul className={css.legend} aria-hidden="true">
      {cellStates.map((state) => (
        <li key={state}>
          <span className={classes(css.cell, css.sample, css[state])} /> {stateText(state, t)}
        </li>
      ))}
    </ul>
  )
}
