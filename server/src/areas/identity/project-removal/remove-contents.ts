import { Problem, problem } from '@mainstay/contract/core/problems'
import type { ProjectRecord } from '@mainstay/engines/ports/identity'
import { recycledKinds } from '@mainstay/contract/storage/recycle-bin'
import { countIn, kindsInProjects, madeByItself } from '@mainstay/engines/ports/project-contents'
import type { Entity } from '@mainstay/engines/ports/records'
import { randomUUID } from 'node:crypto'
import * as z from 'zod'
import { perform } from '../../../http/perform'
import type { Served } from '../../../http/serve'
import { effectiveRolesInProject } from '../../../session/scopes'
import { grantsInSession, type SignedIn } from '../../../session/signed-in'
import { gatherTasks } from '../../../tasks/begun-tasks'
import { outcomeOf, tasksOf, type ObjectRun } from '../../../tasks/each-object'
import type { Tools } from '../../../tools'

/** Maximum number of concurrent deletions. */
const UNDER_WAY = 20
/** Number of failed deletions after which the removal is aborted. */
const MOST_REFUSED = 100
/** If a row still exists this long after its deletion began and its tasks have ended, the deletion has failed. */
const STAYS_MS = 60_000
const never = new AbortController().signal

/** State carried from one turn to the next. */
const RemovalState = z.object({
  /** Deletions in progress by row ID, with their tasks and start time (ms since the epoch). */
  asked: z.record(z.string(), z.object({ tasks: z.array(z.string()), at: z.number() })).default({}),
  /** Reasons why rows could not be deleted in the current round, by row ID. */
  refused: z.record(z.string(), z.string()).default({}),
  /** Number of rows left at the start of the round. */
  begun_with: z.number().default(0),
})
type RemovalState = z.infer<typeof RemovalState>

interface Row {
  served: Served | undefined
  kind: string
  id: string
  name: string
}

/**
 * Returns the caller with their rights in a project, even if the project is disabled. Throws `forbidden` if the caller
 * has no role in it.
 */
export function inside(caller: SignedIn, project: ProjectRecord): SignedIn {
  const effective = effectiveRolesInProject(caller.user, project)
  if (!effective) throw problem('identity.no_role_to_delete_contents')
  return { ...caller, project, scope: { ...caller.scope, ...effective }, grants: grantsInSession(caller, effective) }
}

/**
 * Deletes the contents of a project by making the delete calls in the contract as the caller. Refused deletions, such
 * as those of attached volumes, are retried in the next round as long as each round deletes something. Throws
 * `not_all_deleted` if objects remain.
 */
export function contentsToRemove(
  served: readonly Served[],
  { caller, project, address, count }: { caller: SignedIn; project: ProjectRecord; address: string; count: number },
  { state, time, task_id }: { state: Record<string, unknown>; time: number; task_id: string },
  tools: Tools,
): ObjectRun<Row> {
  const { asked, refused, begun_with } = RemovalState.parse(state)
  let goingOn = asked
  let tried = 0
  let isCancelled = false
  const rows = () => rowsIn(served, tools, project.id, UNDER_WAY + Object.keys(refused).length)
  return {
    atOnce: 1,
    async look() {
      goingOn = await lookAtTasks(tools, asked, await rows(), { refused, time })
    },
    cancel: async () => void (isCancelled = true),
    async next() {
      const room = Math.max(0, UNDER_WAY - Object.keys(goingOn).length)
      return (await rows()).filter(({ id }) => !(id in goingOn) && !(id in refused)).slice(0, room)
    },
    async one(row) {
      tried++
      try {
        const tasks = await gatherTasks(task_id, () => removeRow(row, inside(caller, project), address, tools))
        goingOn[row.id] = { tasks, at: time }
      } catch (error) {
        if (!(error instanceof Problem) || error.status >= 500) throw error
        // another caller deleted it first, so the next turn checks whether the row is gone
        if (error.code === 'not_found') goingOn[row.id] = { tasks: [], at: time }
        else refused[row.id] = `${row.name}: ${error.message}`
      }
    },
    async stand() {
      const left = await countLeft(tools, project.id)
      const share = 1 - left / Math.max(count, left, 1)
      const stand = { done: count - left, failed: 0, count, share, canBegin: false }
      const isRoundOver = tried === 0 && Object.keys(goingOn).length === 0
      if (left === 0 || (isCancelled && isRoundOver)) return { ...stand, isOver: true }
      const whatStays = Object.values(refused)
      if (whatStays.length >= MOST_REFUSED || (isRoundOver && whatStays.length > 0 && left >= begun_with))
        throw problem('identity.contents_stay', { left, reason: whatStays[0]! })
      const next: RemovalState = isRoundOver
        ? { asked: goingOn, refused: {}, begun_with: left }
        : { asked: goingOn, refused, begun_with: begun_with === 0 ? left + 1 : begun_with }
      return { ...stand, isOver: false, state: { ...next } }
    },
  }
}

async function removeRow({ served, kind, id }: Row, caller: SignedIn, address: string, tools: Tools): Promise<void> {
  if (!served) throw problem('identity.not_deleted_with_project', { kind })
  const requestId = `req-${randomUUID()}`
  // bypass the recycle bin, because objects cannot be restored after their project is deleted
  const query = recycledKinds.some((it) => it === kind) ? { permanent: 'true' } : {}
  await perform(served, caller, { params: { id }, body: undefined, query, address, requestId, signal: never }, tools)
}

const countLeft = async ({ inventory }: Tools, projectId: string): Promise<number> => {
  const counts = await inventory.transaction((tx) => countIn(tx, projectId))
  return Object.values(counts).reduce((sum, count) => sum + count, 0)
}

const rowsIn = (served: readonly Served[], { inventory }: Tools, projectId: string, most: number): Promise<Row[]> =>
  inventory.transaction(async (tx) => {
    const rows: Row[] = []
    const staying = await madeByItself(tx, projectId)
    for (const { kind } of kindsInProjects) {
      const call = served.find((one) => one.kind?.name === kind && one.name === 'delete')
      const own = staying[kind] ?? []
      const found = await tx.find<Entity>(kind, { project_id: projectId }, most + own.length)
      for (const { id, name } of found.filter((row) => !own.includes(row.id)))
        rows.push({ served: call, kind, id, name: typeof name === 'string' ? name : id })
    }
    return rows
  })

/** Returns the deletions that are still in progress and adds failed ones to `refused`. */
async function lookAtTasks(
  { inventory }: Tools,
  asked: RemovalState['asked'],
  rows: readonly Row[],
  { refused, time }: { refused: RemovalState['refused']; time: number },
): Promise<RemovalState['asked']> {
  const ids = Object.values(asked).flatMap(({ tasks }) => tasks)
  const found = await inventory.transaction((_, __, sql) => tasksOf(sql, ids))
  const goingOn: RemovalState['asked'] = {}
  for (const { id, name } of rows) {
    const one = asked[id]
    if (!one) continue
    const { goesOn, fault } = outcomeOf(one.tasks, found)
    if (fault) refused[id] = `${name}: ${fault.error}`
    else if (goesOn || time - one.at < STAYS_MS) goingOn[id] = one
    else refused[id] = `${name}: not deleted`
  }
  return goingOn
}
