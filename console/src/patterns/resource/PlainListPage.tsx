import { useList, type List, type Row } from '../../api/use-list'
import { useT } from '../../i18n/use-t'
import { ResourceListPage } from './ResourceListPage'
import { tableFilters, type Screens } from './screens'
import { useScreenActions, type PlainProps } from './use-screen-actions'

/** The list of an ordinary resource. */
export function PlainListPage(props: PlainProps) {
  const { resource } = props
  const screens = props.screens as unknown as Screens<Row>
  const t = useT(resource.area)
  const list = useList(resource.calls.list, resource.kind) as unknown as List
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
