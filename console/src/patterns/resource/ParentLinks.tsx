import { ANY_PARENT } from '@mainstay/contract/core/endpoint'
import { useView } from '../../api/use-view'
import { Link } from '../../nav/Link'
import type { Parents } from '../../nav/parents'
import type { Resource } from '../../nav/resource'
import { useResourceText } from './use-resource-text'

interface ParentLinksProps {
  /** The nested resource. */
  resource: Resource
  parent: Resource
  /** Parent IDs from the URL. */
  parents: Parents
}

/** Breadcrumb links for a nested list: the list of parents, then the parent by name. */
export function ParentLinks({ resource, parent, parents }: ParentLinksProps) {
  const say = useResourceText(parent)
  const id = parents[resource.kind.parent!.field] ?? ANY_PARENT
  const isOne = id !== ANY_PARENT
  const { data } = useView(parent.calls.view!, { ...parents, id }, { kind: parent.kind, isEnabled: isOne })
  const above = parent.parent
  return (
    <>
      {above && (
        <>
          <ParentLinks resource={parent} parent={above} parents={parents} />
          {' / '}
        </>
      )}
      <Link to={parent.paths.list(parents)}>{say('title')}</Link>
      {isOne && (
        <>
          {' / '}
          <Link to={parent.paths.view(id, parents)} dir="auto">
            {data?.name ?? id}
          </Link>
        </>
      )}
    </>
  )
}
