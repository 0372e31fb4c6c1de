import { setTimeout as sleep } from 'node:timers/promises'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { noLog } from '../testing/client-fixture'
import { startFakeBus, type FakeBus } from '../testing/fake-bus'
import { followBus } from './bus'

let bus: FakeBus
let stop: AbortController
let following: Promise<void>
let heard: string[]
let states: string[]
let announcing: string[]
beforeEach(async () => {
  bus = await startFakeBus(['nova', 'cinder'])
  heard = []
  states = []
  stop = new AbortController()
})
afterEach(async () => {
  stop.abort()
  await following
  await bus.close()
})

function follow(): void {
  following = followBus(
    bus.url,
    {
      heard: ({ event }) => void heard.push(event),
      attached: (exchanges) => {
        states.push('attached')
        announcing = [...exchanges]
      },
      lost: (reason) => void states.push(`lost: ${reason}`),
    },
    noLog,
    stop.signal,
  )
}
async function until(look: () => unknown): Promise<void> {
  const end = Date.now() + 30_000
  while (!look()) {
    if (Date.now() > end) throw new Error(`waited in vain for ${String(look)}; ${states.join(', ')}`)
    await sleep(5)
  }
}
const say = (exchange: string, event_type: string) =>
  bus.publish(exchange, 'notifications.info', {
    'oslo.version': '2.0',
    'oslo.message': JSON.stringify({ event_type, payload: {} }),
  })

test('receives notifications from services whose exchange exists', async () => {
  follow()
  await until(() => states.includes('attached'))
  expect(bus.bindings().toSorted()).toEqual([
    'cinder notifications.*',
    'cinder versioned_notifications.*',
    'nova notifications.*',
    'nova versioned_notifications.*',
  ])
  expect(announcing.toSorted()).toEqual(['cinder', 'nova'])
  say('nova', 'compute.instance.update')
  say('glance', 'image.update')
  say('cinder', 'volume.create.end')
  await until(() => heard.length === 2)
  expect(heard).toEqual(['compute.instance.update', 'volume.create.end'])
})

test('reports a lost bus connection, and receives notifications again once the bus is back', async () => {
  follow()
  await until(() => states.includes('attached'))
  bus.goAway()
  await until(() => states.length >= 2)
  expect(states[1]).toMatch(/^lost: /)
  expect(states.join()).not.toContain('secret')
  bus.comeBack()
  await until(() => states.at(-1) === 'attached')
  say('nova', 'compute.instance.update')
  await until(() => heard.length === 1)
})

test('waits for a bus that is down at startup', async () => {
  bus.goAway()
  follow()
  await until(() => states.length > 0)
  expect(states[0]).toMatch(/^lost: /)
  bus.comeBack()
  await until(() => states.at(-1) === 'attached')
})

test('closes the connection when aborted', async () => {
  follow()
  await until(() => states.includes('attached'))
  stop.abort()
  await following
  await until(() => bus.connections() === 0)
  expect(states).toEqual(['attached'])
})
