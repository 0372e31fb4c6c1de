import { currentCall, withinCall } from '@mainstay/engines/ports/call-context'

/** Tasks that a call begins, as parts of one undertaking. */
interface Gathering {
  flow: string
  ids: string[]
  isOver: boolean
}

declare module '@mainstay/engines/ports/call-context' {
  interface CallContext {
    gathering?: Gathering
  }
}

/** Does the work of a call as part of an undertaking. Answers the ids of the tasks that it began. */
export async function gatherTasks(flow: string, work: () => Promise<unknown>): Promise<string[]> {
  const gathering: Gathering = { flow, ids: [], isOver: false }
  try {
    await withinCall({ gathering }, work)
    return gathering.ids
  } finally {
    gathering.isOver = true
  }
}

/** A task has begun. Answers the undertaking of which it is a part; null where it is one of its own. */
export function noteTask(id: string): string | null {
  const { gathering } = currentCall()
  if (!gathering || gathering.isOver) return null
  gathering.ids.push(id)
  return gathering.flow
}
