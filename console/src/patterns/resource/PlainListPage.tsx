import { useList } from '../../api/use-list'
import { useT } from '../../i18n/use-t'
import { useParents } from '../../nav/parents'
import type { Named } from '../../nav/resource'
import { ResourceListPage } from './ResourceListPage'
import { tableFilters } from './screens'
import { useScreenActions, type PlainProps } from './use-screen-actions'

/** The list page of a standard resource. */
export function PlainListPage<Item extends Named>(props: PlainProps<Item>) {
  const { resource, screens } = props
  const t = useT(resource.area)
  const list = useList(resource.calls.list, resource.kind, { params: useParents(resource) })
  const { actions, bulk } = useScreenActions(props)
  return (
    <ResourceListPage
      resource={resource}
      list={list}
      columns={screens.columns}
      actions={actions}
      bulk={bulk}
      filters={tableFilters(resource, screens, t)}
    />
  )
}
