import { connect, type Socket } from 'node:net'
import { text } from 'node:stream/consumers'
import { instances } from '@mainstay/contract/compute/instances'
import { session } from '@mainstay/contract/identity/session'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startServer, type TestServer } from '../testing/start-server'
import { limits } from '../limits'

const GRACE_MS = 1000

let server: TestServer
beforeAll(async () => {
  server = await startServer({
    limits: {
      ...limits,
      body: { ...limits.body, graceMs: GRACE_MS, unfinishedOfAddress: 30, unfinishedInAll: 30 },
      connections: { ...limits.connections, ofAddress: 400 },
    },
  })
})
afterAll(() => server.close())

interface Answer {
  status: number
  text: string
}

/** Sends a body a few bytes at a time. Resolves with the response once the server closes the connection. */
async function drip(path: string, headers: string[] = [], announced = 1000): Promise<Answer> {
  const socket: Socket = connect(Number(new URL(server.url).port), '127.0.0.1')
  const chunks: Buffer[] = []
  socket.on('data', (chunk: Buffer) => chunks.push(chunk))
  // discarding the unread body resets the connection after the response
  socket.on('error', () => undefined)
  const lines = [`POST ${path} HTTP/1.1`, 'Host: localhost', 'Content-Type: application/json', ...headers]
  socket.write(`${lines.join('\r\n')}\r\nContent-Length: ${announced}\r\n\r\n{`)
  const dripping = setInterval(() => socket.write(' '), 100)
  await new Promise((closed) => socket.once('close', closed))
  clearInterval(dripping)
  const answer = Buffer.concat(chunks).toString()
  return { status: Number(answer.split(' ')[1]), text: answer }
}

test('refuses slow bodies with 408 and a message, and too many of them with 503 and Retry-After', async () => {
  const answers = await Promise.all(Array.from({ length: 300 }, () => drip(session.login.path)))
  const late = answers.filter(({ status }) => status === 408)
  const refused = answers.filter(({ status }) => status === 503)
  expect(late.length + refused.length).toBe(300)
  expect(late.length).toBeGreaterThan(0)
  expect(late[0]!.text).toContain('The request body arrived too slowly')
  expect(late[0]!.text).toContain('request_timeout')
  expect(refused.length).toBeGreaterThan(0)
  expect(refused[0]!.text).toMatch(/retry-after: 5\r\n/i)
  // the server still accepts requests
  expect((await server.fetch(session.login, { body: { username: 'x', password: 'y' } })).status).toBe(401)
})

test('reads the body of a protected call only for a signed-in caller', async () => {
  expect((await drip(instances.create.path)).status).toBe(401)
  expect((await drip(instances.create.path, ['X-Auth-Token: made-up'])).status).toBe(401)
  const token = await server.signIn('project-member')
  expect((await drip(instances.create.path, [`X-Auth-Token: ${token}`])).status).toBe(408)
})

test('limits the body of public calls and of unknown paths', async () => {
  const body = JSON.stringify({ username: 'x'.repeat(17_000), password: 'y' })
  const headers = { 'content-type': 'application/json' }
  for (const path of [session.login.path, '/api/v2/no-such-call']) {
    const response = await fetch(`${server.url}${path}`, { method: 'POST', headers, body })
    expect([404, 413]).toContain(response.status)
  }
  expect((await drip('/api/v2/no-such-call', [], 1_000_000)).status).toBeGreaterThanOrEqual(400)
})

test('responds to 60 000 unknown fields with a short error', async () => {
  const token = await server.signIn('project-member')
  const fields = Object.fromEntries(Array.from({ length: 60_000 }, (_, at) => [`f${at}`, 1]))
  const post = (body: object, path: string = instances.create.path) =>
    fetch(`${server.url}${path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-auth-token': token },
      body: JSON.stringify(body),
    })
  expect((await post(fields, session.login.path)).status).toBe(413)
  const many = await post(fields)
  expect([many.status, (await many.text()).length < 1000]).toEqual([400, true])

  const some = await post(Object.fromEntries(Object.entries(fields).slice(0, 4000)))
  const { error } = (await some.json()) as { error: { fields: Record<string, string[]>; message: string } }
  expect(Object.keys(error.fields).length).toBeLessThanOrEqual(limits.body.faults + 1)
  expect(error.fields['']!.at(-1)).toMatch(/^And 39\d\d more$/)
})

test('limits connections from one address and returns a clear message', async () => {
  const open = Array.from({ length: 420 }, () => connect(Number(new URL(server.url).port), '127.0.0.1'))
  try {
    const words = await Promise.race(open.map((socket) => text(socket)))
    expect(words).toMatch(/^HTTP\/1\.1 503 /)
    expect(words).toContain('Too many connections are open')
  } finally {
    for (const socket of open) socket.destroy()
  }
})
