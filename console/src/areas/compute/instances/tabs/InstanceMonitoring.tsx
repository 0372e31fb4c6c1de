import { instanceIsRunning } from '@mainstay/contract/compute/instance-rules'
import { ChartGrid } from '../../../../patterns/charts/ChartGrid'
import { RangeChoice, useRange } from '../../../../patterns/charts/RangeChoice'
import { useInstanceCharts } from './instance-charts'
import { InstanceCharts } from './InstanceCharts'
import css from './InstanceMonitoring.module.css'
import type { InstanceTabProps } from './tab-props'

/** Usage history of an instance over hours or weeks, below the current usage while the instance is running. */
export default function InstanceMonitoring({ instance }: InstanceTabProps) {
  const [range, setRange] = useRange()
  const charts = useInstanceCharts(instance)
  return (
    <div className={css.monitoring}>
      {instanceIsRunning(instance) && <InstanceCharts instance={instance} />}
      <RangeChoice range={range} onChange={setRange} />
      <ChartGrid charts={Object.values(charts)} range={range} />
    </div>
  )
}
