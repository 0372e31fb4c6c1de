import type { Instance } from '@mainstay/contract/compute/instances'
import { classes } from '../../../../lib/classes'
import { high, LoadFigure } from './LoadFigure'
import { useLoad } from './use-load'
import css from './load.module.css'

/** How full the memory is. */
export function MemoryCell({ instance }: { instance: Instance }) {
  const { memory } = useLoad(instance)
  if (memory === null) return <>–</>
  return (
    <span className={css.load}>
      <span className={css.track} aria-hidden="true">
        <span
          className={classes(css.bar, memory >= high && css.isHigh)}
          style={{ inlineSize: `${Math.min(100, Math.max(0, memory))}%` }}
        />
      </span>
      <LoadFigure of={memory} />
    </span>
  )
}
