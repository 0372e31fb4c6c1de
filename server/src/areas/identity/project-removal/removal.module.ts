import { Problem } from '@mainstay/contract/core/problems'
import { projectKind } from '@mainstay/contract/identity/projects'
import type { RunAgain, StepParts } from '@mainstay/engines/ports/records'
import { perform } from '../../../http/perform'
import type { Served } from '../../../http/serve'
import { job, module, type Module } from '../../../module'
import { eachObject } from '../../../tasks/each-object'
import type { RunOf, StepOf } from '../../../tasks/job'
import { callerOf } from '../../../tasks/run-callers'
import type { Tools } from '../../../tools'
import { removal, type RemovalArgs } from './removal'
import { contentsToRemove } from './remove-contents'

const LOOK_AGAIN_MS = 300
const never = new AbortController().signal
type Run = RunOf<RemovalArgs> & StepParts

/**
 * Runs one turn of deleting the contents as the user who started the removal, with the permissions that the user has
 * now. A project that no longer exists has no contents.
 */
async function removeContents(served: readonly Served[], run: Run, tools: Tools): Promise<void | RunAgain> {
  const { args, task_id, scope } = run
  const project = await tools.identity.project(args.project_id)
  if (!project) return undefined
  const { caller, address } = await callerOf(tools, task_id, scope.request_id)
  return eachObject(run, contentsToRemove(served, { caller, project, address, count: args.count }, run, tools))
}

async function removeProject(served: readonly Served[], run: Run, tools: Tools): Promise<void | RunAgain> {
  const { args, task_id, scope } = run
  const project = await tools.identity.project(args.project_id)
  // an interrupted attempt may already have deleted the project
  if (project) {
    const { caller, address } = await callerOf(tools, task_id, scope.request_id)
    const one = served.find(({ kind, name }) => kind?.name === projectKind.name && name === 'delete')!
    const params = { domain_id: project.domain_id, id: project.id }
    const call = { params, body: undefined, query: undefined, address, requestId: scope.request_id, signal: never }
    try {
      await perform(one, caller, call, tools)
    } catch (error) {
      if (!(error instanceof Problem) || error.code !== 'project_not_empty') throw error
      // an object was created after the contents were deleted
      return (await removeContents(served, run, tools)) ?? { again: LOOK_AGAIN_MS }
    }
  }
  return run.keep({ removed: args.count })
}

/** Job that deletes projects with all their contents. `served`: the calls of all areas. */
export function projectRemovalModule(served: readonly Served[]): Module {
  const steps: Record<(typeof removal.steps)[number]['name'], Omit<StepOf<RemovalArgs, Tools>, 'name'>> = {
    contents: { weight: 9, endsItself: true, run: (run, tools) => removeContents(served, run, tools) },
    project: { run: (run, tools) => removeProject(served, run, tools) },
  }
  return module({
    routes: [],
    jobs: [
      job({
        ...removal,
        pool: 'bulk',
        steps: removal.steps.map(({ name }) => ({ name, ...steps[name] })),
        result: ({ removed }) => ({ removed }),
      }),
    ],
  })
}
