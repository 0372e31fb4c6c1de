import type { JobStart } from '@mainstay/engines/ports/records'
import * as z from 'zod'
import type { Inventory } from '../inventory/types'
import { enqueue, type Job } from './job'

/** A task without any work, for API clients that expect a task although none is required. */
export const doneTask = (name: string): Job<object, unknown> => ({
  name,
  args: z.strictObject({}),
  run: () => Promise.resolve(null),
})

/** Adds such a task and returns its ID. */
export const addDoneTask = (
  inventory: Pick<Inventory, 'transaction'>,
  task: Job<object, unknown>,
  about: Pick<JobStart, 'subject' | 'scope'>,
): Promise<string> => inventory.transaction((records) => enqueue(records, task, { ...about, args: {} }))
