import { currentCall, withinCall } from '@mainstay/engines/ports/call-context'

/** Collects the tasks that a call starts as parts of one flow. */
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

/** Runs the work of a call as part of a flow. Returns the IDs of the tasks that the work started. */
export async function gatherTasks(flow: string, work: () => Promise<unknown>): Promise<string[]> {
  const gathering: Gathering = { flow, ids: [], isOver: false }
  try {
    await withinCall({ gathering }, work)
    return gathering.ids
  } finally {
    gathering.isOver = true
  }
}

/** Records the start of a task. Returns the flow that it belongs to, or null. */
export function noteTask(id: string): string | null {
  const { gathering } = currentCall()
  if (!gathering || gathering.isOver) return null
  gathering.ids.push(id)
  return gathering.flow
}
