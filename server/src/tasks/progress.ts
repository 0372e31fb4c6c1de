import { taskIsOver, type Task } from '@mainstay/contract/core/tasks'
import type { Log } from '@mainstay/engines/ports/records'
import type { Inventory } from '../inventory/types'

const EVERY_MS = 300

/** Writes a task's progress in percent, at a limited rate. Intermediate values are skipped. */
export function progressWriter(
  { inventory, log }: { inventory: Inventory; log: Log },
  id: string,
): { tell(percent: number): void; stop(): Promise<void> } {
  let latest: number | null = null
  let writing: Promise<void> | null = null
  let stopped = false

  const write = async (): Promise<void> => {
    while (latest !== null && !stopped) {
      const progress = latest
      latest = null
      await inventory.transaction(async (records) => {
        const task = await records.lock<Task & { [field: string]: unknown }>('task', id)
        if (!task || taskIsOver(task.state)) return
        await records.put('task', { ...task, progress, updated_at: new Date().toISOString() })
      })
      await new Promise((resolve) => setTimeout(resolve, stopped ? 0 : EVERY_MS))
    }
  }
  return {
    tell(percent) {
      if (!Number.isFinite(percent) || stopped) return
      latest = Math.round(Math.min(100, Math.max(0, percent)))
      writing ??= write()
        .catch((error: unknown) => log.warn({ error, task_id: id }, 'failed to save the progress of a task'))
        .finally(() => {
          writing = null
        })
    },
    async stop() {
      stopped = true
      await writing
    },
  }
}
