import { impact } from '@mainstay/contract/infrastructure/impact'
import { metricQueries } from '@mainstay/contract/monitoring/metric-queries'
import type { Node } from '@mainstay/contract/infrastructure/nodes'
import { useT } from '../../../../i18n/use-t'
import { ChartGrid } from '../../../../patterns/charts/ChartGrid'
import { RangeChoice, useRange } from '../../../../patterns/charts/RangeChoice'
import { PageColumns } from '../../../../patterns/PageColumns'
import { SmallTable } from '../../../../patterns/table/SmallTable'
import { useMay } from '../../../../session/may'
import { Banner } from '../../../../ui/feedback/Banner'
import { Panel } from '../../../../ui/Panel'
import type { Tone } from '../../../../ui/tone'
import { StatusBadge } from '../../../../ui/values/StatusBadge'
import { IfItFails } from '../../impact/IfItFails'
import { serviceText } from '../node-status'
import css from '../nodes.module.css'
import { Connection } from './Connection'
import { HostFeatures } from './HostFeatures'
import { Hardware } from './Hardware'
import { Membership } from './Membership'
import { MemoryUse } from './MemoryUse'
import { useNodeCharts } from './use-node-charts'

/** Charts, services, memory, hardware and connection of a node. */
export default function NodeOverview({ node }: { node: Node }) {
  const t = useT('nodes')
  const may = useMay()
  return (
    <div className={css.stack}>
      {node.restart_pending && <Banner tone="warn">{t('restartPending')}</Banner>}
      {may(metricQueries.range.needs) && <Charts node={node} />}
      <PageColumns
        side={
          <>
            <Hardware node={node} />
            <Connection node={node} />
          </>
        }
      >
        <Membership node={node} />
        <Services node={node} />
        {may(impact.view.needs) && <IfItFails kind="node" id={node.id} />}
        {node.ram && <MemoryUse ram={node.ram} />}
        <HostFeatures node={node} />
      </PageColumns>
    </div>
  )
}

function Charts({ node }: { node: Node }) {
  const [range, setRange] = useRange()
  const t = useT('nodes')
  const charts = useNodeCharts(node)
  return (
    <Panel title={t('use')} action={<RangeChoice range={range} onChange={setRange} />}>
      <ChartGrid charts={charts} range={range} isCompact />
    </Panel>
  )
}

const tones: Readonly<Record<Node['services'][number]['status'], Tone>> = {
  running: 'ok',
  starting: 'busy',
  stopped: 'idle',
  failed: 'bad',
}

function Services({ node: { services } }: { node: Node }) {
  const t = useT('nodes')
  return (
    <Panel title={t('services')} isFlush={services.length > 0}>
      <SmallTable
        label={t('services')}
        rows={services}
        keyOf={({ name }) => name}
        empty={t('noServices')}
        columns={[
          { id: 'name', label: t('serviceName'), render: ({ name }) => <bdi>{serviceText(name, t)}</bdi> },
          {
            id: 'status',
            label: t('status'),
            render: ({ status }) => <StatusBadge tone={tones[status]}>{t(`serviceStatus.${status}`)}</StatusBadge>,
          },
          { id: 'message', label: t('details'), render: ({ message }) => message ?? '–' },
        ]}
      />
    </Panel>
  )
}
