import { createContext, useMemo } from 'react'
import { ANY_PARENT } from '@mainstay/contract/core/endpoint'
import { useParams } from '@tanstack/react-router'

/** Parent IDs from the URL, keyed by row field: `{ node_id: '17' }`. */
export type Parents = Readonly<Record<string, string>>

const inPath = /\$(\w+_id)\b/g
const fieldsIn = (path: string) => [...path.matchAll(inPath)].map(([, field]) => field!)

/** Fills parent IDs into a path: `nodes/$node_id/disks` becomes `nodes/17/disks`. A missing parent means any parent. */
export const withParents = (path: string, parents: Parents = {}): string =>
  path.replace(inPath, (_, field: string) => encodeURIComponent(parents[field] ?? ANY_PARENT))

/**
 * Path of the list nested under an object: `nodes/$node_id/disks` for node 17. `parents` are the object's own parents.
 */
export const listBelow = (path: string, id: string, parents: Parents): string =>
  `/${withParents(path, { ...parents, [fieldsIn(path).at(-1)!]: id })}`

/**
 * Parent IDs from the current URL for a resource; empty for a top-level resource. The object's identity is stable while
 * they do not change.
 */
export function useParents({ path }: { path: string }): Parents {
  const text = useParams({
    strict: false,
    select: (params: Record<string, string | undefined>) =>
      JSON.stringify(fieldsIn(path).map((field) => [field, params[field] ?? ANY_PARENT])),
  })
  return useMemo(() => Object.fromEntries(JSON.parse(text) as [string, string][]), [text])
}

/** Parents of the current list, for the links in its table rows. */
export const ParentsContext = createContext<Parents>({})
