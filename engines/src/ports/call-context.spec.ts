import { setTimeout as pause } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { asOwnCall, currentCall, withinCall } from './call-context'

test('what travels with a call reaches everything that it awaits, and not the job that it sets going', async () => {
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
