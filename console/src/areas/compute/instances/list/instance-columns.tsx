import type { Instance } from '@mainstay/contract/compute/instances'
import { columns } from '../../../../patterns/table/columns'
import { Bytes } from '../../../../ui/values/Bytes'
import { TagList } from '../../../../ui/values/TagList'
import { FlavorSize } from '../FlavorSize'
import { InstanceAddresses } from '../InstanceAddresses'
import { PlacementNames } from '../../placements/PlacementNames'
import { InstanceStatus } from '../InstanceStatus'
import { CpuCell } from './CpuCell'
import { MemoryCell } from './MemoryCell'
import { osName } from '../os-name'
import { instanceResource } from '../resource'

const column = columns<Instance>('instances')
const sizeOf = ({ volumes }: Instance) => volumes.reduce((sum, { size }) => sum + size, 0)

/**
 * All columns; where every tenant's rows are, project and host stand in the place of the sizes. Those that are shown at first fit
 * beside the pinned menu at 1440 px.
 */
export const instanceColumns = (isAllTenants: boolean) => [
  column.link('name', 'instances.name', instanceResource.paths.view, { width: 180 }),
  column.node('status', 'instances.status', (instance) => <InstanceStatus instance={instance} />, {
    width: 135,
    card: 'state',
  }),
  column.node('cpu_usage', 'instances.cpuNow', (instance) => <CpuCell instance={instance} />, { width: 125 }),
  column.node('mem_usage', 'instances.memory', (instance) => <MemoryCell instance={instance} />, { width: 125 }),
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
