import { useState } from 'react'
import { nodeRegistration } from '@mainstay/contract/infrastructure/node-registration'
import { nodeKind, nodes, type Node } from '@mainstay/contract/infrastructure/nodes'
import { useList, type List } from '../../../api/use-list'
import { useT, type Translate } from '../../../i18n/use-t'
import { AddLink } from '../../../patterns/AddLink'
import { Page } from '../../../patterns/Page'
import type { ListFilter } from '../../../patterns/table/filter-text'
import { ResourceTable } from '../../../patterns/table/ResourceTable'
import { nodeColumns } from './node-columns'
import { nodeStatuses, nodeStatusText } from './node-status'
import css from './nodes.module.css'
import { nodePaths } from './paths'
import { SecondHost } from './SecondHost'
import { useNodeActions } from './use-node-actions'
import { useNodeTasks } from './use-node-tasks'

/** Whether this is an installation of the embedded engine, which runs on a single host. */
const isOneHost = ({ rows, isFiltered }: List<Node>) => !isFiltered && rows.length === 1 && rows[0]!.link.by === 'local'

/** `/nodes`: the hosts of the installation. Nodes outside the cluster are listed in a separate group. */
export default function NodeListPage() {
  const t = useT('nodes')
  const list = useInGroups(useList(nodes.list, nodeKind))
  const actions = useNodeActions()
  useNodeTasks()
  const isAlone = isOneHost(list)
  const add = (
    <AddLink to={nodePaths.add()} needs={nodeRegistration.generateToken.needs}>
      {t('add')}
    </AddLink>
  )
  return (
    <Page title={t('title')} isFilled={!isAlone} actions={add}>
      <div className={css.list}>
        <ResourceTable
          list={list}
          label={t('many')}
          columns={nodeColumns}
          actions={actions}
          isFitting={isAlone}
          filters={filters(t)}
          empty={t('empty')}
          emptyAction={add}
        />
      </div>
      {isAlone && <SecondHost />}
    </Page>
  )
}

const filters = (t: Translate<'nodes'>): ListFilter[] => [
  {
    name: 'status',
    label: t('status'),
    options: nodeStatuses.map((value) => ({ value, label: nodeStatusText(value, t) })),
  },
  { name: 'host', label: t('name') },
  {
    name: 'is_assigned',
    label: t('membership'),
    options: [
      { value: 'true', label: t('inCluster') },
      { value: 'false', label: t('notInCluster') },
    ],
  },
]

/**
 * Groups the nodes by cluster membership if at least one is outside the cluster and the user has not chosen another
 * grouping.
 */
function useInGroups(list: List<Node>): List<Node> {
  const [isChosen, setChosen] = useState(false)
  const hasOutsiders = list.rows.some(({ is_assigned }) => !is_assigned) && list.rows.some((it) => it.is_assigned)
  return {
    ...list,
    groupBy: list.groupBy ?? (hasOutsiders && !isChosen ? 'is_assigned' : undefined),
    setGroupBy(filter) {
      setChosen(true)
      list.setGroupBy(filter)
    },
  }
}
