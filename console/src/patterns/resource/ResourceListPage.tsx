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
  /** Shown above the table, such as tabs to related pages. */
  tabs?: ReactNode
  /** Shown before the create button. */
  links?: ReactNode
  /** Replaces the default text shown for an empty list. */
  empty?: string | undefined
  /** Replaces the table. */
  instead?: ReactNode
  /** The page's dialogs. */
  children?: ReactNode
}

/** A list page: title, create button, table and empty state. */
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
