import { sessionId } from '../../../api/call'
import { putRecords, recordOf, type UploadRecord } from './records'

/*
 * Which page works on which upload, by Web Locks: a page holds one for as long as it is there, however it ends. Where the browser has
 * none (a page without TLS), two pages may send the same parts, which changes nothing of what arrives.
 */

/** This page, as records name it. */
export const ownPage = sessionId

const prefix = 'mainstay-uploads-page-'
let isHeld = false

/** Says to other pages that this one is there. */
export function holdPage(): void {
  if (isHeld) return
  isHeld = true
  void navigator.locks?.request(prefix + ownPage, () => new Promise<never>(() => {}))
}

/** Pages that are there. */
export async function openPages(): Promise<Set<string>> {
  const locks = await navigator.locks?.query()
  const names = (locks?.held ?? []).flatMap(({ name }) => (name?.startsWith(prefix) ? name.slice(prefix.length) : []))
  return new Set([ownPage, ...names])
}

/**
 * Takes an upload into this page, unless another one that is there has it. Gives back the record as it is now; null where it is not to be
 * had.
 */
export async function claim(id: string): Promise<UploadRecord | null> {
  const take = async () => {
    const record = await recordOf(id)
    if (!record || (record.page !== ownPage && (await openPages()).has(record.page))) return null
    const own = { ...record, page: ownPage }
    await putRecords([own])
    return own
  }
  holdPage()
  return navigator.locks ? navigator.locks.request('mainstay-uploads-claim', take) : take()
}
