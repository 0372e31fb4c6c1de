import { useDelayed } from '../lib/use-delayed'
import { Spinner } from '../ui/feedback/Spinner'
import css from './PageSpinner.module.css'

/** Shown while a page loads. Empty at first, so that fast pages do not flicker. */
export function PageSpinner() {
  const isLate = useDelayed(true)
  return (
    <div className={css.place} aria-busy="true">
      {isLate && <Spinner size={24} />}
    </div>
  )
}
