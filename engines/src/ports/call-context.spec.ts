import { setTimeout as pause } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { asOwnCall, currentCall, withinCall } from './call-context'

test('the context reaches all awaited code, but not a job started by the call', async () => {
  const seen: unknown[] = []
  const look = async () => {
    await pause(1)
    seen.push(currentCall().isRehearsal ?? false)
  }
  let job: Promise<void> | undefined
  await withinCall({ isRehearsal: true }, async () => {
    await withinCall({}, look)
    job = asOwnCall({}, look)
    await job
    await look()
  })
  await look()
  expect(seen).toEqual([true, false, true, false])
})
