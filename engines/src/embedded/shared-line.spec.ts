import { once } from 'node:events'
import type { Duplex } from 'node:stream'
import { expect, test, vi } from 'vitest'
import { createSharedLine } from './shared-line'

const readBy = (one: Duplex) => {
  const read: Buffer[] = []
  one.on('data', (bytes: Buffer) => read.push(bytes))
  return () => Buffer.concat(read).toString()
}

test('all clients can read and write, and `onEmpty` is called after the last one leaves', async () => {
  const typed: string[] = []
  const onEmpty = vi.fn()
  const line = createSharedLine({ onTyped: (bytes, done) => (typed.push(bytes.toString()), done()), onEmpty })
  const [first, second] = [line.join(), line.join()]
  const [readByFirst, readBySecond] = [readBy(first), readBy(second)]
  line.say(Buffer.from('login: '))
  first.write('ada')
  second.write('\r')
  await vi.waitFor(() => expect([readByFirst(), readBySecond()]).toEqual(['login: ', 'login: ']))
  expect(typed).toEqual(['ada', '\r'])
  first.destroy()
  await once(first, 'close')
  expect(onEmpty).not.toHaveBeenCalled()
  line.end()
  await once(second, 'close')
  expect(onEmpty).toHaveBeenCalledOnce()
})

test('disconnects a client that does not read, without delaying other clients', async () => {
  const line = createSharedLine({ onTyped: (_, done) => done(), onEmpty: () => undefined })
  const [sleeper, reader] = [line.join(), line.join()]
  const read = readBy(reader)
  const gone = once(sleeper, 'close')
  for (let sent = 0; sent < 40; sent++) {
    line.say(Buffer.alloc(64 * 1024, 'x'))
    await new Promise(setImmediate)
  }
  await gone
  expect(read()).toHaveLength(40 * 64 * 1024)
})
