import { useDelayed } from '../lib/use-delayed'
import { Spinner } from '../ui/feedback/Spinner'
import css from './PageSpinner.module.css'

/** Until a page is here; for the first moment nothing, so that quick pages do not flicker. */
export function PageSpinner() {
  const isLate = useDelayed(true)
  return (
    <div className={css.place} aria-busy="true">
      {isLate && <Spinner size={24} />}
    </div>
  )
}
