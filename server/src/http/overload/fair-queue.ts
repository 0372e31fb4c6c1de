import { problem } from '@mainstay/contract/core/problems'
import type { Limits } from '../../limits'

export interface FairQueue {
  /**
   * Runs a tenant's work when its turn comes. Throws a `too_many_requests` error if too many of the tenant's calls are
   * waiting or the wait times out, and a `server_busy` error if too many calls are waiting in total. `gone`: aborts
   * when the caller disconnects.
   */
  run<Result>(tenant: string, work: () => Promise<Result>, gone?: AbortSignal): Promise<Result>
}

interface Tenant {
  running: number
  waiting: Set<() => void>
}

const RETRY_AFTER_SECONDS = 2
const tooMany = () => problem('core.too_many_waiting', {}, { data: { retry_after: RETRY_AFTER_SECONDS } })
const busy = () => problem('core.server_busy', {}, { data: { retry_after: RETRY_AFTER_SECONDS } })

/** Queue in front of the database that serves tenants in turn, regardless of how much each of them requests. */
export function createFairQueue(limits: Limits['turns']['lists']): FairQueue {
  // tenants are ordered by their next turn; the map contains only tenants with running or waiting work
  const tenants = new Map<string, Tenant>()
  let running = 0
  let waiting = 0

  /** The waiting tenant with the least running work; among equals, the one that has waited longest for a turn. */
  function nextTenant(): [string, Tenant] | null {
    let next: [string, Tenant] | null = null
    for (const entry of tenants) {
      const [, tenant] = entry
      if (tenant.waiting.size === 0 || tenant.running >= limits.atOnceOfTenant) continue
      if (next === null || tenant.running < next[1].running) next = entry
    }
    return next
  }

  function startNext(): void {
    while (running < limits.atOnce) {
      const next = nextTenant()
      if (next === null) return
      const [name, tenant] = next
      // move the tenant to the end
      tenants.delete(name)
      tenants.set(name, tenant)
      const [start] = tenant.waiting
      start!()
    }
  }

  function turnOf(tenant: Tenant, gone: AbortSignal | undefined): Promise<void> {
    return new Promise((resolve, reject) => {
      const leave = () => {
        clearTimeout(timer)
        gone?.removeEventListener('abort', goAway)
        tenant.waiting.delete(start)
        waiting -= 1
      }
      const start = () => {
        leave()
        tenant.running += 1
        running += 1
        resolve()
      }
      const refuse = () => {
        leave()
        reject(tooMany())
      }
      const goAway = () => refuse()
      const timer = setTimeout(refuse, limits.waitMs)
      gone?.addEventListener('abort', goAway)
      tenant.waiting.add(start)
      waiting += 1
      if (gone?.aborted) refuse()
    })
  }

  return {
    async run(name, work, gone) {
      const tenant = tenants.get(name) ?? { running: 0, waiting: new Set() }
      if (tenant.waiting.size >= limits.waitingOfTenant) throw tooMany()
      if (waiting >= limits.waiting) throw busy()
      tenants.set(name, tenant)
      try {
        const turn = turnOf(tenant, gone)
        startNext()
        await turn
        try {
          return await work()
        } finally {
          tenant.running -= 1
          running -= 1
        }
      } finally {
        if (tenant.running === 0 && tenant.waiting.size === 0) tenants.delete(name)
        startNext()
      }
    },
  }
}
