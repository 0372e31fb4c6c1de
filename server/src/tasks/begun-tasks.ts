import { AsyncLocalStorage } from 'node:async_hooks'
import { currentFence, type Fence } from './fence'

/** Tasks that a call begins, as parts of one undertaking. */
interface Gathering {
  flow: string
  ids: string[]
  isOver: boolean
  fence: Fence | null
}

const gatherings = new AsyncLocalStorage<Gathering>()

/** The call under way whose tasks are gathered. What it set going elsewhere (another job) is not its own. */
function current(): Gathering | null {
  const gathering = gatherings.getStore()
  return !gathering || gathering.isOver || gathering.fence !== currentFence() ? null : gathering
}

/** Does the work of a call as part of an undertaking. Answers the ids of the tasks that it began. */
export async function gatherTasks(flow: string, work: () => Promise<unknown>): Promise<string[]> {
  const gathering: Gathering = { flow, ids: [], isOver: false, fence: currentFence() }
  try {
    await gatherings.run(gathering, work)
    return gathering.ids
  } finally {
    gathering.isOver = true
  }
}

/** A task has begun. Answers the undertaking of which it is a part; null where it is one of its own. */
export function noteTask(id: string): string | null {
  const gathering = current()
  gathering?.ids.push(id)
  return gathering?.flow ?? null
}
