import { notFound, problem } from '@mainstay/contract/core/problems'
import type { RecycleBinPort } from '../../ports/storage'

/** Refuses recycling, because a cloud deletes objects permanently: see docs/decisions/0067-recycle-bin.md. */
export const noRecycling = (): Promise<never> => Promise.reject(problem('storage.no_recycle_bin'))

/** The recycle bin of a cloud is always empty. */
export const noRecycleBin: RecycleBinPort = {
  restore: () => Promise.reject(notFound()),
  delete: () => Promise.reject(notFound()),
  empty: () => Promise.resolve(0),
}
