import type { Instance } from '@mainstay/contract/compute/instances'
import { columns } from '../../../../patterns/table/columns'
import { Bytes } from '../../../../ui/values/Bytes'
import { TagList } from '../../../../ui/values/TagList'
import { FlavorSize } from '../FlavorSize'
import { InstanceAddresses } from '../InstanceAddresses'
import { PlacementNames } from '../../placements/PlacementNames'
import { InstanceStatus } from '../InstanceStatus'
import { osName } from '../os-name'
import { instanceResource } from '../resource'
import { classes } from '../../../../lib/classes'
import { high, LoadFigure } from './LoadFigure'
import { useLoad } from './use-load'
import css from './load.module.css'
import { FIGURES_SECONDS } from '@mainstay/contract/monitoring/instance-metrics'
import { useFormat } from '../../../../i18n/use-format'
import { useT } from '../../../../i18n/use-t'
import { Sparkline } from '../../../../ui/values/Sparkline'

/** CPU usage over the last few hours, and the current value. */
function CpuCell({ instance }: { instance: Instance }) {
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

/** Memory usage, as a bar and a percentage. */
function MemoryCell({ instance }: { instance: Instance }) {
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

const column = columns<Instance>('instances')
const sizeOf = ({ volumes }: Instance) => volumes.reduce((sum, { size }) => sum + size, 0)

/**
 * All columns. For all tenants, the project and host columns replace the size columns. The default columns fit next to
 * the pinned menu at 1440 px.
 */
export const instanceColumns = (isAllTenants: boolean) => [
  column.link('name', 'instances.name', instanceResource.paths.view, { width: 180 }),
  column.node('status', 'instances.status', (instance) => <InstanceStatus instance={instance} />, {
    width: 135,
    card: 'state',
  }),
  column.node('cpu_usage', 'instances.cpuNow', (instance) => <CpuCell instance={instance} />, { width: 110 }),
  column.node('mem_usage', 'instances.memory', (instance) => <MemoryCell instance={instance} />, { width: 110 }),
  column.node('ip', 'instances.addresses', (instance) => <InstanceAddresses instance={instance} />, {
    width: 135,
    card: 'plain',
  }),
  column.node('vcpus', 'instances.vcpuMemory', ({ flavor }) => <FlavorSize vcpus={flavor.vcpus} ram={flavor.ram} />, {
    width: 140,
    isAtEnd: true,
    isHidden: isAllTenants,
  }),
  column.node('block_capacity', 'instances.storage', (instance) => <Bytes of={sizeOf(instance)} />, {
    width: 90,
    isAtEnd: true,
    isHidden: isAllTenants,
  }),
  column.node('image', 'instances.image', (instance, { t }) => <bdi>{osName(instance, t as never)}</bdi>, {
    width: 160,
    isHidden: true,
  }),
  column.text('key_name', 'instances.sshKey', { width: 140, isHidden: true }),
  column.node(
    'tags',
    'instances.tags',
    ({ name, tags }, { t }) =>
      tags.length > 0 ? <TagList label={t('instances.tagsOf', { name })} tags={tags} /> : null,
    { width: 180, isHidden: true },
  ),
  column.node('traits', 'instances.placements', ({ traits }) => <PlacementNames ids={traits} />, {
    width: 160,
    isHidden: true,
  }),
  column.project('project_id'),
  column.domain('domain_id'),
  column.text('host', 'instances.host', { width: 140, isForAllTenants: true }),
  column.time('created', 'instances.created', { sortKey: 'created_at', width: 110 }),
]
