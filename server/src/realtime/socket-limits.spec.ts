import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { limits } from '../limits'
import { projectScope } from '../testing/inventory-fixture'
import { login, openSocketFixture, until, type SocketFixture } from '../testing/socket-fixture'

let fixture: SocketFixture
beforeAll(async () => {
  fixture = await openSocketFixture()
})
afterAll(() => fixture.close())

test('refuses and closes a socket that signs in too often, after a limited number of token checks', async () => {
  await fixture.put('a')
  let resolved = 0
  // the sign-in limit does not recover, however long the test takes
  const logins = { ...limits.sockets.logins, perSecond: 0.001 }
  const resolve = async () => {
    resolved += 1
    return { session_id: 's', scope: projectScope('p1'), grants: {} }
  }
  const { url } = await fixture.serve(fixture.inventory, resolve, { ...limits.sockets, logins })
  const socket = fixture.connect(url)
  const codes: number[] = []
  for (let round = 0; round < 300; round++)
    void login(socket, { token: 'p1', all_tenants: round % 2 === 0, since: 0 }).then(
      ({ code }) => codes.push(code),
      () => undefined,
    )
  await until(() => socket.disconnected && codes.includes(429), 'the refusal and the end of the socket')
  expect(resolved).toBeLessThanOrEqual(limits.sockets.logins.burst)
})

test('limits the number of sockets per user, and says what to do', async () => {
  const { url } = await fixture.serve(fixture.inventory, undefined, { ...limits.sockets, ofUser: 3 })
  const open = [await fixture.follow(url, 'p1'), await fixture.follow(url, 'p1'), await fixture.follow(url, 'p2')]
  expect(open.map(({ reply }) => reply.code)).toEqual([200, 200, 200])
  const { reply, socket } = await fixture.follow(url, 'p1')
  expect(reply).toMatchObject({ code: 429, message: expect.stringContaining('Close a window of the console') })
  await until(() => socket.disconnected, 'the end of the socket')
  open[0]!.socket.disconnect()
  // the server notices the disconnect a moment later
  await vi.waitFor(async () => expect((await fixture.follow(url, 'p2')).reply.code).toBe(200), 30_000)
})

test('limits the combined sign-in rate of a user’s sockets', async () => {
  const loginsOfUser = { burst: 5, perSecond: 0.001 }
  const { url } = await fixture.serve(fixture.inventory, undefined, { ...limits.sockets, loginsOfUser })
  const codes: number[] = []
  for (let round = 0; round < 7; round++) {
    const { reply, socket } = await fixture.follow(url, 'p1')
    codes.push(reply.code)
    socket.disconnect()
  }
  expect(codes).toEqual([200, 200, 200, 200, 200, 429, 429])
})
