import { setTimeout as pause } from 'node:timers/promises'
import { volumes } from '@mainstay/contract/storage/volumes'
import { GiB } from '@mainstay/contract/core/bytes'
import pg from 'pg'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startServer, type TestServer } from './testing/start-server'

let server: TestServer
let administrator: pg.Client
let name: string
beforeAll(async () => {
  server = await startServer()
  name = new URL(server.databaseUrl).pathname.slice(1)
  const beside = Object.assign(new URL(server.databaseUrl), { pathname: '/postgres' })
  administrator = new pg.Client({ connectionString: beside.href })
  await administrator.connect()
})
afterAll(async () => {
  await admit(true)
  await administrator.end()
  await server.close()
})

/** Allows connections to the database, or blocks them and terminates existing ones. */
async function admit(everybody: boolean): Promise<void> {
  await administrator.query(`alter database "${name}" with allow_connections ${everybody}`)
  if (!everybody)
    await administrator.query('select pg_terminate_backend(pid, 10000) from pg_stat_activity where datname = $1', [
      name,
    ])
}

test('calls fail with 503, a retry time and a request ID while the database is down, then recover', async () => {
  const token = await server.signIn('project-member')
  const make = () => server.fetch(volumes.create, { as: { token }, body: { name: 'kept', size: GiB, image_id: null } })
  await admit(false)
  try {
    for (const response of [await server.fetch(volumes.list, { as: { token } }), await make()]) {
      expect(response.status).toBe(503)
      expect(response.headers.get('retry-after')).toBe('2')
      expect(await response.json()).toEqual({
        error: {
          err_code: 'database_unavailable',
          message: expect.stringMatching(
            /^The database is not responding\. Try again in a few seconds\. .* check whether/,
          ),
          fields: {},
          data: { retry_after: 2 },
          said: { key: 'core.database_unavailable', values: {} },
          fields_said: {},
          request_id: response.headers.get('x-request-id'),
        },
      })
    }
    expect((await fetch(`${server.url}/health`)).status).toBe(200)
    const ready = await fetch(`${server.adminUrl}/ready`)
    expect(ready.status).toBe(503)
    const said = (await ready.json()) as {
      parts: { name: string; reachable: boolean; since: string; message: string }[]
    }
    expect(said).toMatchObject({ status: 'not ready' })
    expect(said.parts.find((part) => part.name === 'database')).toMatchObject({
      reachable: false,
      since: expect.stringMatching(/^20/),
      message: expect.stringMatching(/./),
    })
  } finally {
    await admit(true)
  }
  await expect.poll(async () => (await make()).status).toBe(202)
  await expect.poll(async () => (await fetch(`${server.url}/ready`)).status).toBe(200)
})

test('a task that loses its database connection is restarted instead of failing', { tags: 'all' }, async () => {
  let runs = 0
  server.tools.tasks.handle('spec.cut-off', {
    async run() {
      if (++runs > 1) return 'whole'
      await admit(false)
      try {
        // loops until the server notices the lost connection
        for (;;) await server.tools.inventory.revision().then(() => pause(20))
      } finally {
        await admit(true)
      }
    },
  })
  const scope = { ...(await server.tools.sessions.resolve(await server.signIn('project-member'), 'spec')).scope }
  const id = await server.tools.inventory.transaction((records) =>
    records.startJob({ name: 'spec.cut-off', subject: { kind: 'server', id: 's1', name: '' }, args: {}, scope }),
  )
  await expect
    .poll(
      async () =>
        (
          await server.sql.query<{ status: string }>('select status from resource where id = $1', [id]).catch(() => [])
        )[0]?.status,
      {
        timeout: 30_000,
      },
    )
    .toBe('success')
  expect(runs).toBe(2)
})
