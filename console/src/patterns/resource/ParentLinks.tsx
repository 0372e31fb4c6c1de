import { ANY_PARENT } from '@mainstay/contract/core/endpoint'
import { useView } from '../../api/use-view'
import { Link } from '../../nav/Link'
import type { Parents } from '../../nav/parents'
import type { Resource } from '../../nav/resource'
import { useResourceText } from './use-resource-text'

interface ParentLinksProps {
  /** The resource that is shown in the parent. */
  resource: Resource
  parent: Resource
  /** As the address names them. */
  parents: Parents
}

/** The way to a list that is in another thing, as links: the list of its parents, and the parent by its name. */
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
