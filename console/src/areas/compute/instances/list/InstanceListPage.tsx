import { Suspense, useMemo } from 'react'
import { instanceKind, instances } from '@mainstay/contract/compute/instances'
import { networkKind, networks } from '@mainstay/contract/networking/networks'
import { useFirstAnswers } from '../../../../api/first-answers'
import { useList } from '../../../../api/use-list'
import { ResourceListPage } from '../../../../patterns/resource/ResourceListPage'
import { useMay } from '../../../../session/may'
import { useIsAllTenants } from '../../../../session/session'
import { FirstInstance } from '../../first-run/resource'
import { instanceColumns } from './instance-columns'
import { instanceResource } from '../resource'
import { useInstanceFilters } from './use-instance-filters'
import { useInstanceActions } from '../use-instance-actions'
import { useInstanceBulk } from './use-instance-bulk'

export default function InstanceListPage() {
  const may = useMay()
  const isAllTenants = useIsAllTenants()
  const list = useList(instances.list, instanceKind)
  const isThere = !list.isLoading
  // load the rows first, and the filter options only once the rows are rendered
  const isAnswered = useFirstAnswers()
  const networkList = useList(networks.list, networkKind, { stateIn: 'memory', limit: 100, isEnabled: isAnswered })
  const filters = useInstanceFilters(networkList.rows, isAnswered)
  const actions = useInstanceActions()
  const bulk = useInstanceBulk()
  const columns = useMemo(() => instanceColumns(isAllTenants), [isAllTenants])
  const isFirst = isThere && !list.problem && !list.isFiltered && !list.rows.length && !isAllTenants
  return (
    <ResourceListPage
      resource={instanceResource}
      list={list}
      columns={columns}
      actions={actions.all}
      filters={filters}
      bulk={bulk}
      instead={
        isFirst &&
        may(instances.create.needs) && (
          <Suspense>
            <FirstInstance />
          </Suspense>
        )
      }
    />
  )
}
