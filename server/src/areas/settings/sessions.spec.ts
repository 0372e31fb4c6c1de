import { session } from '@mainstay/contract/identity/session'
import { sessionSettings } from '@mainstay/contract/settings/sessions'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { startServer, type TestServer } from '../../testing/start-server'

let server: TestServer
beforeAll(async () => {
  server = await startServer()
})
afterAll(() => server.close())

const save = (as: 'superuser' | 'viewer' | 'project-admin', minutes: number) =>
  server.call(sessionSettings.save, { as, body: { idle_timeout_minutes: minutes } })

it('returns the idle timeout of the console, which is 15 minutes by default', async () => {
  const told = async () => (await server.call(session.meta, { as: 'project-member' })).idle_timeout_minutes
  expect(await told()).toBe(15)
  expect(await save('superuser', 0)).toEqual({ idle_timeout_minutes: 0 })
  expect(await told()).toBe(0)
})

it('can be set by operators only', async () => {
  await expect(save('viewer', 5)).rejects.toMatchObject({ status: 403 })
  await expect(save('project-admin', 5)).rejects.toMatchObject({ status: 403 })
})

it.each([-1, 1.5, 1441])('refuses an idle timeout of %d minutes', async (minutes) => {
  await expect(save('superuser', minutes)).rejects.toMatchObject({ status: 400 })
})
