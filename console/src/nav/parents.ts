import { createContext, useMemo } from 'react'
import { ANY_PARENT } from '@mainstay/contract/core/endpoint'
import { useParams } from '@tanstack/react-router'

/** The parents that an address names, by the fields of rows: `{ node_id: '17' }`. */
export type Parents = Readonly<Record<string, string>>

const inPath = /\$(\w+_id)\b/g
const fieldsIn = (path: string) => [...path.matchAll(inPath)].map(([, field]) => field!)

/** An address with its parents: `nodes/$node_id/disks` becomes `nodes/17/disks`. A parent that is left out is any. */
export const withParents = (path: string, parents: Parents = {}): string =>
  path.replace(inPath, (_, field: string) => encodeURIComponent(parents[field] ?? ANY_PARENT))

/** The list below one object: `nodes/$node_id/disks` of node 17. `parents`: those of the object itself. */
export const listBelow = (path: string, id: string, parents: Parents): string =>
  `/${withParents(path, { ...parents, [fieldsIn(path).at(-1)!]: id })}`

/** The parents that the present address names for a resource: the same object while they stay. Empty for a flat resource. */
export function useParents({ path }: { path: string }): Parents {
  const text = useParams({
    strict: false,
    select: (params: Record<string, string | undefined>) =>
      JSON.stringify(fieldsIn(path).map((field) => [field, params[field] ?? ANY_PARENT])),
  })
  return useMemo(() => Object.fromEntries(JSON.parse(text) as [string, string][]), [text])
}

/** For the links of a table's rows, which stay in the parents of the list. */
export const ParentsContext = createContext<Parents>({})
