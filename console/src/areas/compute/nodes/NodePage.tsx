import type { ComputeNode } from '@mainstay/contract/compute/nodes'
import { useFormat } from '../../../i18n/use-format'
import { useT } from '../../../i18n/use-t'
import { useParam } from '../../../nav/use-param'
import { ActionMenu } from '../../../patterns/ActionMenu'
import { ViewContent } from '../../../patterns/DrawerPage'
import { Facts } from '../../../patterns/Facts'
import { Page } from '../../../patterns/Page'
import { Panel } from '../../../ui/Panel'
import { Amount, Bytes } from '../../../ui/values/Bytes'
import { Mono } from '../../../ui/values/Mono'
import { PlacementNames } from '../placements/PlacementNames'
import { Memory, NodeStatus, Vcpus } from './NodeListPage'
import { useNodeActions } from './use-node-actions'
import { useNode, useReloadAfterNodeTasks } from './use-nodes'

/** `/compute/nodes/{id}`: one compute node with its statistics. */
export default function NodePage() {
  const t = useT('computeCluster')
  const patterns = useT('patterns')
  const id = useParam('id')
  const view = useNode(id)
  const actions = useNodeActions()
  useReloadAfterNodeTasks()
  const node = view.data
  const items = node ? actions(node) : []
  return (
    <Page
      title={node?.host ?? t('nodes.title')}
      aside={node && <NodeStatus node={node} />}
      actions={
        node &&
        items.length > 0 && <ActionMenu label={patterns('table.actionsOf', { name: node.host })} items={items} />
      }
    >
      <ViewContent view={view}>{(found) => <Content node={found} />}</ViewContent>
    </Page>
  )
}

function Content({ node }: { node: ComputeNode }) {
  const t = useT('computeCluster')
  const { hypervisor, services } = node
  return (
    <>
      <Facts
        rows={[
          [t('nodes.status'), <NodeStatus key="status" node={node} />],
          node.fenced_reason !== null && [t('nodes.fencedReason'), node.fenced_reason],
          [t('nodes.hostIp'), node.host_ip !== null && <Mono key="ip">{node.host_ip}</Mono>],
          [t('nodes.cpuModel'), node.cpu_model],
          [t('nodes.roles'), node.roles.map((role) => t(`nodes.role.${role}`)).join(', ')],
          [t('nodes.placements'), <PlacementNames key="placements" ids={node.traits} />],
          [t('nodes.hypervisor'), hypervisor.hypervisor_type],
          [t('nodes.hypervisorStatus'), t(hypervisor.status === 'enabled' ? 'nodes.accepted' : 'nodes.notAccepted')],
          [t('nodes.services'), services.map(({ name, state }) => `${name} (${state})`).join(', ')],
          ...Object.entries(node.custom_params).map(([name, value]) => [name, value] as const),
        ]}
      />
      <Statistics node={node} />
    </>
  )
}

function Statistics({ node }: { node: ComputeNode }) {
  const t = useT('computeCluster')
  const format = useFormat()
  const { hypervisor, statistics } = node
  if (!statistics) return null
  const { physical, reserved, compute } = statistics
  const bytes = (value: number | null) => value !== null && <Bytes of={value} />
  const load = (percent: number | null) => percent !== null && format.percent(percent / 100)
  return (
    <>
      <Panel title={t('nodes.statistics')}>
        <Facts
          rows={[
            [t('nodes.machines'), <Amount key="machines" of={hypervisor.vms} />],
            [t('nodes.vcpus'), <Vcpus key="vcpus" of={node} />],
            [t('nodes.memory'), <Memory key="memory" of={node} />],
            [t('nodes.memoryUsed'), bytes(compute.vm_mem_usage)],
            [t('nodes.cpu'), load(compute.cpu_usage)],
          ]}
        />
      </Panel>
      <Panel title={t('nodes.physical')}>
        <Facts
          rows={[
            [t('nodes.cores'), physical.cpu_cores !== null && <Amount key="cores" of={physical.cpu_cores} />],
            [t('nodes.cpu'), load(physical.cpu_usage)],
            [t('nodes.memoryTotal'), bytes(physical.mem_total)],
            [t('nodes.memoryFree'), bytes(physical.mem_free)],
            [t('nodes.swap'), bytes(physical.swap_total)],
            [t('nodes.swapFree'), bytes(physical.swap_free)],
            [t('nodes.reserved'), bytes(reserved.memory)],
          ]}
        />
      </Panel>
    </>
  )
}
