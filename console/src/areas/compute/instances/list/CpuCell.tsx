import type { Instance } from '@mainstay/contract/compute/instances'
import { FIGURES_SECONDS } from '@mainstay/contract/monitoring/instance-figures'
import { useFormat } from '../../../../i18n/use-format'
import { useT } from '../../../../i18n/use-t'
import { Sparkline } from '../../../../ui/values/Sparkline'
import { LoadFigure } from './LoadFigure'
import { useLoad } from './use-load'
import css from './load.module.css'

/** The load of the processors: how it was in the last hours, and now. */
export function CpuCell({ instance }: { instance: Instance }) {
  const t = useT('instances')
  const format = useFormat()
  const { cpu, history } = useLoad(instance)
  const known = history.filter((value) => value !== null)
  if (cpu === null && known.length === 0) return <>–</>
  const share = (value: number) => format.percent(value / 100, 0)
  return (
    <span className={css.load}>
      <span className={css.line}>
        {known.length > 1 && (
          <Sparkline
            label={t('instances.cpuHistory', {
              hours: FIGURES_SECONDS / 3600,
              low: share(Math.min(...known)),
              high: share(Math.max(...known)),
            })}
            values={history}
            high={100}
            width={64}
          />
        )}
      </span>
      <LoadFigure of={cpu} />
    </span>
  )
}
