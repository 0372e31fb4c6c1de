/** The parts of a recovery point that determine its chain. */
interface Point {
  id: string
  parent_id: string | null
  status: string
  taken_at: string
}

export interface Chain<Row extends Point> {
  /** The recovery points that a restore reads, oldest first. The last one is the point itself. */
  needed: Row[]
  /** The recovery points that need this one, directly or not, oldest first. */
  dependents: Row[]
  /** All recovery points that this one needs were found. */
  isComplete: boolean
}

/** A recovery point that could not be created contains nothing, so it needs no other one. */
const needsParent = ({ status }: Point) => status !== 'error'

/** The chain of a recovery point. `points` are the recovery points of its volume, in any order. */
export function chainAmong<Row extends Point>(point: Row, points: readonly Row[]): Chain<Row> {
  const byId = new Map(points.map((row) => [row.id, row]))
  const needed = [point]
  let parent = point.parent_id
  while (parent !== null) {
    const row = byId.get(parent)
    if (!row || needed.includes(row)) break
    needed.unshift(row)
    parent = row.parent_id
  }
  const found = new Set([point.id])
  const dependents: Row[] = []
  // the set grows during the iteration, which then also visits the new IDs
  for (const id of found) {
    for (const row of points) {
      if (row.parent_id !== id || found.has(row.id) || !needsParent(row)) continue
      found.add(row.id)
      dependents.push(row)
    }
  }
  dependents.sort((one, other) => Date.parse(one.taken_at) - Date.parse(other.taken_at))
  return { needed, dependents, isComplete: parent === null }
}

/** The space that recovery points use where they are stored, in bytes; null if it is not known for all of them. */
export const storedBytes = (points: readonly { stored_size: number | null }[]): number | null =>
  points.reduce<number | null>((sum, { stored_size: size }) => (sum === null || size === null ? null : sum + size), 0)
