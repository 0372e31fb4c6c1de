import { notFound } from '@mainstay/contract/core/problems'
import type { Tasks } from './tasks/types'

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
