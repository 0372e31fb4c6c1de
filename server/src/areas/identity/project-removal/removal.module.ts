import { Problem } from '@mainstay/contract/core/problems'
import { projectKind } from '@mainstay/contract/identity/projects'
import type { Sql } from '@mainstay/engines/ports/engines'
import { perform } from '../../../http/perform'
import type { Served } from '../../../http/serve'
import { job, module, type Module } from '../../../module'
import type { RunOf } from '../../../tasks/job'
import type { Tools } from '../../../tools'
import { removal, type RemovalArgs } from './removal'
import { RemovalState, removeContents } from './remove-contents'
import { findRemover, forgetRemover } from './removals'

const LOOK_AGAIN_MS = 300
const never = new AbortController().signal

const write = <Result>({ inventory }: Pick<Tools, 'inventory'>, work: (sql: Sql) => Promise<Result>) =>
  inventory.transaction((_, __, sql) => work(sql))

/** One turn. It acts as who began it, with what they may do now: their session is looked at each time. */
async function removeProject(
  served: readonly Served[],
  { args, task_id, state, time, scope, cancelled, progress }: RunOf<RemovalArgs>,
  tools: Tools,
): Promise<unknown> {
  const project = await tools.identity.project(args.project_id)
  // a run before has deleted it, and could not say so any more
  if (!project) return { removed: args.count }
  const remover = await write(tools, (sql) => findRemover(sql, tools.sealingKey, task_id))
  if (!remover) throw new Error('nobody knows who deletes the project')
  const caller = await tools.sessions.resolveSession(remover, scope.request_id).catch((error: unknown) => {
    if (!(error instanceof Problem) || error.code !== 'unauthorized') throw error
    throw new Problem('unauthorized', 'Who began to delete the project has signed out since')
  })
  const { address } = remover
  const turn = { caller, project, address, flow: task_id }
  const kept = RemovalState.parse(state)
  const next = await removeContents(served, turn, kept, { time, isCancelled: cancelled() }, tools)
  if (next) {
    progress(Math.max(0, 99 * (1 - next.left / Math.max(args.count, next.left))))
    return { again: LOOK_AGAIN_MS, state: next.state }
  }
  const one = served.find(({ kind, name }) => kind?.name === projectKind.name && name === 'delete')!
  const params = { domain_id: project.domain_id, id: project.id }
  const requestId = scope.request_id
  try {
    await perform(one, caller, { params, body: undefined, query: undefined, address, requestId, signal: never }, tools)
  } catch (error) {
    // something was made in it a moment ago
    if (error instanceof Problem && error.code === 'project_not_empty') return { again: LOOK_AGAIN_MS, state: {} }
    throw error
  }
  await write(tools, (sql) => forgetRemover(sql, task_id))
  return { removed: args.count }
}

/** Projects that are deleted with all that is in them. `served`: the calls of all areas. */
export const projectRemovalModule = (served: readonly Served[]): Module =>
  module({
    routes: [],
    jobs: [
      job({
        ...removal,
        pool: 'bulk',
        run: (run, tools) => removeProject(served, run, tools),
        onFailure: (run, _, tools) => write(tools, (sql) => forgetRemover(sql, run.task_id)),
      }),
    ],
  })
