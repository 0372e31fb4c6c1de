import type { S3Usage } from '@mainstay/contract/object-storage/s3-keys'
import type { Accounts } from './accounts'

/** How long usage is cached, in milliseconds, because counting requires one request per account. */
const COUNTED_FOR_MS = 300_000
const ACCOUNTS_AT_ONCE = 100

/** Returns the total usage of all accounts, at most five minutes old, or null if the gateway does not report it. */
export function cachedUsage({ accounts }: Pick<Accounts, 'accounts'>): () => Promise<S3Usage | null> {
  let counted: { until: number; usage: Promise<S3Usage | null> } | null = null

  async function count(): Promise<S3Usage> {
    const all = { buckets: 0, objects: 0, size: 0 }
    let marker: string | undefined
    for (;;) {
      const page = await accounts(null, marker, ACCOUNTS_AT_ONCE)
      for (const { usage } of page) for (const what of ['buckets', 'objects', 'size'] as const) all[what] += usage[what]
      if (page.length < ACCOUNTS_AT_ONCE) return all
      marker = page.at(-1)!.user_id
    }
  }

  return () => {
    if (counted && counted.until > performance.now()) return counted.usage
    const usage = count().catch(() => {
      counted = null
      return null
    })
    counted = { until: performance.now() + COUNTED_FOR_MS, usage }
    return usage
  }
}
