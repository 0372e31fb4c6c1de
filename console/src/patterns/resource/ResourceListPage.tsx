import type { ReactNode } from 'react'
import type { List, Row } from '../../api/use-list'
import type { Resource } from '../../nav/resource'
import { AddLink } from '../AddLink'
import { Page } from '../Page'
import { ResourceTable, type ResourceTableProps } from '../table/ResourceTable'
import { useResourceText } from './use-resource-text'

export interface ResourceListPageProps<Item extends Row> extends Pick<
  ResourceTableProps<Item>,
  'columns' | 'actions' | 'bulk' | 'filters'
> {
  resource: Resource
  list: List<Item>
  /** Above the table: other pages that belong to this one. */
  tabs?: ReactNode
  /** Before the button that adds one. */
  links?: ReactNode
  /** In the place of the usual sentence, when there is none yet. */
  empty?: string | undefined
  /** In the place of the table. */
  instead?: ReactNode
  /** Dialogs of the page. */
  children?: ReactNode
}

/** The page of a list: title, the button that adds one, table, and what is said when there is none. */
export function ResourceListPage<Item extends Row>(props: ResourceListPageProps<Item>) {
  const { resource, list, tabs, links, empty, instead, children, ...table } = props
  const say = useResourceText(resource)
  const { create } = resource.calls
  const add = create && (
    <AddLink to={resource.paths.add()} needs={create.needs}>
      {say('add')}
    </AddLink>
  )
  return (
    <Page
      title={say('title')}
      isFilled={!instead}
      actions={
        <>
          {links}
          {add}
        </>
      }
    >
      {tabs}
      {instead || (
        <ResourceTable {...table} list={list} label={say('many')} empty={empty ?? say('empty')} emptyAction={add} />
      )}
      {children}
    </Page>
  )
}
