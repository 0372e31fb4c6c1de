import type { CommandJobs, JobStart } from '../../ports/records'

/** Intents in memory, as a server keeps them. */
export interface MemoryIntents {
  /** Those of which the server has not said what came of them, by their ids. */
  open: Map<string, JobStart>
  /** From now on the server writes nothing down any more: it has died, or its database is away. */
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
