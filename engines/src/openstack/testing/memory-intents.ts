import type { CommandJobs, JobStart } from '../../ports/records'

/** In-memory intents that behave like those of a server. */
export interface MemoryIntents {
  /** Intents without a recorded outcome, by ID. */
  open: Map<string, JobStart>
  /** Whether all writes fail, as after a crash of the server or an outage of its database. */
  isCutOff: boolean
  prepare: CommandJobs['prepare']
}

export function memoryIntents(begun: JobStart[]): MemoryIntents {
  let count = 0
  const intents: MemoryIntents = {
    open: new Map(),
    isCutOff: false,
    async prepare(job) {
      const id = `intent-${++count}`
      intents.open.set(id, structuredClone(job))
      const write = async (work: () => unknown): Promise<void> => {
        if (intents.isCutOff) throw new Error('timeout exceeded when trying to connect')
        work()
      }
      const end = (next: readonly JobStart[]) =>
        write(() => {
          intents.open.delete(id)
          begun.push(...next)
        })
      return {
        id,
        done: end,
        withdraw: () => end([]),
        leave: () => write(() => (intents.open.get(id)!.args['told'] = true)),
      }
    },
  }
  return intents
}
