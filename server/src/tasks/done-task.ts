import type { JobStart } from '@mainstay/engines/ports/records'
import * as z from 'zod'
import type { Inventory } from '../inventory/types'
import { enqueue, type Job } from './job'

/** A task of something that is done when its call is answered: clients of this family wait for a task where others need none. */
export const doneTask = (name: string): Job<object, unknown> => ({
  name,
  args: z.strictObject({}),
  run: () => Promise.resolve(null),
})

/** Adds such a task. Answers its ID. */
export const addDoneTask = (
  inventory: Pick<Inventory, 'transaction'>,
  task: Job<object, unknown>,
  about: Pick<JobStart, 'subject' | 'scope'>,
): Promise<string> => inventory.transaction((records) => enqueue(records, task, { ...about, args: {} }))
