import { notFound, Problem } from '@mainstay/contract/core/problems'
import type { RecycleBinPort } from '../../ports/storage'

/** A cloud deletes for good: see docs/decisions/0067-recycle-bin.md. */
export const noRecycling = (): Promise<never> =>
  Promise.reject(new Problem('unsupported', 'What is deleted in this cloud is deleted for good'))

/** There is never anything in it. */
export const noRecycleBin: RecycleBinPort = {
  restore: () => Promise.reject(notFound()),
  delete: () => Promise.reject(notFound()),
  empty: () => Promise.resolve(0),
}
