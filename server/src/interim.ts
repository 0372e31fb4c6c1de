import { notFound } from '@mainstay/contract/core/problems'
import type { Inventory } from './inventory/types'
import type { Tasks } from './tasks/types'

export const interimInventory = {
  list: () => Promise.resolve({ data: [], pages: [], revision: 0 }),
  view: () => Promise.reject(notFound()),
  several: () => Promise.resolve([]),
  revision: () => Promise.resolve(0),
} as unknown as Inventory
export const interimTasks = {
  handle() {},
  start: () => Promise.resolve(),
  close: () => Promise.resolve(),
  cancel: () => Promise.reject(notFound()),
} as unknown as Tasks
export const interimHub = {
  attach(_: unknown) {},
  owns: (_: string) => false,
  figures: () => ({ open: 0, behind: 0 }),
  aboutToStop: () => {},
  close: () => Promise.resolve(),
}
