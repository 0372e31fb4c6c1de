import { sessionId } from '../../../api/call'
import { putRecords, recordOf, type UploadRecord } from './records'

/*
 * Tracks which page is working on which upload. Each page holds a Web Lock, which the browser releases when the page
 * closes for any reason. Without Web Locks (on a page without TLS), two pages may send the same parts, which is
 * harmless.
 */

/** ID of this page in upload records. */
export const ownPage = sessionId

const prefix = 'mainstay-uploads-page-'
let isHeld = false

/** Announces this page to other pages. */
export function holdPage(): void {
  if (isHeld) return
  isHeld = true
  void navigator.locks?.request(prefix + ownPage, () => new Promise<never>(() => {}))
}

/** IDs of the pages that are still open. */
export async function openPages(): Promise<Set<string>> {
  const locks = await navigator.locks?.query()
  const names = (locks?.held ?? []).flatMap(({ name }) => (name?.startsWith(prefix) ? name.slice(prefix.length) : []))
  return new Set([ownPage, ...names])
}

/**
 * Claims an upload for this page, unless another open page has it. Returns the current record; null if it cannot be
 * claimed.
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
