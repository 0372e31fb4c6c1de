import { taskIsOver, tasks, type Task } from '@mainstay/contract/core/tasks'
import { call } from './call'
import { onChange } from './changes'
import { poll } from './poll'
import { cancelled } from './problem'

/** Thrown when a task fails; `message` is the task's error, if it has one. */
export class TaskFailed extends Error {
  readonly task: Task
  constructor(task: Task) {
    super(task.error ?? '')
    this.task = task
  }
}

/**
 * Waits for a task to finish (S1§4): resolves when it succeeds, rejects with `TaskFailed` when it fails, and rejects as
 * cancelled when it is cancelled. Listens to the socket and polls as a fallback.
 */
export function waitForTask(id: string): Promise<Task> {
  return new Promise((resolve, reject) => {
    const look = (task: Task | undefined) => {
      if (!task || !taskIsOver(task.state)) return
      stop()
      if (task.state === 'success') resolve(task)
      else reject(task.state === 'cancelled' ? cancelled() : new TaskFailed(task))
    }
    const stopHearing = onChange('task', (change) => {
      if (change.id === id && change.entity) look(change.entity as unknown as Task)
    })
    const stopAsking = poll(async () => {
      const { data } = await call(tasks.find, { body: { task_ids: [id] } })
      look(data[0])
    })
    const stop = () => {
      stopHearing()
      stopAsking()
    }
  })
}
