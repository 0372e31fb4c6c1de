import type { ReactNode } from 'react'
import { ANY_PARENT } from '@mainstay/contract/core/endpoint'
import type { List, Row } from '../../api/use-list'
import { ParentsContext, useParents } from '../../nav/parents'
import type { Resource } from '../../nav/resource'
import { AddLink } from '../AddLink'
import { Page } from '../Page'
import { ResourceTable, type ResourceTableProps } from '../table/ResourceTable'
import { ParentLinks } from './ParentLinks'
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
  const parents = useParents(resource)
  const { create } = resource.calls
  const add = create && !Object.values(parents).includes(ANY_PARENT) && (
    <AddLink to={resource.paths.add(parents)} needs={create.needs}>
      {say('add')}
    </AddLink>
  )
  return (
    <Page
      title={say('title')}
      above={resource.parent && <ParentLinks parent={resource.parent} resource={resource} parents={parents} />}
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
        <ParentsContext value={parents}>
          <ResourceTable {...table} list={list} label={say('many')} empty={empty ?? say('empty')} emptyAction={add} />
        </ParentsContext>
      )}
      {children}
    </Page>
  )
}
