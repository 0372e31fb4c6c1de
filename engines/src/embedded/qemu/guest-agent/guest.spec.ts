import { createServer, type Server, type Socket } from 'node:net'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { connectGuestAgent, MOST_REPLY_BYTES } from './client'
import { Guest, type GuestTimes } from './guest'

/* Guest agents, good and hostile ones, behind a fake port. */

type Answer = (command: { execute: string; arguments?: { id: number } }, socket: Socket) => void

const silent = { debug: () => undefined, info: () => undefined, warn: () => undefined, error: () => undefined }
const send = (socket: Socket, value: unknown) => socket.write(`${JSON.stringify({ return: value })}\n`)

describe('a guest agent', () => {
  let folder: string
  let server: Server
  let heard: string[]
  let isFrozen: boolean
  /** Answers like a good agent. */
  const good: Answer = (command, socket) => {
    const { execute } = command
    if (execute === 'guest-sync-delimited') {
      socket.write(Buffer.of(0xff))
      send(socket, command.arguments!.id)
    } else if (execute === 'guest-fsfreeze-status') send(socket, isFrozen ? 'frozen' : 'thawed')
    else if (execute === 'guest-ping') send(socket, {})
    else {
      isFrozen = execute === 'guest-fsfreeze-freeze'
      send(socket, 2)
    }
  }
  /** Answers like a good agent, except to this command. */
  const except =
    (name: string, answer: Answer): Answer =>
    (command, socket) =>
      (command.execute === name ? answer : good)(command, socket)
  let answer: Answer

  beforeEach(async () => {
    folder = mkdtempSync(join(tmpdir(), 'guest-'))
    heard = []
    isFrozen = false
    answer = good
    server = createServer((socket) => {
      let unread = ''
      socket.on('error', () => socket.destroy())
      socket.setEncoding('latin1').on('data', (text: string) => {
        const lines = (unread + text).split('\n')
        unread = lines.pop()!
        for (const line of lines) {
          const command = JSON.parse(line.replace('\u00ff', '')) as Parameters<Answer>[0]
          heard.push(command.execute.replace('guest-', '').replace('fsfreeze-', ''))
          answer(command, socket)
        }
      })
    })
    await new Promise<void>((done) => server.listen(join(folder, 'agent.sock'), done))
  })
  afterEach(async () => {
    await new Promise((done) => server.close(done))
    rmSync(folder, { recursive: true })
  })

  type Options = Partial<GuestTimes> & { isOpen?: boolean; mayBeFrozen?: boolean }
  function guestOf({ isOpen = true, mayBeFrozen = false, ...times }: Options = {}) {
    const port = { label: 'agent', 'frontend-open': isOpen }
    const machine = {
      ...{ id: 'machine-1', mayBeFrozen },
      noteFreeze: (value: boolean) => void (machine.mayBeFrozen = value),
      qmp: () => ({ execute: async <Reply>() => [port] as Reply }),
      socket: () => join(folder, 'agent.sock'),
    }
    const limits = { answer: 10_000, freeze: 10_000, pause: 20, mostPause: 50, ...times }
    return { machine, guest: new Guest(machine, silent, limits) }
  }
  /** Freezes a guest, and returns the result and whether it was frozen during the work. */
  async function freeze({ machine, guest }: ReturnType<typeof guestOf>, work = async () => undefined as void) {
    let during: [boolean, boolean] | undefined
    const result = await guest.whileFrozen(async () => {
      during = [isFrozen, machine.mayBeFrozen]
      await work()
    })
    return { result, during }
  }

  test('freezes file systems for the work, and thaws them after it', async () => {
    const one = guestOf()
    expect(await freeze(one)).toEqual({ result: true, during: [true, true] })
    expect([isFrozen, one.machine.mayBeFrozen]).toEqual([false, false])
    expect(heard).toEqual(['sync-delimited', 'freeze', 'status', 'thaw', 'status'])
    expect(await one.guest.answers()).toBe(true)
  })

  test('thaws them if the work fails', async () => {
    const one = guestOf()
    const failing = async () => Promise.reject(new Error('stopped'))
    await expect(freeze(one, failing)).rejects.toThrow('stopped')
    expect([isFrozen, one.machine.mayBeFrozen]).toEqual([false, false])
  })

  test('thaws them after the maximum time, and does not count as frozen then', async () => {
    const one = guestOf({ freeze: 100 })
    let isFrozenAtEnd: boolean | undefined
    const { result } = await freeze(one, async () => {
      await vi.waitFor(() => expect(isFrozen).toBe(false))
      isFrozenAtEnd = isFrozen
    })
    expect([result, isFrozenAtEnd]).toEqual([false, false])
  })

  test('does not count as frozen if it froze nothing, or thawed on its own', async () => {
    answer = except('guest-fsfreeze-freeze', (_, socket) => send(socket, 0))
    expect((await freeze(guestOf())).result).toBe(false)
    answer = good
    expect((await freeze(guestOf(), async () => void (isFrozen = false))).result).toBe(false)
    answer = except('guest-fsfreeze-freeze', (_, socket) => socket.write('{"error": {"class": "x", "desc": "busy"}}\n'))
    expect((await freeze(guestOf())).result).toBe(false)
  })

  test('is not asked while the guest has not opened the port', async () => {
    const one = guestOf({ isOpen: false })
    expect([await one.guest.answers(), (await freeze(one)).result, heard]).toEqual([false, false, []])
  })

  test('is thawed later if it does not answer in time', async () => {
    const one = guestOf({ freeze: 100 })
    answer = except('guest-fsfreeze-freeze', () => (isFrozen = true))
    expect((await freeze(one)).result).toBe(false)
    expect(one.machine.mayBeFrozen).toBe(true)
    await vi.waitFor(() => expect([isFrozen, one.machine.mayBeFrozen]).toEqual([false, false]))
  })

  test('is thawed by the next server, which tries until it confirms that', async () => {
    isFrozen = true
    const one = guestOf({ mayBeFrozen: true })
    let refusals = 2
    answer = (command, socket) => {
      if (command.execute === 'guest-fsfreeze-thaw' && refusals-- > 0) socket.destroy()
      else good(command, socket)
    }
    one.guest.thawLeftover()
    await vi.waitFor(() => expect([isFrozen, one.machine.mayBeFrozen]).toEqual([false, false]))
    expect(heard.filter((command) => command === 'thaw')).toHaveLength(3)

    // and does nothing without a leftover
    heard = []
    one.guest.thawLeftover()
    await pause(50)
    expect(heard).toEqual([])
  })

  test('is not waited for when the server stops', async () => {
    const one = guestOf({ mayBeFrozen: true, answer: 100 })
    answer = () => undefined
    one.guest.thawLeftover()
    one.guest.leave()
    await pause(200)
    const before = heard.length
    await pause(200)
    expect(heard).toHaveLength(before)
  })

  test('skips what an earlier connection left behind', async () => {
    answer = except('guest-sync-delimited', (command, socket) => {
      socket.write('{"return": "frozen"}\n}}garbage\n')
      socket.write(Buffer.of(0xff))
      send(socket, 7)
      good(command, socket)
    })
    expect(await guestOf().guest.answers()).toBe(true)
  })

  const hostile: Record<string, Answer> = {
    'says nothing': () => undefined,
    'closes the connection': (_, socket) => socket.destroy(),
    'sends garbage': (_, socket) => socket.write(Buffer.of(0xff, 0, 1, 2, 0x0a)),
    'sends another type': (_, socket) => socket.write('[[[[1]]]]\n'),
    'sends nothing but an open brace': (_, socket) => socket.write('{'),
    'sends an endless nesting': (_, socket) => socket.write(`${'['.repeat(MOST_REPLY_BYTES - 2)}\n`),
    'sends another ID forever': (_, socket) => {
      const timer = setInterval(() => (socket.destroyed ? clearInterval(timer) : send(socket, 1)), 1)
    },
    'sends one byte at a time': (_, socket) => {
      const timer = setInterval(() => (socket.destroyed ? clearInterval(timer) : socket.write(' ')), 1)
    },
    'sends endless data': (_, socket) => {
      const more = () => {
        while (!socket.destroyed && socket.write('x'.repeat(4096)));
        if (!socket.destroyed) socket.once('drain', more)
      }
      more()
    },
  }
  test.each(Object.keys(hostile))('that %s neither blocks a capture nor is believed', async (name) => {
    for (const command of ['guest-sync-delimited', 'guest-fsfreeze-freeze', 'guest-fsfreeze-status']) {
      answer = except(command, hostile[name]!)
      const before = Date.now()
      const one = guestOf({ answer: 100, freeze: 300 })
      const { result, during } = await freeze(one)
      expect([result, during !== undefined]).toEqual([false, true])
      expect(Date.now() - before).toBeLessThan(5_000)
      one.guest.leave()
    }
  })

  test('is read no further than the longest reply, also between commands', async () => {
    let sent = 0
    answer = (command, socket) => {
      good(command, socket)
      const more = () => {
        while (!socket.destroyed && socket.write('x'.repeat(4096))) sent += 4096
        if (!socket.destroyed) socket.once('drain', more)
      }
      setTimeout(more, 20)
    }
    const agent = await connectGuestAgent(join(folder, 'agent.sock'), 10_000)
    // until the kernel's buffer is full, because nothing reads it
    for (let before = -1; sent === 0 || (sent !== before && sent < 2_000_000);) {
      before = sent
      await pause(200)
    }
    expect(sent).toBeLessThan(2_000_000)
    await expect(agent.ping(10_000)).rejects.toMatchObject({ code: 'unusable' })
  })
})
